// SPDX-License-Identifier: Apache-2.0
#include "vsmax/recover/stages.h"

#include <algorithm>
#include <cmath>

#include "vsmax/base/error.h"
#include "vsmax/base/finite.h"
#include "vsmax/readout/argmax.h"
#include "vsmax/readout/soft_argmax.h"
#include "vsmax/readout/window.h"
#include "vsmax/recover/accelerator.h"
#include "vsmax/recover/grid_choice.h"
#include "vsmax/recover/line_support.h"
#include "vsmax/recover/prominence.h"

namespace vsmax {

Stages::Stages(const Model& model, const ImageFrame& frame)
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
  if (!hard()) expected_score_.emplace(grid());
  if (model.front) within_cell_ = score_within_cell(grid());
}

void Stages::vote(std::span<const float> pixels, std::span<const Gradient> gradients,
                  std::span<const float> seen) {
  even_ground_ = !seen.empty();
  pixels_ = even_ground_ ? seen : pixels;
  gradients_ = gradients;
  if (oriented_) return oriented_->forward(gradients, accumulator_, squares_);
  if (model_.accelerator)
    model_.accelerator->refine(pixels, accumulator_, distribution_);
  else
    hough_->forward(pixels, accumulator_, hough_scratch_);
  if (!all_finite(accumulator_))
    throw Error("the image's values are so large that their sums overflow");
}

void Stages::whiten(const ImageStatistics& statistics) {
  scores_ = accumulator_;
  if (oriented_) score_signed_votes(accumulator_, squares_, scores_);
  if (whitening_) whitening_->apply(statistics, scores());
  if (model_.spec.polarity != Polarity::kAuto) return;
  dark_ = true;  // while choose_polarity asks about a dark line
  dark_ = choose_polarity(scores(), [this](UnitLine line) { return probability_of(line); });
}

void Stages::refine(const ImageStatistics& statistics, int threads) {
  net_scratch_.threads = threads;
  if (!model_.front) whiten(statistics);
  if (model_.accelerator) return;  // the logits came with the votes
  if (model_.spec.refinement == Refinement::kWhitening ||
      model_.spec.refinement == Refinement::kPosterior)
    // A lambda, so that the function is inlined.
    std::transform(scores_.begin(), scores_.end(), single_.begin(),
                   [](float score) { return log_likelihood_ratio(score); });
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

double Stages::probability_of(UnitLine line) {
  if (model_.front) return 1.0;
  const Prominence found = prominence(scores(), grid(), line);
  const ImageFrame& frame = grid().frame();
  const PixelLine in_pixels = pixel_from_unit(line, frame);
  if (oriented_) {
    const Prominence in_drawing = prominence(scores(), grid(), line, Evidenced::kSparsely);
    const double coverage =
        edge_coverage(gradients_, frame, in_pixels, grid().bin_width(), clear_edge_);
    return std::max(line_probability(found, kEdgeProminence),
                    line_probability(in_drawing, kEdgeProminence) * coverage_probability(coverage));
  }
  const float sign = dark_ ? -1.0F : 1.0F;
  const double probability =
      line_probability(found) *
      support_probability(line_support(pixels_, frame, in_pixels, grid().bin_width(), sign),
                          even_ground_);
  constexpr double kTexture = 1.3;      // a larger spread is more than white noise
  constexpr double kNegligible = 1e-2;  // no comparison if it is hardly a line
  const bool plain_noise = found.spread < kTexture && !even_ground_;
  if (plain_noise || probability < kNegligible) return probability;
  const double distinct = distinction(pixels_, frame, in_pixels, grid().bin_width(), sign);
  if (even_ground_ && std::isfinite(distinct)) return 0.0;  // it is too short to be plain to see
  return probability * distinction_probability(distinct);
}

LineInFrame Stages::read_out() {
  if (hard()) {
    const Cell peak = argmax(on_single_cover());
    return {grid().line(peak), probability_of(grid().shape().line(peak)), {}, dark_};
  }
  const SoftReadout readout =
      veronese_.read(distribution(), model_.spec.temperature, distribution());
  if (std::isnan(readout.log_sum)) throw Error("a logit is not finite");
  EmbeddedLine found = line_from_embedding(readout.barycentre);
  if (model_.spec.readout == Readout::kSoftArgmax) found.line = soft_argmax(on_single_cover());
  const PixelLine line = pixel_from_unit(found.line, grid().frame());
  if (!std::isfinite(line.rho)) return {line, 0.0, {}, dark_};
  const double probability = model_.spec.background
                                 ? line_probability(readout.log_sum, *model_.spec.background)
                                 : probability_of(found.line);
  constexpr double kNegligible = 1e-3;  // no score if it is hardly a line
  if (probability < kNegligible) return {line, 0.0, {}, dark_};
  return {
      line, probability * within_cell_ * (*expected_score_)(on_single_cover(), line), {}, dark_};
}

Cells<const float> Stages::on_single_cover() {
  if (model_.spec.cover == Cover::kSingle) return distribution();
  fold_double_cover(distribution(), single());
  return single();
}

Cells<const float> Stages::logits() {
  if (!all_finite(distribution_)) throw Error("a logit is not finite");
  if (model_.spec.cover == Cover::kSingle) return distribution();
  // Both sheets hold the same lines, so their weights are added.
  const auto temperature = static_cast<float>(model_.spec.temperature);
  const CellShape shape = grid().shape();
  for (std::size_t i = 0; i < shape.count(); ++i) {
    const Cell cell = shape.cell(i);
    const float a = distribution().at(cell);
    const float b = distribution().at({shape.thetas + cell.t, shape.rhos - 1 - cell.r});
    single_[i] =
        std::max(a, b) + temperature * std::log1p(std::exp(-std::abs(a - b) / temperature));
  }
  return single();
}

Cell Stages::highest_peak() { return argmax(logits()); }

std::vector<Cell> Stages::peaks(double min_confidence) {
  const double least = std::log(min_confidence) - std::log1p(-min_confidence);
  return find_peaks(logits(), window_reach(grid().shape()), static_cast<float>(least + sheets()));
}

LineInFrame Stages::read_peak(Cell peak, double background) {
  const Cells<const float> values = logits();
  const auto height = static_cast<double>(values.at(peak));
  if (hard()) {
    const double above = height > 0.0 ? std::clamp(1.0 - background / height, 0.0, 1.0) : 0.0;
    return {grid().line(peak), above * probability_of(grid().shape().line(peak)), {}, dark_};
  }
  window_.resize(grid().cells());
  const Cells<float> window(window_.data(), grid().shape());
  const SoftReadout readout =
      read_window(values, model_.spec.temperature, peak, window_reach(values.shape()), window);
  const UnitLine found = line_from_embedding(readout.barycentre).line;
  const PixelLine line = pixel_from_unit(found, grid().frame());
  const double probability =
      model_.spec.several ? line_probability(height, sheets())
                          : line_probability(readout.log_sum, background) * probability_of(found);
  return {line, probability * within_cell_ * (*expected_score_)(window, line), {}, dark_};
}

double Stages::background_of_noise() {
  if (hard()) return static_cast<double>(logits().at(highest_peak()));
  // A thousand to one against a line: about one image of noise in a thousand seems to hold one.
  constexpr double kOdds = 1000.0;
  return veronese_.read(distribution(), model_.spec.temperature).log_sum + std::log(kOdds);
}

}  // namespace vsmax
