// SPDX-License-Identifier: Apache-2.0
#include "draw/captions.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace vsmax::drawing {
namespace {

// What the lines of the result are.
Lines reading_caption(const Recovery& recovery, Distribution kind) {
  if (recovery.lines.empty())
    return kind == Distribution::kNone
               ? Lines{"The image is constant."}
               : Lines{"No line is certain enough,", "or it misses the image."};
  if (recovery.lines.size() > 1)
    return {"Each is the mean of the lines", "around a peak. Ends are marked."};
  const bool ends = recovery.lines.front().visible.has_value();
  if (kind == Distribution::kScores)
    return {"The best cell as a line.", ends ? "Ends are marked." : "It misses the image."};
  return {"The mean of all lines, weighted",
          ends ? "by probability. Ends are marked." : "by probability. It misses the image."};
}

}  // namespace

Distribution distribution_of(const RecoveryTrace& trace) {
  const auto& values = trace.probabilities;
  if (std::none_of(values.begin(), values.end(), [](float value) { return value > 0.0F; }))
    return Distribution::kNone;
  const double sum = std::accumulate(values.begin(), values.end(), 0.0);
  return std::abs(sum - 1.0) < 0.01 ? Distribution::kProbabilities : Distribution::kScores;
}

Lines image_caption(const GrayImage& image, bool stretched) {
  Lines lines{fmt::format("The input, {} × {} pixels.", image.width, image.height)};
  if (stretched) lines.emplace_back("The short side is stretched.");
  return lines;
}

Lines accumulator_caption(const GrayImage& image, const ImageFrame& working) {
  // A learned model sees a resized image.
  const bool resized = !(working == ImageFrame{image.width, image.height});
  return {resized ? fmt::format("Votes of the image at {} × {}.", working.width, working.height)
                  : "A pixel votes for the lines through it.",
          "Beyond the curves, lines miss the image.", "Left and right edges join with a flip."};
}

Lines distribution_caption(Distribution kind, double largest) {
  if (kind == Distribution::kProbabilities)
    return {"How likely each line is (log scale).",
            "Inset: the peak cell, " + percent_text(largest) + ".", "Ring and dot: the result."};
  if (kind == Distribution::kScores)
    return {"The score of each line.", "Inset: the best cell,", "which this model returns."};
  return {"Without contrast, no line", "is more likely than another."};
}

Lines line_caption(const Recovery& recovery, Distribution kind) {
  Lines lines = reading_caption(recovery, kind);
  constexpr std::size_t kMostLetters = 26;
  const std::string name = recovery.model.substr(recovery.model.rfind('/') + 1);
  if (!name.empty() && name.size() <= kMostLetters) lines.push_back("Model: " + name);
  return lines;
}

Lines describe(const Recovery& recovery) {
  if (recovery.lines.empty()) return {};
  const RecoveredLine& first = recovery.lines.front();
  std::string confidence = "confidence " + number_text(first.confidence, 2);
  if (recovery.lines.size() > 1)
    confidence += fmt::format(", 1 of {} lines", recovery.lines.size());
  const auto [degrees, rho] = shown_line(first.line);
  return {fmt::format("θ {}°, ρ {} px", number_text(degrees, 2), number_text(rho, 2)), confidence};
}

ShownLine shown_line(const PixelLine& line) {
  const double degrees = line.theta * 180.0 / std::numbers::pi;
  if (fixed(degrees, 2) == "180.00") return {0.0, -line.rho};
  return {degrees, line.rho};
}

std::string percent_text(double probability) {
  const double percent = 100.0 * probability;
  if (percent > 99.9) return "> 99.9 %";
  if (percent < 0.01) return "< 0.01 %";
  return fixed(percent, percent < 10.0 ? 2 : 1) + " %";
}

std::string fixed(double value, int decimals) {
  if (!(std::abs(value) < 1e7)) return fmt::format("{:.3g}", value);
  const double rounds_to_zero = std::abs(value) < 0.5 * std::pow(10.0, -decimals) ? 0.0 : value;
  return fmt::format("{:.{}f}", rounds_to_zero, decimals);
}

std::string number_text(double value, int decimals) {
  const std::string text = fixed(value, decimals);
  return text.front() == '-' ? "−" + text.substr(1) : text;
}

}  // namespace vsmax::drawing
