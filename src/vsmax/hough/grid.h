// SPDX-License-Identifier: Apache-2.0
// The accumulator's grid: which lines its cells represent, and which cell a pixel votes for
// (Eq. 7).
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

#include "vsmax/geometry/image_frame.h"
#include "vsmax/geometry/line.h"
#include "vsmax/hough/bin_rule.h"
#include "vsmax/hough/cells.h"

namespace vsmax {

// The unit normal (cos theta, sin theta) of an angle.
struct Normal {
  double cosine = 0.0;
  double sine = 0.0;
};

// The normals of theta_t = pi t / T, mirrored about T/2 bit for bit.
std::vector<Normal> mirrored_normals(int thetas);

// theta_t = pi t / T over the half circle; rho_r evenly spaced over [-D, D] with R odd, so that
// replacing r by R-1-r negates rho exactly.
class HoughGrid {
 public:
  // Throws Error for a frame below 2x2, T < 1, R < 3 or R even.
  HoughGrid(ImageFrame frame, int thetas, int rhos);

  // The paper's: 256x256 pixels, T = R = 127.
  static HoughGrid paper() { return {{256, 256}, 127, 127}; }

  const ImageFrame& frame() const { return frame_; }
  CellShape shape(Cover cover = Cover::kSingle) const { return {thetas_, rhos_, cover}; }
  int thetas() const { return thetas_; }
  int rhos() const { return rhos_; }
  std::size_t cells() const { return shape().count(); }

  // The normal's angle and direction. The table is mirrored about T/2, so that
  // bin(T-t, x, y) = bin(t, -x, y) and bin(t, -x, -y) = R-1 - bin(t, x, y) hold exactly, ties
  // included.
  double theta(int t) const { return shape().theta(t); }
  double cos_theta(int t) const { return normals_[static_cast<std::size_t>(t)].cosine; }
  double sin_theta(int t) const { return normals_[static_cast<std::size_t>(t)].sine; }

  double bin_width() const { return bin_width_; }                          // pixels
  double rho(int r) const { return (r - shape().center()) * bin_width_; }  // pixels
  PixelLine line(Cell cell) const { return {theta(cell.t), rho(cell.r)}; }

  int bin(int t, int column, int row) const {
    return vote_bin(frame_.x(column), frame_.y(row), cos_theta(t), sin_theta(t), bin_width_) +
           shape().center();
  }

  // Lines that cross the box of pixel centres: |rho| < h_x |cos| + h_y |sin| (Eq. 8). For the
  // paper's grid 14,395 cells; the paper counts 14,384 by a convention it does not state.
  bool resolvable(Cell cell) const;
  std::vector<Cell> resolvable_cells() const;

  friend bool operator==(const HoughGrid& a, const HoughGrid& b) {
    return a.frame_ == b.frame_ && a.thetas_ == b.thetas_ && a.rhos_ == b.rhos_;
  }

 private:
  ImageFrame frame_;
  int thetas_;
  int rhos_;
  double bin_width_ = 0.0;
  std::vector<Normal> normals_;  // of each angle
};

}  // namespace vsmax
