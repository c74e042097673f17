// SPDX-License-Identifier: Apache-2.0
#include "vsmax/hough/oriented_hough.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "vsmax/base/error.h"

namespace vsmax {
namespace {

constexpr double kWindow =
    3.0 * std::numbers::pi / 180.0;  // half the width of the range of angles voted for

}  // namespace

void OrientedHough::forward(std::span<const Gradient> gradients, std::span<float> votes,
                            std::span<float> squares) const {
  const ImageFrame& frame = grid_.frame();
  const CellShape shape = grid_.shape();
  if (gradients.size() != frame.pixels() || votes.size() != shape.count() ||
      squares.size() != shape.count())
    throw Error(std::to_string(gradients.size()) + " gradients and " +
                std::to_string(votes.size()) + " cells do not fit a grid of " +
                std::to_string(frame.pixels()) + " pixels and " + std::to_string(shape.count()) +
                " cells");
  std::fill(votes.begin(), votes.end(), 0.0F);
  std::fill(squares.begin(), squares.end(), 0.0F);
  const double angles_per_radian = shape.thetas / std::numbers::pi;
  // Wide enough for the two angles next to the gradient's, but not for the same angle twice.
  const double window =
      std::min(std::max(1.0, kWindow * angles_per_radian), 0.5 * std::max(1, shape.thetas - 1));
  for (int y = 0; y < frame.height; ++y)
    for (int x = 0; x < frame.width; ++x) {
      const Gradient gradient = gradients[frame.index(x, y)];
      const double strength = std::hypot(gradient.x, gradient.y);
      if (strength == 0.0) continue;
      // In [-T, T]; a negative angle has the opposite normal of that angle plus T.
      const double angle =
          std::atan2(static_cast<double>(gradient.y), static_cast<double>(gradient.x)) *
          angles_per_radian;
      const int last = static_cast<int>(std::floor(angle + window));
      for (int t = static_cast<int>(std::ceil(angle - window)); t <= last; ++t) {
        const int turns = t < 0 ? (t < -shape.thetas ? -2 : -1) : t < shape.thetas ? 0 : 1;
        const int row = t - turns * shape.thetas;
        const double vote = strength * (1.0 - std::abs(t - angle) / window);
        const std::size_t cell = shape.index({row, grid_.bin(row, x, y)});
        votes[cell] += static_cast<float>(turns % 2 == 0 ? vote : -vote);
        squares[cell] += static_cast<float>(vote * vote);
      }
    }
}

}  // namespace vsmax
