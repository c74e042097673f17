// SPDX-License-Identifier: Apache-2.0
#include "vsmax/recover/line_recoverer.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "vsmax/base/error.h"
#include "vsmax/base/finite.h"
#include "vsmax/geometry/symmetric_eigen.h"
#include "vsmax/hough/hough.h"
#include "vsmax/readout/argmax.h"
#include "vsmax/readout/soft_argmax.h"
#include "vsmax/readout/veronese_soft_argmax.h"
#include "vsmax/recover/confidence.h"
#include "vsmax/refine/whiten.h"

namespace vsmax {

// The operators for one image size, and the memory they work in.
struct LineRecoverer::Stages {
  Stages(const Model& the_model, const ImageFrame& frame)
      : model(the_model),
        hough(model.grid_for(frame)),
        veronese(hough.grid(), model.cover),
        accumulator(hough.grid().cells()),
        distribution(veronese.cells()),
        single(hough.grid().cells()) {
    if (model.refinement == Refinement::kWhitening) whitening.emplace(hough);
  }

  const HoughGrid& grid() const { return hough.grid(); }

  void vote(const GrayImage& evidence) {
    hough.forward(evidence.pixels.data(), accumulator.data(), 1, hough_scratch);
    if (!all_finite(accumulator.data(), accumulator.size()))
      throw Error("the image's values are so large that their sums overflow");
  }

  // From the accumulator to logits, in `distribution`.
  void refine(const ImageStatistics& statistics) {
    const auto thetas = static_cast<std::size_t>(grid().thetas());
    const auto rhos = static_cast<std::size_t>(grid().rhos());
    single = accumulator;
    if (whitening) {
      whitening->apply(statistics, single.data());
      for (float& z : single) {  // Eq. 24
        const float excess = std::max(z, 0.0F);
        z = 0.5F * excess * excess;
      }
    }
    if (model.cover == Cover::kDouble)
      double_cover(single.data(), thetas, rhos, distribution.data());
    else
      std::copy(single.begin(), single.end(), distribution.begin());
    if (model.net)
      model.net->forward(distribution.data(), model.cover, veronese.rows(), rhos, model.scale,
                         distribution.data(), net_scratch);
  }

  // Line and confidence in the working frame.
  std::pair<PolarLine, double> read_out() {
    if (model.readout == Readout::kArgmax) {
      const float* values = on_single_cover();
      const Cell peak = argmax(grid(), values);
      return {grid().line(peak), peak_confidence(grid(), values, peak)};
    }
    const SoftReadout readout =
        veronese.read(distribution.data(), model.temperature, distribution.data());
    if (std::isnan(readout.log_sum)) throw Error("a logit is not finite");
    const auto eigen = symmetric_eigen(symmetric_from_veronese<3>(readout.barycentre));
    PolarLine line = polar_from_line(eigen.leading());
    if (model.readout == Readout::kSoftArgmax) {
      const PolarMean mean = soft_argmax(grid(), on_single_cover());
      line = {mean[0], mean[1]};
    }
    line.rho *= grid().frame().half_diagonal();
    if (!std::isfinite(line.rho)) return {line, 0.0};
    return {line, distribution_confidence(grid(), on_single_cover(), eigen.gap(), line)};
  }

  const float* on_single_cover() {
    if (model.cover == Cover::kSingle) return distribution.data();
    fold_double_cover(distribution.data(), static_cast<std::size_t>(grid().thetas()),
                      static_cast<std::size_t>(grid().rhos()), single.data());
    return single.data();
  }

  const Model& model;
  HoughTransform hough;
  VeroneseSoftArgmax veronese;
  std::optional<Whitening> whitening;
  std::vector<float> accumulator;
  std::vector<float> distribution;  // logits, then probabilities, on the model's cover
  std::vector<float> single;        // on the single cover, before or after
  HoughScratch hough_scratch;
  RefineNet::Scratch net_scratch;
};

LineRecoverer::LineRecoverer(Model model, int threads)
    : model_(std::make_shared<const Model>(std::move(model))), threads_(threads) {}
LineRecoverer::LineRecoverer(const LineRecoverer& other)
    : model_(other.model_), threads_(other.threads_) {}
LineRecoverer::LineRecoverer(LineRecoverer&&) noexcept = default;
LineRecoverer& LineRecoverer::operator=(LineRecoverer&&) noexcept = default;
LineRecoverer::~LineRecoverer() = default;

LineRecoverer::Stages& LineRecoverer::stages_for(const ImageFrame& frame) {
  if (!stages_ || !(stages_->grid().frame() == frame))
    stages_ = std::make_unique<Stages>(*model_, frame);
  stages_->net_scratch.threads = threads_;
  return *stages_;
}

Recovery LineRecoverer::operator()(const GrayImage& image, RecoveryTrace* trace) {
  require_extent(image);
  require_finite(image);
  const ImageFrame frame{image.width, image.height};
  const bool moved = model_->grid && !(model_->grid->frame() == frame);
  const PlacedImage* placed = moved ? &placer_(image, model_->grid->frame()) : nullptr;
  const GrayImage& evidence = moved ? placed->image : image;
  Stages& stages = stages_for({evidence.width, evidence.height});

  const ImageStatistics statistics = image_statistics(image.pixels.data(), image.pixels.size());
  stages.vote(evidence);
  if (trace != nullptr) {
    *trace = {evidence,
              stages.grid(),
              stages.accumulator,
              std::vector<float>(stages.grid().cells(), 0.0F),
              {}};
  }
  if (statistics.deviation == 0.0) return {};  // a constant image holds no line

  stages.refine(statistics);
  const auto [line, confidence] = stages.read_out();
  if (trace != nullptr) {
    trace->line = line;
    const float* shown = stages.on_single_cover();
    trace->probabilities.assign(shown, shown + stages.grid().cells());
  }
  const Placement placement = moved ? placed->placement : Placement{};
  const PolarLine original = placement.to_original(line);
  // Beyond the corners, and at infinity even more so, a line crosses no image.
  if (!(std::abs(original.rho) <= frame.half_diagonal())) return {};
  return {{{original, confidence, visible_segment(original, frame)}}};
}

}  // namespace vsmax
