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
  constexpr double kBeside = 8.0;            // pixels, more than half of any thin line's width
  constexpr double kIndependent = 0.05;      // correlation, beyond four standard errors
  constexpr std::size_t kEnough = 1U << 17;  // pixels, of which a large image has too many
  constexpr std::array<std::array<int, 2>, 6> kLags{
      {{1, 0}, {0, 1}, {1, 1}, {-1, 1}, {2, 0}, {0, 2}}};
  std::vector<Normal> normals;
  normals.reserve(lines.size());
  for (const PixelLine& line : lines)
    normals.push_back({std::cos(line.theta), std::sin(line.theta)});
  const auto beside = [&](int column, int row) {
    for (std::size_t i = 0; i < lines.size(); ++i)
      if (std::abs(frame.x(column) * normals[i].cosine + frame.y(row) * normals[i].sine -
                   lines[i].rho) <= kBeside)
        return false;
    return true;
  };
  const int step = static_cast<int>((frame.pixels() + kEnough - 1) / kEnough);  // of the rows
  double count = 0.0;
  double sum = 0.0;
  for (int row = 0; row < frame.height; row += step)
    for (int column = 0; column < frame.width; ++column) {
      if (!beside(column, row)) continue;
      count += 1.0;
      sum += static_cast<double>(pixels[frame.index(column, row)]);
    }
  if (count == 0.0) return false;
  const double mean = sum / count;
  const double limit = kIndependent + 4.0 / std::sqrt(count);
  std::array<double, kLags.size()> products{};
  std::array<double, kLags.size()> squares{};
  for (int row = 0; row + 2 < frame.height; row += step)
    for (int column = 1; column + 2 < frame.width; ++column) {
      if (!beside(column, row)) continue;
      const double value = static_cast<double>(pixels[frame.index(column, row)]) - mean;
      for (std::size_t lag = 0; lag < kLags.size(); ++lag) {
        const auto [right, down] = kLags[lag];
        if (!beside(column + right, row + down)) continue;
        const float other = pixels[frame.index(column + right, row + down)];
        products[lag] += value * (static_cast<double>(other) - mean);
        squares[lag] += value * value;
      }
    }
  for (std::size_t lag = 0; lag < kLags.size(); ++lag)
    if (std::abs(products[lag]) > limit * squares[lag]) return false;
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

std::optional<LineInFrame> ThinLines::find(const Evidence& evidence, PixelLine found,
                                           std::optional<bool> dark) {
  if (evidence.frame.pixels() > kMostPixels ||
      !white_beside(evidence.pixels, evidence.frame, {&found, 1}))
    return std::nullopt;
  dark_ = dark && lines_are_dark(evidence.pixels, *dark);
  const auto estimate = estimator_for(evidence.frame)(bright_lines(evidence, dark_));
  if (!estimate) return std::nullopt;
  // As likely a line as not if twenty times as likely as in noise: of the images of noise, at most
  // one in twenty can seem to hold a line, and hardly any does.
  constexpr double kLogPrior = -3.0;
  const double probability = 1.0 / (1.0 + std::exp(-estimate->log_odds - kLogPrior));
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
