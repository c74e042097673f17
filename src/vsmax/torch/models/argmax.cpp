// SPDX-License-Identifier: Apache-2.0
// The textbook method: the largest cell of the plain accumulator. Nothing to train.
#include "vsmax/readout/argmax.h"

#include "vsmax/base/error.h"
#include "vsmax/torch/models/model_families.h"

namespace vsmax {
namespace {

class ArgmaxModel final : public LineModel {
 public:
  explicit ArgmaxModel(const ModelSpec& spec)
      : LineModel(spec, std::make_shared<torch::nn::Module>()) {}

 private:
  torch::Tensor loss_of(const torch::Tensor& /*images*/, const torch::Tensor& /*truth*/,
                        const torch::Tensor& /*whole*/) final {
    throw Error("the model '" + spec().name + "' does not learn, so it has no loss");
  }

  PredictedLines lines_of(const torch::Tensor& images) final {
    const auto votes = accumulators(images).to(torch::kCPU).contiguous();
    auto polar = torch::empty({votes.size(0), 2}, torch::kDouble);
    const CellShape shape = grid().shape();
    for (int64_t b = 0; b < votes.size(0); ++b) {
      const float* cells = votes.data_ptr<float>() + b * static_cast<int64_t>(shape.count());
      const UnitLine line = shape.line(argmax({cells, shape}));
      polar.data_ptr<double>()[2 * b] = line.theta;
      polar.data_ptr<double>()[2 * b + 1] = line.rho;
    }
    return lines_from_polar(polar);
  }
};

}  // namespace

std::unique_ptr<LineModel> make_argmax_model(const ModelSpec& spec) {
  return std::make_unique<ArgmaxModel>(spec);
}

}  // namespace vsmax
