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
};

class Stages {
 public:
  Stages(const Model& model, const ImageFrame& frame);

  const HoughGrid& grid() const { return grid_; }
  const std::vector<float>& accumulator() const { return accumulator_; }

  // From the evidence to the accumulator: that of edges for a model of edges, that of pixels for
  // any other. Throws Error where a sum overflows.
  void vote(std::span<const float> pixels, std::span<const Gradient> gradients);

  // From the accumulator to logits on the model's cover.
  void refine(const ImageStatistics& statistics, int threads);
  // Whether the model then looks for a dark line.
  bool dark() const { return dark_; }

  // From logits to the one line; soft readouts turn the logits into probabilities.
  LineInFrame read_out();
  // The probabilities then, or what the hard readout chose from.
  Cells<const float> on_single_cover();

  // Several lines, instead of read_out. The logits stay as they are.
  //
  // The cell with the highest logit, and all peaks whose line could reach this confidence.
  Cell highest_peak();
  std::vector<Cell> peaks(double min_confidence);
  // The line of a peak, by VSmax in the window around it (Eq. 34). The confidence compares the
  // window's weight with `background`; a model of several lines knows the probability itself.
  LineInFrame read_peak(Cell peak, double background);
  // The background for read_peak, if the logits are those of an image without a line.
  double background_of_noise();

 private:
  void whiten(const ImageStatistics& statistics);
  // That a line was found and not a chance peak (Eq. 37, 47, 48), where the image can tell. Learned
  // evidence has already judged.
  double probability_of(UnitLine line);
  bool hard() const { return model_.spec.readout == Readout::kArgmax; }
  Cells<const float> logits();  // on the single cover, where those of both sheets are added
  // What the addition alone contributes to a logit.
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
  double within_cell_ = 1.0;                     // of learned models, whose posterior has no tails
  std::span<const float> pixels_;                // voted on last
  bool dark_ = false;                            // whether the scores were turned
  std::vector<float> accumulator_;
  std::vector<float> squares_;       // of the votes of edges
  std::vector<float> scores_;        // the accumulator whitened; positive for what is looked for
  std::vector<float> distribution_;  // logits, then probabilities, on the model's cover
  std::vector<float> single_;        // on the single cover, before or after
  std::vector<float> window_;        // probabilities around a peak, where several lines are wanted
  HoughScratch hough_scratch_;
  RefineNet::Scratch net_scratch_;
};

}  // namespace vsmax
