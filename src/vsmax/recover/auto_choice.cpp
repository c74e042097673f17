// SPDX-License-Identifier: Apache-2.0
#include "vsmax/recover/auto_choice.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "vsmax/geometry/ea_score.h"

namespace vsmax {
namespace {

constexpr double kSure = 0.5;   // more likely right than wrong
constexpr double kSame = 0.85;  // lines with at least this EA-score count as the same

// That of the first line; for an answer without a line, a value below any confidence.
double confidence_of(const Recovery& recovery) {
  return recovery.lines.empty() ? -1.0 : recovery.lines.front().confidence;
}

// Rises linearly from 0 at `from` to 1 at `to`.
double rise(double value, double from, double to) {
  return std::clamp((value - from) / (to - from), 0.0, 1.0);
}

double wide(const ImageFrame& frame) { return static_cast<double>(frame.width) / frame.height; }

void arrange(double least, const LinesWanted& wanted, Answer& answer) {
  keep_surest(least, static_cast<std::size_t>(wanted.most), answer.recovery.lines,
              answer.trace.lines);
}

// Whether the line needs a second opinion: the only line that a model knows, or a thin line in
// noise that is not white.
bool needs_opinion(const Model& model, const RecoveredLine& line) {
  return !model.spec.several && !line.spread;
}

// How sure the models that report several lines are of this one.
double second_opinion(const std::vector<Answer>& answers, PixelLine line, const ImageFrame& frame) {
  double surest = 0.0;
  for (const Answer& answer : answers)
    if (answer.model->spec.several)
      for (const RecoveredLine& other : answer.recovery.lines)
        if (ea_score(other.line, line, frame) >= kSame) surest = std::max(surest, other.confidence);
  return surest;
}

bool agree(const Recovery& one, const Recovery& other, const ImageFrame& frame) {
  return !one.lines.empty() && !other.lines.empty() &&
         ea_score(one.lines[0].line, other.lines[0].line, frame) >= kSame;
}

// Whether `several` holds several lines, and the only line of `single` is among them.
bool extends(const Recovery& several, const Recovery& single, const ImageFrame& frame) {
  if (several.lines.size() < 2 || single.lines.size() != 1) return false;
  return std::any_of(several.lines.begin(), several.lines.end(), [&](const RecoveredLine& line) {
    return ea_score(line.line, single.lines[0].line, frame) >= kSame;
  });
}

// Whether `answer`, of a later model, replaces `best`.
bool replaces(const Answer& answer, const Answer& best, const ImageFrame& frame) {
  const bool thin = !best.model->front && confidence_of(best.recovery) >= 0.0;
  // Where the noise is white, thin lines are known exactly, and all of them are reported. Elsewhere
  // the image is a photograph, and the models that were trained on such images take precedence.
  constexpr double kMargin = 0.01;
  constexpr double kPhotograph = 0.05;
  const bool photograph = thin && answer.model->front && !best.recovery.lines.front().spread &&
                          !agree(answer.recovery, best.recovery, frame);
  const double margin = photograph ? -kPhotograph : kMargin;
  if (confidence_of(answer.recovery) > confidence_of(best.recovery) + margin) return true;
  // A model of horizons finds one line only; if another finds it among several, take them all.
  return best.model->front && extends(answer.recovery, best.recovery, frame);
}

}  // namespace

void keep_surest(double least, std::size_t most, std::vector<RecoveredLine>& lines,
                 std::vector<PixelLine>& traced) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < lines.size(); ++i)
    if (lines[i].confidence >= least) order.push_back(i);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t one, std::size_t other) {
    return lines[one].confidence > lines[other].confidence;
  });
  order.resize(std::min(order.size(), most));
  const auto choose = [&](const auto& all) {
    std::decay_t<decltype(all)> chosen;
    for (const std::size_t i : order) chosen.push_back(all[i]);
    return chosen;
  };
  if (traced.size() == lines.size()) traced = choose(traced);
  lines = choose(lines);
}

LinesWanted wanted_from(const Model& model, const LinesWanted& wanted) {
  constexpr double kSeen = 0.05;
  if (!model.spec.several)
    return {wanted.most == 1 ? 1 : std::max(wanted.most, LinesWanted::kAuto),
            std::min(wanted.min_confidence, kSure)};
  return {std::max(wanted.most, LinesWanted::kAuto), std::min(wanted.min_confidence, kSeen)};
}

bool is_sure(const Recovery& recovery, bool drawn, const LinesWanted& wanted) {
  constexpr double kCertain = 0.95;
  if (!drawn) return confidence_of(recovery) >= kSure;
  return confidence_of(recovery) >= kCertain &&
         (wanted.most == 1 ||
          std::all_of(recovery.lines.begin(), recovery.lines.end(),
                      [](const RecoveredLine& line) { return line.spread.has_value(); }));
}

double trust_in_size(const ImageFrame& frame) {
  return rise(std::min(frame.width, frame.height), 32.0, 64.0);
}

double trust_in_shape(const ImageFrame& frame) {
  return trust_in_size(frame) * (1.0 - rise(wide(frame), 10.0, 14.0)) *
         (1.0 - rise(1.0 / wide(frame), 2.5, 3.5));
}

double trust_along_border(PixelLine line, const ImageFrame& frame) {
  const auto visible = visible_segment(line, frame);
  if (!visible) return 1.0;
  // Share of the height between a border and the end that is farther from it: y runs from -0.5 to
  // 0.5 of the height, downwards.
  const auto [top, bottom] = std::minmax(visible->begin[1], visible->end[1]);
  const double inside = 0.5 + std::min(bottom, -top) / frame.height;
  return 1.0 - rise(wide(frame), 2.5, 3.5) * (1.0 - rise(inside, 0.06, 0.09));
}

void corroborate(std::vector<Answer>& answers, const LinesWanted& wanted, const ImageFrame& frame) {
  constexpr double kAlone = 0.7;   // highest confidence without a second opinion
  constexpr double kEnough = 0.5;  // confidence of a second opinion that lifts the limit
  const bool asked = std::any_of(answers.begin(), answers.end(),
                                 [](const Answer& answer) { return answer.model->spec.several; });
  const double trust = asked ? trust_in_shape(frame) : 0.0;
  for (Answer& answer : answers)
    for (RecoveredLine& line : answer.recovery.lines) {
      if (!needs_opinion(*answer.model, line)) continue;
      const double seen = std::min(1.0, second_opinion(answers, line.line, frame) / kEnough);
      line.confidence = std::min(line.confidence, 1.0 - trust * (1.0 - kAlone) * (1.0 - seen));
    }
  // In photographs, weak peaks of a model that reports several lines are hardly ever lines, and
  // textures have many of them.
  for (Answer& answer : answers)
    arrange(answer.model->spec.several ? kSure : std::min(wanted.min_confidence, kSure), wanted,
            answer);
}

void discount_fallback(Answer& answer, const LinesWanted& wanted, double seen) {
  constexpr double kDoubted = 0.45;  // what is left if the others saw the image well
  const double factor = 1.0 - (1.0 - kDoubted) * seen;
  for (RecoveredLine& line : answer.recovery.lines) line.confidence *= factor;
  arrange(std::min(wanted.min_confidence, kSure), wanted, answer);
}

std::size_t best_answer(const std::vector<Answer>& answers, const ImageFrame& frame) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < answers.size(); ++i)
    if (replaces(answers[i], answers[best], frame)) best = i;
  return best;
}

}  // namespace vsmax
