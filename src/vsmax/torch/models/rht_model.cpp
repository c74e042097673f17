// SPDX-License-Identifier: Apache-2.0
// RHT: the refinement network on the Moebius strip learns a heat map by binary cross-entropy, the
// mean over cells and batch; lines are read from it without a derivative.
#include <ATen/Parallel.h>

#include "vsmax/torch/models/module_model.h"
#include "vsmax/torch/models/modules.h"
#include "vsmax/torch/models/predicted_lines.h"
#include "vsmax/torch/models/rht.h"

namespace vsmax {

namespace {

class RhtModel final : public ModuleModel {
 public:
  explicit RhtModel(const LineModelSpec& spec)
      : RhtModel(spec, nn::RefineNet(Cover::kSingle, spec.scale, spec.bfloat16)) {}

  torch::Tensor loss(const torch::Tensor& images, const torch::Tensor& truth) final {
    return torch::binary_cross_entropy_with_logits(
        net_(hough_(images)), rht_target(spec_.grid, truth, spec_.target_width));
  }

 private:
  RhtModel(const LineModelSpec& spec, const nn::RefineNet& net)
      : ModuleModel(spec, "rht", net.ptr()), hough_(spec.grid), net_(net) {}

  PredictedLines lines(const torch::Tensor& images) final {
    const auto heat = torch::sigmoid(net_(hough_(images))).to(torch::kCPU).contiguous();
    auto polar = torch::full({heat.size(0), 2}, NAN, torch::kDouble);
    const auto* cells = heat.data_ptr<float>();
    auto* to = polar.data_ptr<double>();
    at::parallel_for(0, heat.size(0), 1, [&](int64_t begin, int64_t end) {
      for (int64_t b = begin; b < end; ++b) {
        const auto line =
            rht_readout(spec_.grid, cells + b * static_cast<int64_t>(spec_.grid.cells()));
        if (!line) continue;
        to[2 * b] = line->theta;
        to[2 * b + 1] = line->rho;
      }
    });
    return lines_from_polar(polar);
  }

  nn::HoughTransform hough_;
  nn::RefineNet net_;
};

}  // namespace

std::unique_ptr<LineModel> make_rht_model(const LineModelSpec& spec) {
  return std::make_unique<RhtModel>(spec);
}

}  // namespace vsmax
