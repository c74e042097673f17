// SPDX-License-Identifier: Apache-2.0
// The accumulator's grid and the one definition of which cell a pixel votes for (Eq. 7).
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

#include "vsmax/geometry/image_frame.h"
#include "vsmax/geometry/line.h"

namespace vsmax {

// A cell: theta index t in [0, T), rho index r in [0, R).
struct Cell {
  int t = 0;
  int r = 0;
};

// theta_t = pi t / T over the half circle; rho_r evenly spaced over [-D, D] with R odd, so that
// r -> R-1-r is rho -> -rho exactly. An accumulator is T x R values, row t holds all rho.
class HoughGrid {
 public:
  // Throws Error for a frame below 2x2, T < 1, R < 3 or R even.
  HoughGrid(ImageFrame frame, int thetas, int rhos);

  // The paper's: 256x256 pixels, T = R = 127.
  static HoughGrid paper() { return {{256, 256}, 127, 127}; }

  const ImageFrame& frame() const { return frame_; }
  int thetas() const { return thetas_; }
  int rhos() const { return rhos_; }
  std::size_t cells() const {
    return static_cast<std::size_t>(thetas_) * static_cast<std::size_t>(rhos_);
  }

  double theta(int t) const;
  double cos_theta(int t) const { return cos_[static_cast<std::size_t>(t)]; }
  double sin_theta(int t) const { return sin_[static_cast<std::size_t>(t)]; }
  double bin_width() const { return bin_width_; }                                        // pixels
  double rho(int r) const { return (r - center()) * bin_width_; }                        // pixels
  double rho_unit(int r) const { return static_cast<double>(r - center()) / center(); }  // of D
  PolarLine line(Cell cell) const { return {theta(cell.t), rho(cell.r)}; }

  // Nearest rho bin, ties away from zero. The trigonometric table is mirrored about T/2, so that
  // bin(T-t, x, y) = bin(t, -x, y) and bin(t, -x, -y) = R-1 - bin(t, x, y) hold to the last tie.
  int bin(int t, int column, int row) const {
    const double offset = frame_.x(column) * cos_theta(t) + frame_.y(row) * sin_theta(t);
    return round_half_away(offset / bin_width_) + center();
  }

  // Lines that cross the box of pixel centres: |rho| < h_x |cos| + h_y |sin| (Eq. 8). For the
  // paper's grid 14,395 cells; the paper counts 14,384 by a convention it does not state.
  bool resolvable(Cell cell) const;
  std::vector<Cell> resolvable_cells() const;

  friend bool operator==(const HoughGrid& a, const HoughGrid& b) {
    return a.frame_ == b.frame_ && a.thetas_ == b.thetas_ && a.rhos_ == b.rhos_;
  }

 private:
  int center() const { return (rhos_ - 1) / 2; }

  // std::round, which is a library call where the processor is not known to have SSE 4.1. The
  // difference below is exact.
  static int round_half_away(double value) {
    const int whole = static_cast<int>(value);
    const double rest = value - whole;
    return whole + (rest >= 0.5 ? 1 : 0) - (rest <= -0.5 ? 1 : 0);
  }

  ImageFrame frame_;
  int thetas_;
  int rhos_;
  double bin_width_ = 0.0;
  std::vector<double> cos_;
  std::vector<double> sin_;
};

}  // namespace vsmax
