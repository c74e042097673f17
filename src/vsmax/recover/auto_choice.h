// SPDX-License-Identifier: Apache-2.0
// The model `auto`: several models answer for one image, and one answer is chosen.
#pragma once

#include <cstddef>
#include <vector>

#include "vsmax/recover/line_recoverer.h"
#include "vsmax/recover/trace.h"

namespace vsmax {

// What one model says.
struct Answer {
  const Model* model = nullptr;
  Recovery recovery;
  RecoveryTrace trace{};  // filled if it was asked for
};

// The lines of at least `least`, at most `most`, by falling confidence, and what was traced of
// them.
void keep_surest(double least, std::size_t most, std::vector<RecoveredLine>& lines,
                 std::vector<PixelLine>& traced);

// What to ask of a model: of several lines all, because a second opinion may change their order. A
// bound above one half is applied only to the chosen answer, so that it
// leaves out lines and changes no choice. One that reports several lines is asked for all it sees,
// because its weak lines still count as a second opinion.
LinesWanted wanted_from(const Model& model, const LinesWanted& wanted);

// Whether an answer is more likely right than wrong.
bool is_sure(const Recovery& recovery);

// How far the learned models can be relied on, in [0, 1] (Eq. 49): they see a small image enlarged,
// and take the smooth shapes that noise becomes for those of a photograph.
double trust_in_size(const ImageFrame& frame);

// The same, and they have seen no narrow images either.
double trust_in_shape(const ImageFrame& frame);

// The same for one line: in wide images, these models see lines along the long borders, where what
// is outside begins.
double trust_along_border(PixelLine line, const ImageFrame& frame);

// Limits the confidence of lines that only one model sees (Eq. 58), and puts the lines of every
// answer in their new order. Of models that report several lines, the weak lines are dropped, of
// all models those beyond `wanted`.
void corroborate(std::vector<Answer>& answers, const LinesWanted& wanted, const ImageFrame& frame);

// A fallback is asked where all others doubt. The better they could see, from 0 to 1, the less
// likely it is that the fallback is right (Eq. 58).
void discount_fallback(Answer& answer, const LinesWanted& wanted, double seen);

// The index of the answer to give; there is at least one.
std::size_t best_answer(const std::vector<Answer>& answers, const ImageFrame& frame);

}  // namespace vsmax
