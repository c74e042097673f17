// SPDX-License-Identifier: Apache-2.0
#include "vsmax/hough/grid.h"

#include <string>

#include "vsmax/base/error.h"

namespace vsmax {
namespace {

// Keeps T, R and T x R far from overflow, and the accumulator's memory within reason.
constexpr int kMaxBins = 1 << 14;

void validate(const ImageFrame& frame, int thetas, int rhos) {
  if (frame.width < 2 || frame.height < 2)
    throw Error("an image of " + std::to_string(frame.width) + "x" + std::to_string(frame.height) +
                " pixels is too small for a Hough transform: 2x2 is the least");
  if (thetas < 1 || thetas > kMaxBins)
    throw Error("the number of angles T must lie in 1.." + std::to_string(kMaxBins) + ", not " +
                std::to_string(thetas));
  if (rhos < 3 || rhos > kMaxBins || rhos % 2 == 0)
    throw Error("the number of offsets R must be odd and lie in 3.." + std::to_string(kMaxBins) +
                ", not " + std::to_string(rhos));
}

}  // namespace

std::vector<Normal> mirrored_normals(int thetas) {
  const auto size = static_cast<std::size_t>(thetas);
  const CellShape shape{thetas, 3};
  std::vector<Normal> normals(size);
  for (std::size_t t = 0; 2 * t <= size; ++t) {
    const double theta = shape.theta(static_cast<int>(t));
    normals[t] = {2 * t == size ? 0.0 : std::cos(theta), std::sin(theta)};
    if (t != 0 && 2 * t != size) normals[size - t] = {-normals[t].cosine, normals[t].sine};
  }
  return normals;
}

HoughGrid::HoughGrid(ImageFrame frame, int thetas, int rhos)
    : frame_(frame), thetas_(thetas), rhos_(rhos) {
  validate(frame, thetas, rhos);
  bin_width_ = 2.0 * frame.half_diagonal() / (rhos - 1);
  normals_ = mirrored_normals(thetas);
}

bool HoughGrid::resolvable(Cell cell) const {
  return std::abs(rho(cell.r)) < frame_.reach(cos_theta(cell.t), sin_theta(cell.t));
}

std::vector<Cell> HoughGrid::resolvable_cells() const {
  std::vector<Cell> cells;
  for (int t = 0; t < thetas_; ++t)
    for (int r = 0; r < rhos_; ++r)
      if (resolvable({t, r})) cells.push_back({t, r});
  return cells;
}

}  // namespace vsmax
