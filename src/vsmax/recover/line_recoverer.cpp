// SPDX-License-Identifier: Apache-2.0
#include "vsmax/recover/line_recoverer.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "vsmax/evidence/evidence.h"
#include "vsmax/evidence/learned_evidence.h"
#include "vsmax/recover/several_lines.h"
#include "vsmax/recover/stages.h"
#include "vsmax/recover/trace.h"

namespace vsmax {
namespace {

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
  EvidenceStage prepare;
  LearnedEvidence learn;
  SeveralLines read_several;
  std::optional<Stages> stages;

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

Recovery LineRecoverer::operator()(const ImageView& image, const LinesWanted& wanted,
                                   RecoveryTrace* trace) {
  const Evidence evidence =
      model_->front ? state_->learn(image, *model_->front, *model_->spec.frame, threads_)
                    : state_->prepare(image, model_->spec.frame);
  Stages& stages = state_->stages_for(*model_, evidence.frame);

  const ImageStatistics statistics = image_statistics(evidence.image);
  const bool one = wanted.most == 1 && !model_->spec.several;
  const bool whole = one || trace != nullptr;  // whether to read the whole distribution
  if (whole) stages.vote(evidence.pixels);
  if (trace != nullptr) *trace = trace_of_votes(evidence, stages);
  if (statistics.deviation == 0.0) return {};  // a constant image holds no line

  Recovery recovery;
  const auto keep = [&](const LineInFrame& found) {
    const PixelLine line = evidence.placement.image_from_work(found.line);
    // A line beyond the corners, let alone at infinity, does not cross the image.
    if (!(std::abs(line.rho) <= image.frame().half_diagonal())) return;
    if (!(found.confidence >= wanted.min_confidence)) return;
    recovery.lines.push_back({line, found.confidence, visible_segment(line, image.frame())});
    if (trace != nullptr) trace->lines.push_back(found.line);
  };
  if (whole) {
    stages.refine(statistics, threads_);
    const LineInFrame found = stages.read_out();
    if (trace != nullptr) {
      const Cells<const float> shown = stages.on_single_cover();
      trace->probabilities.assign(shown.begin(), shown.end());
    }
    if (one) keep(found);
  }
  if (!one)
    for (const LineInFrame& found :
         state_->read_several(*model_, stages, evidence, statistics, wanted, threads_))
      keep(found);
  return recovery;
}

}  // namespace vsmax
