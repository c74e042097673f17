// SPDX-License-Identifier: Apache-2.0
#include "vsmax/recover/line_recoverer.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "vsmax/base/error.h"
#include "vsmax/base/finite.h"
#include "vsmax/evidence/edge_evidence.h"
#include "vsmax/evidence/evidence.h"
#include "vsmax/evidence/learned_evidence.h"
#include "vsmax/hough/hough.h"
#include "vsmax/hough/oriented_hough.h"
#include "vsmax/readout/argmax.h"
#include "vsmax/readout/soft_argmax.h"
#include "vsmax/readout/veronese_soft_argmax.h"
#include "vsmax/recover/confidence.h"
#include "vsmax/recover/grid_choice.h"
#include "vsmax/recover/line_support.h"
#include "vsmax/recover/prominence.h"
#include "vsmax/recover/trace.h"
#include "vsmax/refine/refine_net.h"
#include "vsmax/refine/whiten.h"

namespace vsmax {
namespace {

struct LineInFrame {
  PixelLine line;  // in the working frame
  double confidence = 0.0;
};

// The operators for one image size, and the memory they work in.
class Stages {
 public:
  Stages(const Model& model, const ImageFrame& frame)
      : model_(model),
        grid_(grid_for(model.spec, frame)),
        veronese_(grid().shape(model.spec.cover)),
        accumulator_(grid().cells()),
        distribution_(veronese_.shape().count()),
        single_(grid().cells()) {
    if (model.spec.evidence == EvidenceKind::kEdges) {
      oriented_.emplace(grid_);
      squares_.resize(grid_.cells());
    } else {
      hough_.emplace(grid_);
    }
    if (model.spec.evidence == EvidenceKind::kIntensity) whitening_.emplace(*hough_);
    if (model.spec.readout != Readout::kArgmax) expected_score_.emplace(grid());
  }

  const HoughGrid& grid() const { return grid_; }
  const std::vector<float>& accumulator() const { return accumulator_; }

  void vote(const Evidence& evidence) {
    pixels_ = evidence.pixels;
    if (oriented_) return oriented_->forward(evidence.gradients, accumulator_, squares_);
    hough_->forward(evidence.pixels, accumulator_, hough_scratch_);
    if (!all_finite(accumulator_))
      throw Error("the image's values are so large that their sums overflow");
  }

  // From the accumulator to logits on the model's cover.
  void refine(const ImageStatistics& statistics, int threads) {
    net_scratch_.threads = threads;
    whiten(statistics);
    if (model_.spec.refinement == Refinement::kWhitening)
      std::transform(scores_.begin(), scores_.end(), single_.begin(),
                     [](float score) { return log_likelihood_ratio(score); });  // inlined
    else
      single_ = accumulator_;
    if (model_.spec.cover == Cover::kDouble)
      double_cover(single(), distribution());
    else
      std::copy(single_.begin(), single_.end(), distribution_.begin());
    if (model_.net)
      model_.net->forward(distribution(), static_cast<float>(model_.spec.scale), distribution(),
                          net_scratch_);
  }

  // From logits to a line; soft readouts turn the logits into probabilities.
  LineInFrame read_out() {
    if (model_.spec.readout == Readout::kArgmax) {
      const Cell peak = argmax(on_single_cover());
      return {grid().line(peak), probability_of(grid().shape().line(peak))};
    }
    const SoftReadout readout =
        veronese_.read(distribution(), model_.spec.temperature, distribution());
    if (std::isnan(readout.log_sum)) throw Error("a logit is not finite");
    EmbeddedLine found = line_from_embedding(readout.barycentre);
    if (model_.spec.readout == Readout::kSoftArgmax) found.line = soft_argmax(on_single_cover());
    const PixelLine line = pixel_from_unit(found.line, grid().frame());
    if (!std::isfinite(line.rho)) return {line, 0.0};
    const double probability = model_.spec.background
                                   ? line_probability(readout.log_sum, *model_.spec.background)
                                   : probability_of(found.line);
    constexpr double kNegligible = 1e-3;  // what is no line need not be scored
    if (probability < kNegligible) return {line, 0.0};
    return {line, probability * (*expected_score_)(on_single_cover(), line)};
  }

  Cells<const float> on_single_cover() {
    if (model_.spec.cover == Cover::kSingle) return distribution();
    fold_double_cover(distribution(), single());
    return single();
  }

 private:
  // The whitened accumulator, turned so that what the model looks for is positive.
  void whiten(const ImageStatistics& statistics) {
    scores_ = accumulator_;
    if (oriented_) score_signed_votes(accumulator_, squares_, scores_);
    if (whitening_) whitening_->apply(statistics, scores());
    if (model_.spec.polarity != Polarity::kAuto) return;
    dark_ = true;  // while a dark line is asked about
    dark_ = choose_polarity(scores(), [this](UnitLine line) { return probability_of(line); });
  }

  // That a line was found and not a chance peak (Eq. 37, 41), where the image can tell. Learned
  // evidence has already judged.
  double probability_of(UnitLine line) {
    if (model_.spec.evidence == EvidenceKind::kLearned) return 1.0;
    const Prominence found = prominence(scores(), grid(), line);
    if (oriented_) return line_probability(found, kEdgeProminence);
    return line_probability(found) *
           support_probability(line_support(pixels_, grid().frame(),
                                            pixel_from_unit(line, grid().frame()),
                                            grid().bin_width(), dark_ ? -1.0F : 1.0F));
  }

  Cells<float> scores() { return {scores_.data(), grid().shape()}; }
  Cells<float> distribution() { return {distribution_.data(), veronese_.shape()}; }
  Cells<float> single() { return {single_.data(), grid().shape()}; }

  const Model& model_;
  HoughGrid grid_;
  std::optional<HoughTransform> hough_;    // unless edges vote
  std::optional<OrientedHough> oriented_;  // if they do
  VeroneseSoftArgmax veronese_;
  std::optional<Whitening> whitening_;
  std::optional<ExpectedScore> expected_score_;
  std::vector<float> accumulator_;
  std::vector<float> squares_;       // of the votes of edges
  std::vector<float> scores_;        // the accumulator whitened
  std::vector<float> distribution_;  // logits, then probabilities, on the model's cover
  std::vector<float> single_;        // on the single cover, before or after
  std::span<const float> pixels_;    // of the evidence voted on last
  bool dark_ = false;                // whether the scores were turned
  HoughScratch hough_scratch_;
  RefineNet::Scratch net_scratch_;
};

RecoveryTrace trace_of_votes(const Evidence& evidence, const Stages& stages) {
  RecoveryTrace trace{GrayImage(evidence.frame),
                      stages.grid(),
                      stages.accumulator(),
                      std::vector<float>(stages.grid().cells(), 0.0F),
                      {}};
  std::copy(evidence.pixels.begin(), evidence.pixels.end(), trace.evidence.pixels.begin());
  return trace;
}

}  // namespace

struct LineRecoverer::State {
  EvidenceStage intensity;
  EdgeEvidence edges;
  LearnedEvidence learned;
  std::optional<Stages> stages;

  Evidence evidence_of(const ImageView& image, const Model& model, int threads) {
    switch (model.spec.evidence) {
      case EvidenceKind::kEdges:
        return edges(image);
      case EvidenceKind::kLearned:
        return learned(image, *model.front, *model.spec.frame, threads);
      case EvidenceKind::kIntensity:
        break;
    }
    return intensity(image, model.spec.frame, model.spec.polarity == Polarity::kDark);
  }

  Stages& stages_for(const Model& model, const ImageFrame& frame) {
    if (!stages || !(stages->grid().frame() == frame)) stages.emplace(model, frame);
    return *stages;
  }
};

LineRecoverer::LineRecoverer(Model model, int threads)
    : model_(std::make_shared<const Model>(std::move(model))),
      threads_(threads),
      state_(std::make_unique<State>()) {}
LineRecoverer::LineRecoverer(const LineRecoverer& other)
    : model_(other.model_), threads_(other.threads_), state_(std::make_unique<State>()) {}
LineRecoverer::LineRecoverer(LineRecoverer&&) noexcept = default;
LineRecoverer& LineRecoverer::operator=(LineRecoverer&&) noexcept = default;
LineRecoverer::~LineRecoverer() = default;

Recovery LineRecoverer::operator()(const ImageView& image, RecoveryTrace* trace) {
  const Evidence evidence = state_->evidence_of(image, *model_, threads_);
  Stages& stages = state_->stages_for(*model_, evidence.frame);

  const ImageStatistics statistics = image_statistics(evidence.image);
  stages.vote(evidence);
  if (trace != nullptr) *trace = trace_of_votes(evidence, stages);
  if (statistics.deviation == 0.0) return {};  // a constant image holds no line

  stages.refine(statistics, threads_);
  const auto [line, confidence] = stages.read_out();
  if (trace != nullptr) {
    const Cells<const float> shown = stages.on_single_cover();
    trace->line = line;
    trace->probabilities.assign(shown.begin(), shown.end());
  }
  const PixelLine found = evidence.placement.image_from_work(line);
  // A line beyond the corners, let alone at infinity, does not cross the image.
  if (!(std::abs(found.rho) <= image.frame().half_diagonal())) return {};
  return {{{found, confidence, visible_segment(found, image.frame())}}};
}

}  // namespace vsmax
