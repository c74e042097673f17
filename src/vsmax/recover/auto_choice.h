// SPDX-License-Identifier: Apache-2.0
// The model `auto`: several models answer for one image, and one answer is chosen.
#pragma once

#include <cstddef>
#include <vector>

#include "vsmax/recover/line_recoverer.h"
#include "vsmax/recover/trace.h"

namespace vsmax {

// The answer of one model.
struct Answer {
  const Model* model = nullptr;
  Recovery recovery;
  RecoveryTrace trace{};  // filled if it was asked for
};

// Keeps the `most` most confident of the lines of at least `least`, by falling confidence. `traced`
// is filtered in the same way if it has one entry per line.
void keep_surest(double least, std::size_t most, std::vector<RecoveredLine>& lines,
                 std::vector<PixelLine>& traced);

// What to ask a model for. If several lines are wanted, all of them, because a second opinion may
// change their order. A bound above one half is applied only to the chosen answer, so that it
// leaves out lines without changing the choice. A model that reports several lines is asked for its
// weak ones as well, because they count as second opinions.
LinesWanted wanted_from(const Model& model, const LinesWanted& wanted);

// Whether an answer needs no other: it is more likely right than wrong or, in a drawing, where
// `edges` is reliable, all but certain. Of several lines, all must be those of the posterior: any
// other may zigzag through text.
bool is_sure(const Recovery& recovery, bool drawn, const LinesWanted& wanted);

// How far the learned models can be trusted, in [0, 1] (Eq. 49): they see a small image enlarged,
// and mistake its blurred noise for the shapes of a photograph.
double trust_in_size(const ImageFrame& frame);

// The same, but lower for very wide and very tall images, which they have not seen either.
double trust_in_shape(const ImageFrame& frame);

// The same for one line: in wide images, these models take the long borders for lines.
double trust_along_border(PixelLine line, const ImageFrame& frame);

// Limits the confidence of lines that only one model sees (Eq. 58). Then sorts the lines of every
// answer again and drops those beyond `wanted`, and the weak ones of models that report several
// lines.
void corroborate(std::vector<Answer>& answers, const LinesWanted& wanted, const ImageFrame& frame);

// Lowers the confidence of a fallback (Eq. 58). It is asked only if all other models doubt, and the
// better these could see the image (`seen`, from 0 to 1), the less likely it is to be right.
void discount_fallback(Answer& answer, const LinesWanted& wanted, double seen);

// The index of the answer to give. There must be at least one.
std::size_t best_answer(const std::vector<Answer>& answers, const ImageFrame& frame);

}  // namespace vsmax
