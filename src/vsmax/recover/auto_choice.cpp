// SPDX-License-Identifier: Apache-2.0
#include "vsmax/recover/auto_choice.h"

#include <algorithm>

#include "vsmax/geometry/ea_score.h"

namespace vsmax {
namespace {

constexpr double kSure = 0.5;   // more likely right than wrong
constexpr double kSame = 0.85;  // the EA-score from which two lines are the same

// Below any confidence, for an answer without a line.
double confidence_of(const Recovery& recovery) {
  return recovery.lines.empty() ? -1.0 : recovery.lines.front().confidence;
}

void drop_below(double least, std::vector<RecoveredLine>& lines) {
  std::erase_if(lines, [&](const RecoveredLine& line) { return !(line.confidence >= least); });
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

// Whether one answer has several lines, and the only line of the other among them.
bool extends(const Recovery& several, const Recovery& single, const ImageFrame& frame) {
  if (several.lines.size() < 2 || single.lines.size() != 1) return false;
  return std::any_of(several.lines.begin(), several.lines.end(), [&](const RecoveredLine& line) {
    return ea_score(line.line, single.lines[0].line, frame) >= kSame;
  });
}

// Whether `answer`, of a later model, replaces `best`.
bool replaces(const Answer& answer, const Answer& best, const ImageFrame& frame) {
  const bool thin = !best.model->front && confidence_of(best.recovery) >= 0.0;
  // Where the noise is white, a thin line is known exactly, and it and all others are reported.
  // Elsewhere the image is a photograph, and those who have learned what is in one have the say.
  constexpr double kMargin = 0.01;
  constexpr double kPhotograph = 0.05;
  const bool photograph = thin && answer.model->front && !best.recovery.lines.front().spread &&
                          !agree(answer.recovery, best.recovery, frame);
  const double margin = photograph ? -kPhotograph : kMargin;
  if (confidence_of(answer.recovery) > confidence_of(best.recovery) + margin) return true;
  // A model of horizons knows one line only; default knows all thin ones.
  return best.model->front && extends(answer.recovery, best.recovery, frame);
}

}  // namespace

LinesWanted wanted_from(const Model& model, const LinesWanted& wanted) {
  constexpr double kSeen = 0.05;
  if (!model.spec.several) return {wanted.most, std::min(wanted.min_confidence, kSure)};
  return {std::max(wanted.most, LinesWanted::kAuto), std::min(wanted.min_confidence, kSeen)};
}

bool is_sure(const Recovery& recovery) { return confidence_of(recovery) >= kSure; }

double trust_in_size(const ImageFrame& frame) {
  constexpr double kLeast = 32.0;
  constexpr double kEnough = 64.0;
  const double side = std::min(frame.width, frame.height);
  return std::clamp((side - kLeast) / (kEnough - kLeast), 0.0, 1.0);
}

void corroborate(std::vector<Answer>& answers, const LinesWanted& wanted, const ImageFrame& frame) {
  constexpr double kAlone = 0.7;   // the most that one model is believed by itself
  constexpr double kEnough = 0.5;  // of a second opinion
  const bool asked = std::any_of(answers.begin(), answers.end(),
                                 [](const Answer& answer) { return answer.model->spec.several; });
  const double trust = asked ? trust_in_size(frame) : 0.0;
  for (Answer& answer : answers)
    for (RecoveredLine& line : answer.recovery.lines) {
      if (!needs_opinion(*answer.model, line)) continue;
      const double seen = std::min(1.0, second_opinion(answers, line.line, frame) / kEnough);
      line.confidence = std::min(line.confidence, 1.0 - trust * (1.0 - kAlone) * (1.0 - seen));
    }
  for (Answer& answer : answers) {
    auto& lines = answer.recovery.lines;
    // In photographs the weak peaks of such a model are hardly ever lines, and textures have many.
    drop_below(answer.model->spec.several ? kSure : std::min(wanted.min_confidence, kSure), lines);
    if (lines.size() > static_cast<std::size_t>(wanted.most))
      lines.erase(lines.begin() + wanted.most, lines.end());
  }
}

void discount_fallback(Answer& answer, const LinesWanted& wanted, const ImageFrame& frame) {
  constexpr double kDoubted = 0.45;  // what is left if the others saw the image well
  const double factor = 1.0 - (1.0 - kDoubted) * trust_in_size(frame);
  for (RecoveredLine& line : answer.recovery.lines) line.confidence *= factor;
  drop_below(std::min(wanted.min_confidence, kSure), answer.recovery.lines);
}

std::size_t best_answer(const std::vector<Answer>& answers, const ImageFrame& frame) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < answers.size(); ++i)
    if (replaces(answers[i], answers[best], frame)) best = i;
  return best;
}

}  // namespace vsmax
