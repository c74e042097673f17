// SPDX-License-Identifier: Apache-2.0
#include "draw/explain_text.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "draw/explain_page.h"
#include "draw/line_picture.h"
#include "draw/text_layout.h"

namespace vsmax::drawing {

namespace {

constexpr const char* kReachNote = "beyond the thin curves a line misses the image";
constexpr const char* kSeamNote = "left and right edge are one, flipped";

std::string size_text(int width, int height) {
  return std::to_string(width) + " x " + std::to_string(height);
}

}  // namespace

Distribution distribution_of(const RecoveryTrace& trace) {
  const auto& values = trace.probabilities;
  if (std::none_of(values.begin(), values.end(), [](float value) { return value > 0.0F; }))
    return Distribution::kNone;
  const double sum = std::accumulate(values.begin(), values.end(), 0.0);
  return std::abs(sum - 1.0) < 0.01 ? Distribution::kProbabilities : Distribution::kScores;
}

std::vector<std::string> image_caption(const GrayImage& image, bool stretched) {
  std::vector<std::string> lines{"the input, " + size_text(image.width, image.height) + " pixels"};
  if (stretched) lines.emplace_back("the short side is stretched, to be seen at all");
  return lines;
}

std::vector<std::string> accumulator_caption(const GrayImage& image, const ImageFrame& working) {
  // A learned model looks at a resized image, so its rho is in other pixels than the result's.
  if (working == ImageFrame{image.width, image.height})
    return {"pixels vote for the lines through them; bright = many", kReachNote, kSeamNote};
  return {"votes of the image at " + size_text(working.width, working.height) + "; bright = many",
          kReachNote, kSeamNote};
}

std::vector<std::string> distribution_caption(Distribution kind) {
  switch (kind) {
    case Distribution::kProbabilities:
      return {"bright = likely (log, 6 decades); ring and dot = result", kReachNote, kSeamNote};
    case Distribution::kScores:
      return {"this model takes the brightest cell as it is", kReachNote, kSeamNote};
    case Distribution::kNone:
      break;
  }
  return {"without contrast there is nothing to weigh", kReachNote, kSeamNote};
}

std::vector<std::string> line_caption(const Recovery& recovery, Distribution kind) {
  if (recovery.lines.empty())
    return {kind == Distribution::kNone ? "no line: the image is constant"
                                        : "no line: the mean lies beyond the corners"};
  std::vector<std::string> lines = flow(describe(recovery), "   ", ExplainPage::caption_width());
  std::string origin = kind == Distribution::kScores ? "the brightest cell as a line"
                                                     : "the mean of all lines by probability";
  if (recovery.lines.front().visible) origin += "; ends marked";
  lines.insert(lines.begin(), origin);
  return lines;
}

std::string percent_text(double probability) {
  const double percent = 100.0 * probability;
  if (percent > 99.9) return "> 99.9 %";
  if (percent < 0.01) return "< 0.01 %";
  return fixed(percent, percent < 10.0 ? 2 : 1) + " %";
}

}  // namespace vsmax::drawing
