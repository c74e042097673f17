// SPDX-License-Identifier: Apache-2.0
#include "vsmax/evidence/erase_line.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

namespace vsmax {
namespace {

// Calls body(pixel index, x, y, signed distance) for every pixel within `reach` of the line.
template <class Body>
void for_each_near(const ImageFrame& frame, PixelLine line, double reach, const Body& body) {
  const double c = std::cos(line.theta);
  const double s = std::sin(line.theta);
  for (int row = 0; row < frame.height; ++row) {
    const double y = frame.y(row);
    double first = 0.0;
    double last = frame.width - 1;
    if (std::abs(c) > 1e-9) {  // otherwise all of the row is near the line, or none of it
      const double middle = (line.rho - y * s) / c + frame.half_width();
      first = std::max(first, std::ceil(middle - reach / std::abs(c)));
      last = std::min(last, std::floor(middle + reach / std::abs(c)));
      if (first > last) continue;  // for a nearly level line, first may not fit an int
    }
    for (int column = static_cast<int>(first); column <= static_cast<int>(last); ++column) {
      const double x = frame.x(column);
      const double distance = x * c + y * s - line.rho;
      if (std::abs(distance) <= reach) body(frame.index(column, row), x, y, distance);
    }
  }
}

// The mean of the pixels at each whole distance from the line, from -reach to reach. A pixel in
// between is shared by both in proportion.
std::vector<double> profile_across(std::span<const float> pixels, const ImageFrame& frame,
                                   PixelLine line, int reach) {
  std::vector<double> sums(static_cast<std::size_t>(2 * reach) + 1);
  std::vector<double> counts(sums.size());
  for_each_near(frame, line, reach - 1e-9, [&](std::size_t i, double, double, double distance) {
    const double below = std::floor(distance);
    const auto bin = static_cast<std::size_t>(below + reach);
    const double share = distance - below;
    for (const auto& [place, weight] : {std::pair{bin, 1.0 - share}, {bin + 1, share}}) {
      sums[place] += weight * static_cast<double>(pixels[i]);
      counts[place] += weight;
    }
  });
  // A distance beyond a corner of the image has no pixels.
  for (std::size_t i = 0; i < sums.size(); ++i)
    sums[i] = counts[i] > 0.0 ? sums[i] / counts[i] : -std::numeric_limits<double>::infinity();
  return sums;
}

// The level of the surroundings: the lower quartile of the profile, so that the line may be thick
// enough to take up half of it.
double ground_of(std::vector<double> values) {
  std::erase_if(values, [](double value) { return !std::isfinite(value); });
  if (values.empty()) return 0.0;
  const auto quartile = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 4);
  std::nth_element(values.begin(), quartile, values.end());
  return *quartile;
}

}  // namespace

void erase_line(std::span<float> pixels, const ImageFrame& frame, PixelLine line) {
  assert(pixels.size() == frame.pixels());
  // Far enough to see beyond a thick line, but not beyond its own surroundings.
  const int reach = std::max(8, static_cast<int>(frame.half_diagonal() / 16.0));
  const std::vector<double> profile = profile_across(pixels, frame, line, reach);
  const double ground = ground_of(profile);
  const auto at = [&](int distance) { return profile.begin()[distance + reach] - ground; };
  // The line is known to within a few pixels, at its ends less precisely than at its middle.
  constexpr int kSearch = 4;
  constexpr double kShare = 0.25;
  constexpr int kMargin = 1;
  int middle = 0;
  for (int distance = 1; distance <= kSearch; ++distance)
    for (const int side : {-distance, distance})
      if (at(side) > at(middle)) middle = side;
  const double least_excess = kShare * at(middle);
  int below = middle;
  int above = middle;
  while (below > -reach && at(below - 1) > least_excess) --below;
  while (above < reach && at(above + 1) > least_excess) ++above;
  below -= kMargin;
  above += kMargin;

  const double c = std::cos(line.theta);
  const double s = std::sin(line.theta);
  // The pixel `step` along the normal from (x, y); null outside.
  const auto facing = [&](double x, double y, double step) -> const float* {
    const long column = std::lround(x + step * c + frame.half_width());
    const long row = std::lround(y + step * s + frame.half_height());
    if (column < 0 || column >= frame.width || row < 0 || row >= frame.height) return nullptr;
    return &pixels[frame.index(static_cast<int>(column), static_cast<int>(row))];
  };
  for_each_near(frame, line, std::max(-below, above) + 0.5,
                [&](std::size_t i, double x, double y, double distance) {
                  if (distance < below - 0.5 || distance > above + 0.5) return;
                  const float* a = facing(x, y, below - 1.5 - distance);
                  const float* b = facing(x, y, above + 1.5 - distance);
                  if (a == nullptr) a = b;
                  if (b == nullptr) b = a;
                  pixels[i] = a != nullptr ? 0.5F * (*a + *b) : static_cast<float>(ground);
                });
}

void erase_edge(std::span<Gradient> gradients, const ImageFrame& frame, PixelLine line) {
  constexpr double kReach = 4.0;     // the width of a smoothed edge
  constexpr double kFoot = 5.0;      // as far as its foot reaches in an image without noise
  constexpr double kParallel = 0.9;  // cosine of the greatest angle of the foot's gradient
  const double cosine = std::cos(line.theta);
  const double sine = std::sin(line.theta);
  double step = 0.0;  // of the edge along the normal
  for_each_near(frame, line, kReach, [&](std::size_t i, double, double, double) {
    step += gradients[i].x * cosine + gradients[i].y * sine;
  });
  const double sign = step < 0.0 ? -1.0 : 1.0;
  for_each_near(frame, line, kFoot, [&](std::size_t i, double, double, double distance) {
    Gradient& gradient = gradients[i];
    const double along = sign * (gradient.x * cosine + gradient.y * sine);
    if (std::abs(distance) <= kReach || along > kParallel * std::hypot(gradient.x, gradient.y))
      gradient = {};
  });
}

}  // namespace vsmax
