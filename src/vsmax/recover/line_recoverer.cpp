// SPDX-License-Identifier: Apache-2.0
#include "vsmax/recover/line_recoverer.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <utility>

#include "vsmax/base/error.h"
#include "vsmax/evidence/drawing.h"
#include "vsmax/evidence/edge_evidence.h"
#include "vsmax/evidence/even_ground.h"
#include "vsmax/evidence/evidence.h"
#include "vsmax/evidence/learned_evidence.h"
#include "vsmax/recover/auto_choice.h"
#include "vsmax/recover/drawn_lines.h"
#include "vsmax/recover/edge_refinement.h"
#include "vsmax/recover/ridge_refinement.h"
#include "vsmax/recover/several_lines.h"
#include "vsmax/recover/stages.h"
#include "vsmax/recover/thin_lines.h"
#include "vsmax/recover/trace.h"

namespace vsmax {
namespace {

// How much of a line must follow an edge before it is moved onto it. Learned lines are edges of the
// whole scene, those of `edges` may be sides of a shape.
constexpr double kShareOfEdge = 0.5;
constexpr double kShareOfSide = 0.3;

constexpr double kPlain = 0.5;  // the confidence of a line that is plain to see

std::optional<double> even_reduction(const Placement& placement) {
  constexpr double kRounding = 0.02;
  const double uneven = std::abs(placement.scale_x / placement.scale_y - 1.0);
  return uneven < kRounding ? std::optional(placement.reduction()) : std::nullopt;
}

RecoveryTrace trace_of_votes(const Evidence& evidence, const Stages& stages) {
  RecoveryTrace trace{GrayImage(evidence.frame),
                      stages.grid(),
                      stages.accumulator(),
                      std::vector<float>(stages.grid().cells(), 0.0F),
                      {},
                      even_reduction(evidence.placement)};
  std::copy(evidence.pixels.begin(), evidence.pixels.end(), trace.evidence.pixels.begin());
  return trace;
}

void require_sensible(const LinesWanted& wanted) {
  if (wanted.most < 1)
    throw Error("LinesWanted::most is " + std::to_string(wanted.most) + ", not at least 1");
  if (!(wanted.min_confidence >= 0.0 && wanted.min_confidence <= 1.0))
    throw Error("LinesWanted::min_confidence is " + std::to_string(wanted.min_confidence) +
                ", not from 0 to 1");
}

}  // namespace

struct LineRecoverer::State {
  EvidenceStage intensity;
  EvenGround even_ground;
  EdgeEvidence edges;
  LearnedEvidence learned;
  EdgeRefinement onto_edge;
  RidgeRefinement onto_ridge;
  SeveralLines read_several;
  DrawnLines drawn_lines;
  ThinLines thin_lines;
  std::optional<Stages> stages;
  std::vector<LineRecoverer> candidates;

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

Recovery LineRecoverer::operator()(const ImageView& image, const LinesWanted& wanted,
                                   RecoveryTrace* trace) {
  require_extent(image.frame());
  require_sensible(wanted);
  if (!model_->candidates.empty()) return choose(image, wanted, trace);
  return {run_stages(image, wanted, trace), model_->name};
}

std::vector<RecoveredLine> LineRecoverer::run_stages(const ImageView& image,
                                                     const LinesWanted& wanted,
                                                     RecoveryTrace* trace) {
  const Evidence evidence = state_->evidence_of(image, *model_, threads_);
  if (model_->spec.refinement != Refinement::kPosterior || !looks_twice_)
    return run_stages(image, evidence, wanted, trace);

  // Uneven ground may hide lines that are plain to see. What a second look adds does not depend on
  // the wish, so that min_confidence only decides which lines are left out.
  const LinesWanted plain{wanted.most, std::min(wanted.min_confidence, kPlain)};
  std::vector<RecoveredLine> lines = run_stages(image, evidence, plain, trace);
  const auto is_plain = [](const RecoveredLine& line) { return line.confidence >= kPlain; };
  const bool one_is_enough = wanted.most == 1 && std::any_of(lines.begin(), lines.end(), is_plain);
  if (!one_is_enough) look_again(image, evidence, plain, lines, trace);
  std::vector<PixelLine> none;
  keep_surest(wanted.min_confidence, static_cast<std::size_t>(wanted.most), lines,
              trace != nullptr ? trace->lines : none);
  return lines;
}

void LineRecoverer::look_again(const ImageView& image, const Evidence& evidence,
                               const LinesWanted& wanted, std::vector<RecoveredLine>& lines,
                               RecoveryTrace* trace) {
  const auto even = state_->even_ground(evidence);
  if (!even) return;
  RecoveryTrace second;
  const auto more = run_stages(image, *even, wanted, trace == nullptr ? nullptr : &second);
  const double apart = merge_distance(state_->stages->grid());
  for (std::size_t i = 0; i < more.size(); ++i) {
    const bool known = std::any_of(lines.begin(), lines.end(), [&](const RecoveredLine& line) {
      return line.confidence >= kPlain &&
             closer_than(apart, line.line, more[i].line, image.frame());
    });
    if (known || more[i].confidence < kPlain) continue;
    lines.push_back(more[i]);
    if (trace != nullptr) trace->lines.push_back(second.lines[i]);
  }
}

std::vector<RecoveredLine> LineRecoverer::run_stages(const ImageView& image,
                                                     const Evidence& evidence,
                                                     const LinesWanted& wanted,
                                                     RecoveryTrace* trace) {
  Stages& stages = state_->stages_for(*model_, evidence.frame);
  stages.set_clear_edge(evidence.clear_edge);

  const ImageStatistics statistics = image_statistics(evidence.image);
  // A front end that was trained with one line per image has nothing to say about others.
  const bool one = !model_->spec.several && (wanted.most == 1 || model_->front);
  const bool thin = model_->spec.refinement == Refinement::kPosterior;
  const bool posterior = thin && evidence.seen.empty();  // it needs the pixels as they were
  const bool whole = one || thin || trace != nullptr;    // whether to read the whole distribution
  if (whole) stages.vote(evidence.pixels, evidence.gradients, evidence.seen);
  if (trace != nullptr) *trace = trace_of_votes(evidence, stages);
  if (statistics.deviation == 0.0) return {};  // a constant image holds no line

  std::vector<RecoveredLine> lines;
  const bool edges = model_->spec.evidence == EvidenceKind::kEdges;
  const double trust = model_->front ? trust_in_shape(image.frame()) : 1.0;
  const auto keep = [&](const LineInFrame& found) {
    PixelLine line = evidence.placement.image_from_work(found.line);
    // A line beyond the corners, let alone at infinity, does not cross the image.
    if (!(std::abs(line.rho) <= image.frame().half_diagonal())) return;
    double confidence = found.confidence * trust;
    if (model_->front) confidence *= trust_along_border(line, image.frame());
    if (!(confidence >= wanted.min_confidence)) return;
    if (model_->front || edges || (thin && !found.spread)) {
      line = thin ? state_->onto_ridge(image, line, found.dark, reach_of_line(stages.grid()))
                  : state_->onto_edge(image, line, evidence.placement.reduction(),
                                      edges ? kShareOfSide : kShareOfEdge);
      // Two lines may have moved onto one.
      for (const RecoveredLine& other : lines)
        if (closer_than(merge_distance(stages.grid()), line, other.line, image.frame())) return;
    }
    line.rho += 0.0;  // no -0.0, which means the same and looks odd wherever it is printed
    lines.push_back({line, confidence, visible_segment(line, image.frame()), found.spread});
    if (trace != nullptr) trace->lines.push_back(found.line);
  };
  std::optional<LineInFrame> first;  // from the posterior
  if (whole) {
    stages.refine(statistics, threads_);
    LineInFrame found = stages.read_out();
    if (posterior) {
      const bool either = model_->spec.polarity == Polarity::kAuto;
      first = state_->thin_lines.find(evidence, found.line, reach_of_line(stages.grid()),
                                      either ? std::optional(stages.dark()) : std::nullopt);
    }
    if (first) found = *first;
    if (trace != nullptr) {
      const Cells<const float> shown = stages.on_single_cover();
      trace->probabilities.assign(shown.begin(), shown.end());
    }
    if (one) keep(found);
  }
  if (!one) {
    if (edges && is_drawing(image)) {
      const Evidence full = state_->intensity(image, std::nullopt);
      for (const DrawnLine& found : state_->drawn_lines(stages, evidence, statistics, full.pixels,
                                                        image.frame(), threads_)) {
        lines.push_back({found.line, found.confidence, visible_segment(found.line, image.frame())});
        if (trace != nullptr) trace->lines.push_back(found.in_frame);
      }
    } else {
      auto all =
          state_->read_several(*model_, stages, evidence, statistics, wanted, first, threads_);
      // Not the uncertain ones, so that min_confidence moves no line: the noise beside all of these
      // lines decides whether the posterior holds.
      const auto certain = std::count_if(
          all.begin(), all.end(), [](const auto& line) { return line.confidence >= kPlain; });
      if (posterior)
        state_->thin_lines.refine(evidence, reach_of_line(stages.grid()),
                                  std::span(all).first(static_cast<std::size_t>(certain)));
      for (const LineInFrame& found : all) keep(found);
    }
    std::vector<PixelLine> none;
    keep_surest(wanted.min_confidence, static_cast<std::size_t>(wanted.most), lines,
                trace != nullptr ? trace->lines : none);
  }
  return lines;
}

Recovery LineRecoverer::choose(const ImageView& image, const LinesWanted& wanted,
                               RecoveryTrace* trace) {
  auto& recoverers = state_->candidates;
  if (recoverers.empty()) {
    for (const Model& model : model_->candidates) recoverers.emplace_back(model);
    for (const Model& model : model_->fallbacks) recoverers.emplace_back(model);
  }
  std::vector<Answer> answers;
  const auto ask = [&](LineRecoverer& recover, bool twice) {
    recover.use_threads(threads_);
    recover.looks_twice_ = twice;
    Answer& answer = answers.emplace_back();
    answer.model = &recover.model();
    answer.recovery = recover(image, wanted_from(recover.model(), wanted),
                              trace == nullptr ? nullptr : &answer.trace);
  };
  const std::span all(recoverers);
  // The learned models have seen photographs only.
  const bool drawn = is_drawing(image);
  const auto candidates = all.first(model_->candidates.size());
  for (LineRecoverer& recover : candidates)
    if (!drawn || !recover.model().front) ask(recover, false);
  corroborate(answers, wanted, image.frame());
  std::size_t best = best_answer(answers, image.frame());
  if (!is_sure(answers[best].recovery, drawn, wanted)) {
    for (LineRecoverer& recover : candidates)
      if (!drawn && recover.model().spec.refinement == Refinement::kPosterior) ask(recover, true);
    corroborate(answers, wanted, image.frame());
    for (LineRecoverer& recover : all.subspan(candidates.size())) {
      ask(recover, false);
      discount_fallback(answers.back(), wanted, drawn ? 0.0 : trust_in_size(image.frame()));
    }
    best = best_answer(answers, image.frame());
    // The edges of a drawing are exact and include its thin lines (Eq. 62).
    const Answer& last = answers.back();
    if (drawn && wanted.most > 1 && last.model->spec.evidence == EvidenceKind::kEdges &&
        !last.recovery.lines.empty())
      best = answers.size() - 1;
  }
  Answer& chosen = answers[best];
  std::erase_if(chosen.recovery.lines, [&](const RecoveredLine& line) {
    return !(line.confidence >= wanted.min_confidence);
  });
  if (trace != nullptr) {
    *trace = std::move(chosen.trace);
    trace->lines.resize(chosen.recovery.lines.size());  // the rest was dropped
  }
  return std::move(chosen.recovery);
}

}  // namespace vsmax
