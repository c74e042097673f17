// SPDX-License-Identifier: Apache-2.0
// The paper's four pipelines of Hough transform, refinement network and readout: two readouts, each
// with the loss in either representation. A learned front end may precede them.
#include <torch/nn/init.h>
#include <torch/nn/modules/conv.h>

#include "vsmax/base/error.h"
#include "vsmax/torch/functions/line_coordinates.h"
#include "vsmax/torch/functions/losses.h"
#include "vsmax/torch/models/model_families.h"
#include "vsmax/torch/models/present_lines.h"
#include "vsmax/torch/models/trainable_front_net.h"
#include "vsmax/torch/models/trainable_refine_net.h"
#include "vsmax/torch/ops/ops.h"

namespace vsmax {
namespace {

// How many of the spec's units of rho make D.
double units_in_half_diagonal(RhoUnit unit, const HoughGrid& grid) {
  const ImageFrame& frame = grid.frame();
  switch (unit) {
    case RhoUnit::kHalfDiagonal:
      break;
    case RhoUnit::kHalfWidth:
      return frame.half_diagonal() / (0.5 * (frame.width - 1));
    case RhoUnit::kPixel:
      return frame.half_diagonal();
    case RhoUnit::kBin:
      return 0.5 * (grid.rhos() - 1);
  }
  return 1.0;
}

class RefinePipeline final : public LineModel {
 public:
  RefinePipeline(const ModelSpec& spec, const nn::RefineNet& net)
      : LineModel(spec, net.ptr()),
        net_(net),
        unit_(units_in_half_diagonal(spec.rho_unit, grid())) {}
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

  torch::Tensor logits_of(const torch::Tensor& images) {
    return net_(accumulators(front_.is_empty() ? images : front_(images)));
  }

  // The barycentre [B, 6] (Eq. 17) or the mean (theta, rho / D) [B, 2] (Eq. 16).
  torch::Tensor read_out(const torch::Tensor& logits) {
    if (veronese() && unit_ != 1.0)
      return torch::matmul(torch::softmax((logits / spec().temperature).flatten(1), 1),
                           embeddings(spec().cover, logits));
    if (veronese())
      return ops::veronese_readout(logits, spec().cover == Cover::kDouble, spec().temperature);
    // The chart has one cell per line, so both sheets of the double cover are added up.
    return nn::soft_argmax(nn::folded_logits(logits / spec().temperature, spec().cover), 1.0);
  }

  // (theta, rho / D) with rho in the spec's unit.
  torch::Tensor in_unit(const torch::Tensor& polar) {
    if (unit_ == 1.0) return polar;
    // Cached, because a copy from the host cannot be part of a CUDA graph.
    if (!units_.defined() || units_.device() != polar.device() ||
        units_.scalar_type() != polar.scalar_type())
      units_ = torch::tensor({1.0, unit_}, polar.options());
    return polar * units_;
  }

  torch::Tensor losses_of(const torch::Tensor& logits, const torch::Tensor& lines) {
    const auto mean = read_out(logits);
    const auto truth = in_unit(lines);
    if (spec().loss == Loss::kVeronese)
      return nn::veronese_losses(veronese() ? mean : nn::veronese_from_polar(in_unit(mean)), truth);
    if (!veronese()) return nn::polar_losses(in_unit(mean), truth);
    const auto polar = nn::polar_from_embedding(mean, spec().eigen_guard);
    return nn::polar_losses(spec().hold_across_seam ? nn::hold_across_seam(polar, truth) : polar,
                            truth);
  }

  torch::Tensor loss_of(const torch::Tensor& images, const torch::Tensor& truth,
                        const torch::Tensor& whole) final {
    const auto logits = logits_of(images);
    if (front_.is_empty()) return share_of_mean(losses_of(logits, truth).mean(), truth, whole);
    if (spec().several) return loss_of_several(logits, truth, whole);
    const auto [lines, present] = split_truth(truth);
    const auto whole_present = whole.is_same(truth) ? present : split_truth(whole).present;
    auto losses = losses_of(logits, lines);
    if (spec().likelihood > 0.0)
      losses = losses + likelihood_losses(logits, lines) * spec().likelihood;
    auto loss = mean_where(losses, present, whole_present);
    if (!spec().background || spec().presence == 0.0) return loss;
    const auto log_sum = torch::logsumexp((logits / spec().temperature).flatten(1), 1);
    const auto presence =
        torch::binary_cross_entropy_with_logits(log_sum - *spec().background, present);
    return loss + share_of_mean(presence, truth, whole) * spec().presence;
  }

  torch::Tensor likelihood_losses(const torch::Tensor& logits, const torch::Tensor& lines) {
    constexpr double kWidth = 0.025;  // about two bins of the paper's grid
    return nn::likelihood_losses(logits / spec().temperature, embeddings(spec().cover, logits),
                                 lines, kWidth);
  }

  // Each line is a peak of its own. truth: [B, K, 2].
  torch::Tensor loss_of_several(const torch::Tensor& logits, const torch::Tensor& truth,
                                const torch::Tensor& whole) {
    constexpr double kWidth = 0.03;
    const auto& places = embeddings(Cover::kSingle, logits);
    const auto [lines, present] = split_truth(truth);
    const auto cells = nn::folded_logits(logits, spec().cover).flatten(1);
    const auto near = nn::log_nearness(places, lines, kWidth);
    const auto target = nn::peak_target(near, present);
    auto whole_present = present;
    auto whole_target = target;
    if (!whole.is_same(truth)) {
      const auto all = split_truth(whole);
      whole_present = all.present;
      whole_target = nn::peak_target(nn::log_nearness(places, all.lines, kWidth), all.present);
    }
    auto loss = nn::peak_loss(cells, target, whole_target);
    if (spec().likelihood == 0.0) return loss;
    return loss + mean_where(nn::peak_likelihood_losses(cells, near), present, whole_present) *
                      spec().likelihood;
  }

  const torch::Tensor& embeddings(Cover cover, const torch::Tensor& logits) {
    if (!embeddings_.defined() || embeddings_.device() != logits.device())
      embeddings_ = nn::cell_embeddings(grid().shape(cover), logits.options(), unit_);
    return embeddings_;
  }

  PredictedLines lines_of(const torch::Tensor& images) final {
    const auto mean = read_out(logits_of(images));
    if (!veronese()) return lines_from_polar(mean);
    PredictedLines lines = lines_from_embedding(mean);
    if (unit_ != 1.0) lines.rho /= unit_;
    return lines;
  }

  bool veronese() const { return spec().readout == Readout::kVeronese; }

  nn::FrontNet front_{nullptr};
  nn::RefineNet net_;
  double unit_ = 1.0;         // units of rho in D, for the embedding and the losses
  torch::Tensor units_;       // (1, unit)
  torch::Tensor embeddings_;  // of all cells
};

// The front end's evidence starts out small and positive, so weights that preserve the size of the
// signal learn faster than torch's defaults. Those of the last layer are small, so that the logits
// start out nearly flat.
void initialize_for_evidence(const nn::RefineNet& net, bool several) {
  constexpr double kFirstLogits = 0.02;
  constexpr double kRareLine = -4.0;  // few cells hold a line
  torch::nn::Conv2dImpl* last = nullptr;
  for (const auto& layer : *net->layers()) {
    last = layer->as<torch::nn::Conv2dImpl>();
    torch::nn::init::kaiming_normal_(last->weight, 0.0, torch::kFanIn, torch::kReLU);
    torch::nn::init::zeros_(last->bias);
  }
  torch::nn::init::normal_(last->weight, 0.0, kFirstLogits);
  if (several) torch::nn::init::constant_(last->bias, kRareLine);
}

}  // namespace

std::unique_ptr<LineModel> make_refine_pipeline(const ModelSpec& spec, bool bfloat16) {
  if (spec.refinement != Refinement::kNetwork)
    throw Error("the model '" + spec.name + "' has no network and needs no LibTorch");
  const nn::RefineNet net(spec.cover, spec.scale, bfloat16);
  if (spec.evidence == EvidenceKind::kIntensity) return std::make_unique<RefinePipeline>(spec, net);
  initialize_for_evidence(net, spec.several);
  return std::make_unique<RefinePipeline>(spec, nn::FrontNet(bfloat16), net);
}

}  // namespace vsmax
