// SPDX-License-Identifier: Apache-2.0
// The words below the four panels of the explanation, one string per line.
#pragma once

#include <string>
#include <vector>

#include "vsmax/recover/line_recoverer.h"

namespace vsmax::drawing {

// What the distribution in a trace is.
enum class Distribution {
  kNone,           // all zero: the image is constant
  kProbabilities,  // sums to one
  kScores,         // of a model that takes the largest cell and makes no probabilities
};
Distribution distribution_of(const RecoveryTrace& trace);

std::vector<std::string> image_caption(const GrayImage& image, bool stretched);
std::vector<std::string> accumulator_caption(const GrayImage& image, const ImageFrame& working);
std::vector<std::string> distribution_caption(Distribution kind);
std::vector<std::string> line_caption(const Recovery& recovery, Distribution kind);

// "37.5 %"
std::string percent_text(double probability);

}  // namespace vsmax::drawing
