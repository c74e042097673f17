// SPDX-License-Identifier: Apache-2.0
// The paper's four pipelines of Hough transform, refinement network and readout: two readouts, and
// for each the loss in either representation.
#include "vsmax/base/error.h"
#include "vsmax/torch/functions/line_coordinates.h"
#include "vsmax/torch/functions/losses.h"
#include "vsmax/torch/models/model_families.h"
#include "vsmax/torch/models/trainable_front_net.h"
#include "vsmax/torch/models/trainable_refine_net.h"
#include "vsmax/torch/ops/ops.h"

namespace vsmax {
namespace {

class RefinePipeline final : public LineModel {
 public:
  RefinePipeline(const ModelSpec& spec, const nn::RefineNet& net)
      : LineModel(spec, net.ptr()), net_(net) {}
  RefinePipeline(const ModelSpec& spec, const nn::FrontNet& front, const nn::RefineNet& net)
      : LineModel(spec, both(front, net)), front_(front), net_(net) {}

 private:
  // One module with the tensors of both.
  static std::shared_ptr<torch::nn::Module> both(const nn::FrontNet& front,
                                                 const nn::RefineNet& net) {
    auto module = std::make_shared<torch::nn::Module>();
    module->register_module("front", front->layers());
    module->register_module("refine", net->layers());
    return module;
  }

  // The barycentre [B, 6] (Eq. 17) or the mean (theta, rho / D) [B, 2] (Eq. 16).
  torch::Tensor read_out(const torch::Tensor& images) {
    const auto logits = net_(accumulators(front_.is_empty() ? images : front_(images)));
    return veronese()
               ? ops::veronese_readout(logits, spec().cover == Cover::kDouble, spec().temperature)
               : nn::soft_argmax(logits, spec().temperature);
  }

  torch::Tensor loss_of(const torch::Tensor& images, const torch::Tensor& truth) final {
    const auto mean = read_out(images);
    if (spec().loss == Loss::kVeronese)
      return nn::veronese_loss(veronese() ? mean : nn::veronese_from_polar(mean), truth);
    if (!veronese()) return nn::polar_loss(mean, truth);
    const auto polar = nn::polar_from_embedding(mean, spec().eigen_guard);
    return nn::polar_loss(nn::hold_across_seam(polar, truth), truth);
  }

  PredictedLines lines_of(const torch::Tensor& images) final {
    return veronese() ? lines_from_embedding(read_out(images)) : lines_from_polar(read_out(images));
  }

  bool veronese() const { return spec().readout == Readout::kVeronese; }

  nn::FrontNet front_{nullptr};
  nn::RefineNet net_;
};

}  // namespace

std::unique_ptr<LineModel> make_refine_pipeline(const ModelSpec& spec, bool bfloat16) {
  if (spec.refinement != Refinement::kNetwork)
    throw Error("the model '" + spec.name + "' has no network and needs no LibTorch");
  if (spec.readout == Readout::kSoftArgmax && spec.cover != Cover::kSingle)
    throw Error("the model '" + spec.name + "' takes the soft-argmax of the double cover");
  const nn::RefineNet net(spec.cover, spec.scale, bfloat16);
  if (spec.evidence == EvidenceKind::kIntensity) return std::make_unique<RefinePipeline>(spec, net);
  return std::make_unique<RefinePipeline>(spec, nn::FrontNet(bfloat16), net);
}

}  // namespace vsmax
