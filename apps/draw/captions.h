// SPDX-License-Identifier: Apache-2.0
// The texts of the explanation. A caption has at most three short lines, because the width of the
// viewer's font is unknown.
#pragma once

#include <string>
#include <vector>

#include "vsmax/recover/line_recoverer.h"
#include "vsmax/recover/trace.h"

namespace vsmax::drawing {

// What RecoveryTrace::probabilities holds.
enum class Distribution {
  kNone,           // all zero: the image is constant
  kProbabilities,  // sums to one
  kScores,         // of a model that takes the largest cell
};
Distribution distribution_of(const RecoveryTrace& trace);

using Lines = std::vector<std::string>;

Lines image_caption(const GrayImage& image, bool stretched);
Lines accumulator_caption(const GrayImage& image, const ImageFrame& working);
Lines distribution_caption(Distribution kind, double largest);
Lines line_caption(const Recovery& recovery, Distribution kind);

// "θ 126.14°, ρ −34.35 px" and "confidence 1.00", or nothing without a line.
Lines describe(const Recovery& recovery);

// A line as it is printed, with the angle to two decimals of a degree. An angle that would round to
// 180, which is outside the range of theta, becomes 0 and rho changes its sign: the same line.
struct ShownLine {
  double degrees;
  double rho;
};
ShownLine shown_line(const PixelLine& line);

// "37.5 %"
std::string percent_text(double probability);

// With this many decimals and never "-0.0"; %.3g from 1e7 on.
std::string fixed(double value, int decimals);

// The same with a typographic minus sign, for text that people read.
std::string number_text(double value, int decimals);

}  // namespace vsmax::drawing
