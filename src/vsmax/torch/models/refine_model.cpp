// SPDX-License-Identifier: Apache-2.0
// The paper's four pipelines of Hough transform, refinement network and readout: two readouts, and
// for each the loss in either representation.
#include "vsmax/torch/models/module_model.h"
#include "vsmax/torch/models/modules.h"
#include "vsmax/torch/models/predicted_lines.h"
#include "vsmax/torch/ops/losses.h"

namespace vsmax {

namespace {

bool ends_with_polar(const std::string& name) { return name.find("-polar") != std::string::npos; }

// Hough transform and network; the readout has nothing to learn.
class RefineModel : public ModuleModel {
 protected:
  RefineModel(LineModelSpec spec, std::string readout, const nn::RefineNet& net)
      : ModuleModel(std::move(spec), std::move(readout), net.ptr()),
        hough_(spec_.grid),
        net_(net),
        polar_(ends_with_polar(spec_.name)) {}

  torch::Tensor logits(const torch::Tensor& images) { return net_(hough_(images)); }

  nn::HoughTransform hough_;
  nn::RefineNet net_;
  bool polar_;
};

class VeroneseModel final : public RefineModel {
 public:
  explicit VeroneseModel(const LineModelSpec& spec)
      : RefineModel(spec, "vsmax", nn::RefineNet(Cover::kDouble, spec.scale, spec.bfloat16)),
        readout_(Cover::kDouble, spec.temperature),
        head_(spec.eigen_guard) {}

  torch::Tensor loss(const torch::Tensor& images, const torch::Tensor& truth) final {
    const auto barycentre = readout_(logits(images));
    if (!polar_) return nn::veronese_loss(barycentre, truth);
    return nn::polar_loss(nn::hold_across_seam(head_(barycentre), truth), truth);
  }

 private:
  PredictedLines lines(const torch::Tensor& images) final {
    return lines_from_embedding(readout_(logits(images)));
  }

  nn::VeroneseSoftArgmax readout_;
  nn::LineHead head_;
};

class SoftArgmaxModel final : public RefineModel {
 public:
  explicit SoftArgmaxModel(const LineModelSpec& spec)
      : RefineModel(spec, "softargmax", nn::RefineNet(Cover::kSingle, spec.scale, spec.bfloat16)),
        readout_(spec.grid, spec.temperature) {}

  torch::Tensor loss(const torch::Tensor& images, const torch::Tensor& truth) final {
    const auto mean = readout_(logits(images));
    return polar_ ? nn::polar_loss(mean, truth)
                  : nn::veronese_loss(nn::veronese_from_polar(mean), truth);
  }

 private:
  PredictedLines lines(const torch::Tensor& images) final {
    return lines_from_polar(readout_(logits(images)));
  }

  nn::SoftArgmax readout_;
};

}  // namespace

std::unique_ptr<LineModel> make_refine_model(const LineModelSpec& spec) {
  if (spec.name.rfind("vsmax", 0) == 0) return std::make_unique<VeroneseModel>(spec);
  return std::make_unique<SoftArgmaxModel>(spec);
}

}  // namespace vsmax
