// SPDX-License-Identifier: Apache-2.0
#include "vsmax/recover/thin_lines.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace vsmax {
namespace {

// Larger images would take more than 2 GB.
constexpr std::size_t kMostPixels = std::size_t{8192} * 8192;

// Where noise is clipped, about half of the background is clipped, too: to white if the lines are
// dark, to black if they are bright. Only if neither is the case does `otherwise` decide.
bool lines_are_dark(std::span<const float> pixels, bool otherwise) {
  constexpr double kClipped = 0.05;
  const auto [least, greatest] = std::minmax_element(pixels.begin(), pixels.end());
  const auto black = std::count(pixels.begin(), pixels.end(), *least);
  const auto white = std::count(pixels.begin(), pixels.end(), *greatest);
  const double share = static_cast<double>(std::max(black, white)) /
                       static_cast<double>(std::max<std::size_t>(pixels.size(), 1));
  return share > kClipped ? white > black : otherwise;
}

// A row's values minus the mean, their squares, and weights of 1; all three are 0 near a line.
struct RowBeside {
  std::vector<float> values;
  std::vector<float> squares;
  std::vector<float> weights;

  void fill(std::span<const float> pixels, const ImageFrame& frame,
            std::span<const PixelLine> lines, double reach, int row, float mean) {
    const auto width = static_cast<std::size_t>(frame.width);
    weights.assign(width, 1.0F);
    values.resize(width);
    squares.resize(width);
    for (const PixelLine& line : lines) {
      const auto slope = static_cast<float>(std::cos(line.theta));
      const auto start = static_cast<float>(frame.x(0) * std::cos(line.theta) +
                                            frame.y(row) * std::sin(line.theta) - line.rho);
      for (std::size_t column = 0; column < width; ++column)
        if (std::abs(start + slope * static_cast<float>(column)) <= static_cast<float>(reach))
          weights[column] = 0.0F;
    }
    const auto from = pixels.subspan(frame.index(0, row), width);
    for (std::size_t column = 0; column < width; ++column) {
      values[column] = weights[column] * (from[column] - mean);
      squares[column] = values[column] * values[column];
    }
  }
};

// As many columns, from `first` on, as have a neighbour to the left and two to the right.
std::span<const float> inner(const std::vector<float>& row, std::size_t first) {
  return std::span(row).subspan(first, std::max<std::size_t>(row.size(), 3) - 3);
}

// Sums in lanes, so that the compiler vectorises the loop.
double dot(std::span<const float> a, std::span<const float> b) {
  constexpr std::size_t kLanes = 16;
  std::array<float, kLanes> lanes{};
  std::size_t i = 0;
  for (; i + kLanes <= a.size(); i += kLanes)
    for (std::size_t k = 0; k < kLanes; ++k) lanes[k] += a[i + k] * b[i + k];
  double sum = 0.0;
  for (; i < a.size(); ++i) sum += static_cast<double>(a[i] * b[i]);
  for (const float lane : lanes) sum += static_cast<double>(lane);
  return sum;
}

// Without noise, a few dots are as unlikely as a line, and any two of them lie on a line. So in an
// image of two values, at least a few pixels must show the line, or all of them if it has fewer.
bool is_through_dots(std::span<const float> pixels, const ImageFrame& frame, PixelLine line) {
  constexpr double kDots = 5.0;
  constexpr double kShare = 0.1;  // of the line's length
  constexpr double kNear = 1.0;   // pixels
  const auto [least, greatest] = std::minmax_element(pixels.begin(), pixels.end());
  const float black = *least;
  const float white = *greatest;
  if (std::any_of(pixels.begin(), pixels.end(),
                  [&](float value) { return value != black && value != white; }))
    return false;
  const auto visible = visible_segment(line, frame);
  if (!visible) return true;
  const double c = std::cos(line.theta);
  const double s = std::sin(line.theta);
  const bool upright = std::abs(c) > std::abs(s);
  std::vector<bool> shown(static_cast<std::size_t>(upright ? frame.height : frame.width));
  for (int row = 0; row < frame.height; ++row)
    for (int column = 0; column < frame.width; ++column)
      if (pixels[frame.index(column, row)] == white &&
          std::abs(frame.x(column) * c + frame.y(row) * s - line.rho) <= kNear)
        shown[static_cast<std::size_t>(upright ? row : column)] = true;
  const std::size_t axis = upright ? 1 : 0;
  const double length = std::floor(std::abs(visible->end[axis] - visible->begin[axis]));
  return static_cast<double>(std::count(shown.begin(), shown.end(), true)) <
         std::min(length, std::max(kDots, kShare * length));
}

}  // namespace

double reach_of_line(const HoughGrid& grid) {
  constexpr double kLeast = 8.0;      // pixels
  constexpr double kHalfWidth = 5.0;  // at least that of any thin line
  const double turn = 0.5 * std::numbers::pi / grid.thetas();
  const double error = 0.5 * grid.bin_width() + turn * grid.frame().half_diagonal();
  return std::max(kLeast, kHalfWidth + error);
}

bool white_beside(std::span<const float> pixels, const ImageFrame& frame,
                  std::span<const PixelLine> lines, double reach) {
  constexpr double kIndependent = 0.05;      // correlation, on top of four standard errors
  constexpr std::size_t kEnough = 1U << 17;  // pixels; larger images are sampled
  constexpr std::array<std::array<int, 2>, 6> kLags{
      {{1, 0}, {0, 1}, {1, 1}, {-1, 1}, {2, 0}, {0, 2}}};
  const int step = static_cast<int>((frame.pixels() + kEnough - 1) / kEnough);  // between rows
  std::array<RowBeside, 3> rows;  // the current row and the next two
  double count = 0.0;
  double sum = 0.0;
  for (int row = 0; row < frame.height; row += step) {
    rows[0].fill(pixels, frame, lines, reach, row, 0.0F);
    for (const float weight : rows[0].weights) count += static_cast<double>(weight);
    for (const float value : rows[0].values) sum += static_cast<double>(value);
  }
  if (count == 0.0) return false;
  const auto mean = static_cast<float>(sum / count);
  const double limit = kIndependent + 4.0 / std::sqrt(count);
  std::array<double, kLags.size()> products{};
  std::array<double, kLags.size()> squares{};
  for (int row = 0; row + 2 < frame.height && frame.width > 3; row += step) {
    for (std::size_t down = 0; down < rows.size(); ++down)
      rows[down].fill(pixels, frame, lines, reach, row + static_cast<int>(down), mean);
    for (std::size_t lag = 0; lag < kLags.size(); ++lag) {
      const auto [right, down] = kLags[lag];
      const RowBeside& other = rows[static_cast<std::size_t>(down)];
      const int first = 1 + right;
      const auto shift = static_cast<std::size_t>(first);
      products[lag] += dot(inner(rows[0].values, 1), inner(other.values, shift));
      squares[lag] += dot(inner(rows[0].squares, 1), inner(other.weights, shift));
    }
  }
  for (std::size_t lag = 0; lag < kLags.size(); ++lag)
    if (std::abs(products[lag]) > limit * squares[lag]) return false;
  return true;
}

bool noise_is_gaussian(std::span<const float> pixels, const ImageFrame& frame,
                       std::span<const PixelLine> lines, double reach) {
  const auto [least, greatest] = std::minmax_element(pixels.begin(), pixels.end());
  if (pixels.empty() || *least == *greatest) return false;
  const NoiseModel noise = estimate_noise(pixels);
  const auto low = static_cast<float>(noise.low);
  const auto high = static_cast<float>(noise.high);
  // Standard deviations: far out in the tail, and beyond what normal noise ever reaches.
  constexpr double kTail = 2.5;
  constexpr double kNever = 6.0;
  const auto tail = static_cast<float>(noise.background + kTail * noise.sigma);
  const auto never = static_cast<float>(noise.background + kNever * noise.sigma);
  double count = 0.0;
  double in_tail = 0.0;
  double at_high = 0.0;
  double impossible = 0.0;
  std::vector<float> levels;  // if there are only a few, rounding has destroyed the noise
  constexpr std::size_t kFew = 16;
  RowBeside beside;
  for (int row = 0; row < frame.height; ++row) {
    beside.fill(pixels, frame, lines, reach, row, 0.0F);
    for (int column = 0; column < frame.width; ++column) {
      if (beside.weights[static_cast<std::size_t>(column)] == 0.0F) continue;
      const float value = pixels[frame.index(column, row)];
      count += 1.0;
      in_tail += value > tail ? 1.0 : 0.0;
      at_high += value >= high ? 1.0 : 0.0;
      impossible += value > never ? 1.0 : 0.0;
      if (levels.size() <= kFew && value > low && value < high &&
          std::find(levels.begin(), levels.end(), value) == levels.end())
        levels.push_back(value);
    }
  }
  if (count == 0.0) return false;
  constexpr double kStray = 1e-4;  // share of bright pixels beside the line of a clean image
  if (levels.empty()) return at_high <= kStray * count;
  if (levels.size() <= kFew || impossible > 2.0) return false;
  const auto upper = [](double z) { return 0.5 * std::erfc(z / std::numbers::sqrt2); };
  constexpr double kFactor = 2.0;
  constexpr double kSlack = 0.01;  // share of the pixels, for a line that was not found
  const double expected_high = upper((noise.high - noise.background) / noise.sigma);
  return in_tail <= (kFactor * std::max(upper(kTail), expected_high) + kSlack) * count &&
         (!noise.clipped_high || at_high <= (kFactor * expected_high + kSlack) * count);
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

std::optional<LineInFrame> ThinLines::find(const Evidence& evidence, PixelLine found, double reach,
                                           std::optional<bool> dark) {
  dark_ = dark && lines_are_dark(evidence.pixels, *dark);
  if (evidence.frame.pixels() > kMostPixels ||
      !white_beside(evidence.pixels, evidence.frame, {&found, 1}, reach))
    return std::nullopt;
  const std::span<const float> pixels = bright_lines(evidence, dark_);
  if (!noise_is_gaussian(pixels, evidence.frame, {&found, 1}, reach)) return std::nullopt;
  const auto estimate = estimator_for(evidence.frame)(pixels);
  if (!estimate || is_through_dots(pixels, evidence.frame, estimate->line)) return std::nullopt;
  // Prior: four in five of the images in which a line is looked for have one.
  constexpr double kPriorOdds = 4.0;
  const double probability = 1.0 / (1.0 + std::exp(-estimate->log_odds) / kPriorOdds);
  return LineInFrame{estimate->line, probability * estimate->expected_score, estimate->spread,
                     dark_};
}

void ThinLines::refine(const Evidence& evidence, double reach, std::span<LineInFrame> lines) {
  std::vector<PixelLine> all;
  all.reserve(lines.size());
  for (const LineInFrame& line : lines) all.push_back(line.line);
  if (evidence.frame.pixels() > kMostPixels || lines.empty() ||
      !white_beside(evidence.pixels, evidence.frame, all, reach))
    return;
  const std::span<const float> pixels = bright_lines(evidence, dark_);
  if (!noise_is_gaussian(pixels, evidence.frame, all, reach)) return;
  for (LineInFrame& line : lines) {
    if (line.spread) continue;  // it comes from the posterior already
    const auto estimate = estimator_for(evidence.frame).near(pixels, line.line);
    if (!estimate || estimate->log_odds < 0.0) continue;
    line.line = estimate->line;
    line.spread = estimate->spread;
  }
}

}  // namespace vsmax
