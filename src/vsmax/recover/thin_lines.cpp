// SPDX-License-Identifier: Apache-2.0
#include "vsmax/recover/thin_lines.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace vsmax {
namespace {

// Larger images are photographs, and their noise is not white.
constexpr std::size_t kMostPixels = std::size_t{2048} * 2048;

// Half of an image of dark lines that reaches white is white, and black the other way round. Only
// where it reaches neither the accumulator must tell.
bool lines_are_dark(std::span<const float> pixels, bool otherwise) {
  constexpr double kClipped = 0.05;
  const auto [least, greatest] = std::minmax_element(pixels.begin(), pixels.end());
  const auto black = std::count(pixels.begin(), pixels.end(), *least);
  const auto white = std::count(pixels.begin(), pixels.end(), *greatest);
  const double share = static_cast<double>(std::max(black, white)) /
                       static_cast<double>(std::max<std::size_t>(pixels.size(), 1));
  return share > kClipped ? white > black : otherwise;
}

}  // namespace

bool white_beside(std::span<const float> pixels, const ImageFrame& frame,
                  std::span<const PixelLine> lines) {
  constexpr double kBeside = 8.0;        // pixels, more than half of any thin line's width
  constexpr double kIndependent = 0.05;  // correlation
  constexpr std::array<std::array<int, 2>, 6> kLags{
      {{1, 0}, {0, 1}, {1, 1}, {-1, 1}, {2, 0}, {0, 2}}};
  // A line's own pixels, and those that a lag would take from beside it onto it.
  std::vector<char> beside(frame.pixels(), 1);
  for (const PixelLine& line : lines) {
    const double cosine = std::cos(line.theta);
    const double sine = std::sin(line.theta);
    for (int row = 0; row < frame.height; ++row)
      for (int column = 0; column < frame.width; ++column)
        if (std::abs(frame.x(column) * cosine + frame.y(row) * sine - line.rho) <= kBeside)
          beside[frame.index(column, row)] = 0;
  }
  double count = 0.0;
  double sum = 0.0;
  for (std::size_t i = 0; i < pixels.size(); ++i) {
    count += beside[i];
    sum += beside[i] != 0 ? static_cast<double>(pixels[i]) : 0.0;
  }
  if (count == 0.0) return false;
  const double mean = sum / count;
  double variance = 0.0;
  std::array<double, kLags.size()> products{};
  std::array<double, kLags.size()> pairs{};
  for (int row = 0; row + 2 < frame.height; ++row)
    for (int column = 1; column + 2 < frame.width; ++column) {
      const std::size_t here = frame.index(column, row);
      if (beside[here] == 0) continue;
      const double value = static_cast<double>(pixels[here]) - mean;
      variance += value * value;
      for (std::size_t lag = 0; lag < kLags.size(); ++lag) {
        const std::size_t there = frame.index(column + kLags[lag][0], row + kLags[lag][1]);
        if (beside[there] == 0) continue;
        products[lag] += value * (static_cast<double>(pixels[there]) - mean);
        pairs[lag] += value * value;
      }
    }
  if (variance == 0.0) return true;
  for (std::size_t lag = 0; lag < kLags.size(); ++lag)
    if (std::abs(products[lag]) > kIndependent * pairs[lag]) return false;
  return true;
}

LineEstimator& ThinLines::estimator_for(const ImageFrame& frame) {
  if (!estimator_ || !(estimator_->frame() == frame)) estimator_.emplace(frame);
  return *estimator_;
}

std::span<const float> ThinLines::bright_lines(const Evidence& evidence, bool dark) {
  if (!dark) return evidence.pixels;
  negative_.resize(evidence.pixels.size());
  std::transform(evidence.pixels.begin(), evidence.pixels.end(), negative_.begin(),
                 [](float value) { return -value; });
  return negative_;
}

std::optional<LineInFrame> ThinLines::find(const Evidence& evidence, PixelLine found, bool dark) {
  if (evidence.frame.pixels() > kMostPixels ||
      !white_beside(evidence.pixels, evidence.frame, {&found, 1}))
    return std::nullopt;
  dark_ = lines_are_dark(evidence.pixels, dark);
  const auto estimate = estimator_for(evidence.frame)(bright_lines(evidence, dark_));
  if (!estimate) return std::nullopt;
  const double probability = 1.0 / (1.0 + std::exp(-estimate->log_odds));
  return LineInFrame{estimate->line, probability * estimate->expected_score, estimate->spread};
}

void ThinLines::refine(const Evidence& evidence, std::vector<LineInFrame>& lines) {
  std::vector<PixelLine> all;
  all.reserve(lines.size());
  for (const LineInFrame& line : lines) all.push_back(line.line);
  if (evidence.frame.pixels() > kMostPixels || lines.empty() ||
      !white_beside(evidence.pixels, evidence.frame, all))
    return;
  const std::span<const float> pixels = bright_lines(evidence, dark_);
  for (LineInFrame& line : lines) {
    if (line.spread) continue;  // the posterior's own
    const auto estimate = estimator_for(evidence.frame).near(pixels, line.line);
    if (!estimate || estimate->log_odds < 0.0) continue;
    line.line = estimate->line;
    line.spread = estimate->spread;
  }
}

}  // namespace vsmax
