// SPDX-License-Identifier: Apache-2.0
// How far a line stands out of the accumulator. Whitening promises scores of variance 1 around the
// line (Eq. 11), but only on independent noise. In photographs, clouds and textures the scores are
// large everywhere; measured by their actual spread, the highest of them are nothing special.
#pragma once

#include <cstdint>
#include <functional>

#include "vsmax/hough/cells.h"
#include "vsmax/hough/grid.h"

namespace vsmax {

struct Prominence {
  double height = 0.0;  // the line's score, in units of the root mean square of all other scores
  double ridge = 0.0;   // by how much it exceeds both its flanks, in units of what is usual at its
                        // angle: a step falls off on one side only, a weave has many ridges
  double spread = 0.0;  // that root mean square: about 1 in white noise, more in a texture
};

// What a score of exactly 0 means.
enum class Evidenced : std::uint8_t {
  kEverywhere,  // the cell is beyond the image: all pixels vote for all angles
  kSparsely,    // or nothing voted for it: edges vote only where they are
};

// scores: the whitened accumulator of the grid, positive for what is looked for (Eq. 36).
Prominence prominence(Cells<const float> scores, const HoughGrid& grid, UnitLine line,
                      Evidenced evidenced = Evidenced::kEverywhere);

// The heights and ridges at which a peak is as likely a line as not, and how sharply that changes.
// Fitted by DISABLED_FitTheScales in tests/recover/calibration_test.cpp.
struct ProminenceScale {
  double height = 5.25;
  double ridge = 2.75;
  double sharpness = 16.0;
};

// The same for edges; stricter than the best fit, because textures have more edges than lines.
inline constexpr ProminenceScale kEdgeProminence{6.75, 3.5, 16.0};

// Negates the scores if the clearest line is dark, that is, if the lowest score is stronger than
// the highest and `probability`, called once they are negated, says that it is more likely a line
// than not. Otherwise leaves them unchanged. Returns whether they are negated.
bool choose_polarity(Cells<float> scores, const std::function<double(UnitLine)>& probability);

// The probability that a peak of this prominence is a line (Eq. 37).
double line_probability(const Prominence& prominence, const ProminenceScale& scale = {});

// The probability that a peak with this support in the image (line_support.h) is a thin line. If
// its ground had to be evened out first (Eq. 66), only a line that is plain to see counts.
double support_probability(double support, bool even_ground = false);

// The probability that an edge with this coverage (line_support.h) is a line, in a drawing.
double coverage_probability(double coverage);

// The probability that a short line with this distinction (line_support.h) is not part of a
// texture.
double distinction_probability(double distinction);

}  // namespace vsmax
