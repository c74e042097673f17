// SPDX-License-Identifier: Apache-2.0
// The textbook method: the largest cell of the plain accumulator. Nothing to train.
#include "vsmax/readout/argmax.h"
#include "vsmax/torch/models/module_model.h"
#include "vsmax/torch/models/predicted_lines.h"
#include "vsmax/torch/ops/losses.h"
#include "vsmax/torch/ops/ops.h"

namespace vsmax {

namespace {

class ArgmaxModel final : public ModuleModel {
 public:
  explicit ArgmaxModel(const LineModelSpec& spec)
      : ModuleModel(spec, "argmax", std::make_shared<torch::nn::Module>()) {}

  // The squared chordal distance, to compare with the others; its derivative is zero.
  torch::Tensor loss(const torch::Tensor& images, const torch::Tensor& truth) final {
    return nn::veronese_loss(nn::veronese_from_polar(polar_from_lines(predict(images), truth)),
                             truth);
  }

 private:
  PredictedLines lines(const torch::Tensor& images) final {
    const HoughGrid& grid = spec_.grid;
    const auto accumulators =
        ops::hough(images, grid.thetas(), grid.rhos()).to(torch::kCPU).contiguous();
    auto polar = torch::empty({accumulators.size(0), 2}, torch::kDouble);
    for (int64_t b = 0; b < accumulators.size(0); ++b) {
      const Cell cell =
          argmax(grid, accumulators.data_ptr<float>() + b * static_cast<int64_t>(grid.cells()));
      polar.data_ptr<double>()[2 * b] = grid.theta(cell.t);
      polar.data_ptr<double>()[2 * b + 1] = grid.rho_unit(cell.r);
    }
    return lines_from_polar(polar);
  }
};

}  // namespace

std::unique_ptr<LineModel> make_argmax_model(const LineModelSpec& spec) {
  return std::make_unique<ArgmaxModel>(spec);
}

}  // namespace vsmax
