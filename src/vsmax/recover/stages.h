// SPDX-License-Identifier: Apache-2.0
// The stages from the evidence to a line for one image size, and the memory they work in. Internal
// to LineRecoverer, which calls them in order.
#pragma once

#include <numbers>
#include <optional>
#include <span>
#include <vector>

#include "vsmax/evidence/evidence.h"
#include "vsmax/geometry/line_spread.h"
#include "vsmax/hough/hough.h"
#include "vsmax/hough/oriented_hough.h"
#include "vsmax/readout/veronese_soft_argmax.h"
#include "vsmax/recover/confidence.h"
#include "vsmax/recover/model.h"
#include "vsmax/refine/refine_net.h"
#include "vsmax/refine/whiten.h"

namespace vsmax {

struct LineInFrame {
  PixelLine line;  // in the working frame
  double confidence = 0.0;
  std::optional<LineSpread> spread{};  // where it is known
  bool dark = false;                   // on bright ground
};

class Stages {
 public:
  Stages(const Model& model, const ImageFrame& frame);

  const HoughGrid& grid() const { return grid_; }
  const std::vector<float>& accumulator() const { return accumulator_; }

  // Evidence::clear_edge, before voting.
  void set_clear_edge(float strength) { clear_edge_ = strength; }

  // From the evidence to the accumulator: a model of edges uses the gradients, any other the
  // pixels. `seen`: Evidence::seen. Throws Error if a sum overflows.
  void vote(std::span<const float> pixels, std::span<const Gradient> gradients,
            std::span<const float> seen);

  // From the accumulator to logits on the model's cover.
  void refine(const ImageStatistics& statistics, int threads);
  // Whether refine() has negated the scores, because the clearest line is dark.
  bool dark() const { return dark_; }

  // From logits to the one line; soft readouts turn the logits into probabilities.
  LineInFrame read_out();
  // After read_out(): the probabilities, or the values that the hard readout chose from.
  Cells<const float> on_single_cover();

  // For several lines, instead of read_out(). The logits are left unchanged.
  //
  // The cell with the highest logit, and all peaks whose line could reach this confidence.
  Cell highest_peak();
  std::vector<Cell> peaks(double min_confidence);
  // The line of a peak, by VSmax in the window around it (Eq. 34). The confidence compares the
  // window's weight with `background`, except for a model of several lines, which uses the peak's
  // own logit (Eq. 35).
  LineInFrame read_peak(Cell peak, double background);
  // The background for read_peak. The logits must be those of an image without a line.
  double background_of_noise();

 private:
  void whiten(const ImageStatistics& statistics);
  // The probability that a peak is a line and not chance (Eq. 37, 47, 48). It is 1 with learned
  // evidence, which has already judged.
  double probability_of(UnitLine line);
  bool hard() const { return model_.spec.readout == Readout::kArgmax; }
  Cells<const float> logits();  // on the single cover; the sheets of a double one are added
  // What adding two equal sheets contributes to a logit.
  double sheets() const {
    return model_.spec.cover == Cover::kDouble ? model_.spec.temperature * std::numbers::ln2 : 0.0;
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
  std::optional<ExpectedScore> expected_score_;  // unless the readout is hard
  double within_cell_ = 1.0;                     // for learned evidence: the limit of Eq. 49
  std::span<const float> pixels_;                // where the lines must be seen
  bool even_ground_ = false;                     // whether other pixels voted
  std::span<const Gradient> gradients_;
  float clear_edge_ = 0.0F;
  bool dark_ = false;  // whether the scores are negated
  std::vector<float> accumulator_;
  std::vector<float> squares_;       // sums of the edges' squared votes
  std::vector<float> scores_;        // the whitened accumulator; positive for what is looked for
  std::vector<float> distribution_;  // logits, then probabilities, on the model's cover
  std::vector<float> single_;        // the same on the single cover
  std::vector<float> window_;        // probabilities around a peak, where several lines are wanted
  HoughScratch hough_scratch_;
  RefineNet::Scratch net_scratch_;
};

}  // namespace vsmax
