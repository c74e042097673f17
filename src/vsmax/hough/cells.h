// SPDX-License-Identifier: Apache-2.0
// Values over the cells of a grid: an accumulator, logits, a distribution. A view knows its shape
// and its cover, so that no index arithmetic is written elsewhere.
#pragma once

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <type_traits>

#include "vsmax/base/host_device.h"
#include "vsmax/geometry/cover.h"
#include "vsmax/geometry/line.h"

namespace vsmax {

// A cell: theta index t in [0, rows), rho index r in [0, R).
struct Cell {
  int t = 0;
  int r = 0;
};

// The shape of an accumulator: T x R cells on the single cover, 2T x R on the double cover. Row t
// holds all rho of one angle contiguously.
struct CellShape {
  int thetas = 0;
  int rhos = 0;
  Cover cover = Cover::kSingle;

  VSMAX_HOST_DEVICE int rows() const { return cover == Cover::kDouble ? 2 * thetas : thetas; }
  VSMAX_HOST_DEVICE std::size_t count() const {
    return static_cast<std::size_t>(rows()) * static_cast<std::size_t>(rhos);
  }
  VSMAX_HOST_DEVICE std::size_t index(Cell cell) const {
    return static_cast<std::size_t>(cell.t) * static_cast<std::size_t>(rhos) +
           static_cast<std::size_t>(cell.r);
  }
  bool contains(Cell cell) const {
    return cell.t >= 0 && cell.t < rows() && cell.r >= 0 && cell.r < rhos;
  }
  Cell cell(std::size_t index) const {
    const auto width = static_cast<std::size_t>(rhos);
    return {static_cast<int>(index / width), static_cast<int>(index % width)};
  }

  // The cell of the same line, for a t that lies outside the cover's rows by less than one period.
  VSMAX_HOST_DEVICE Cell across_seam(Cell cell) const {
    const SeamRow row = row_across_seam(cover, rows(), cell.t);
    return {row.row, row.flipped ? rhos - 1 - cell.r : cell.r};
  }

  VSMAX_HOST_DEVICE CellShape on(Cover other) const { return {thetas, rhos, other}; }

  // The line of a cell: theta_t = pi t / T, and rho evenly spaced over [-1, 1] with R odd, so that
  // replacing r by R-1-r negates rho exactly.
  double theta(int t) const { return std::numbers::pi * t / thetas; }
  double rho(int r) const { return static_cast<double>(r - center()) / center(); }
  UnitLine line(Cell cell) const { return {theta(cell.t), rho(cell.r)}; }
  VSMAX_HOST_DEVICE int center() const { return (rhos - 1) / 2; }

  friend bool operator==(const CellShape&, const CellShape&) = default;
};

// The cell of the single cover nearest to the line; for a line far from the image, r lies outside
// the accumulator.
VSMAX_HOST_DEVICE inline Cell nearest_cell(const CellShape& shape, UnitLine line) {
  line = canonical(line);
  int t = static_cast<int>(std::lround(line.theta / std::numbers::pi * shape.thetas));
  double rho = line.rho;
  if (t == shape.thetas) {  // nearer to pi than to the last angle: row 0 with rho flipped
    t = 0;
    rho = -rho;
  }
  const int half = shape.center();
  const double bin = std::clamp(rho * half, -2.0 * half, 2.0 * half);
  return {t, static_cast<int>(std::lround(bin)) + half};
}

// How far a neighbourhood extends from its middle cell, in cells to either side.
struct CellReach {
  int t = 0;
  int r = 0;
};

// Calls body(cell) once for every cell of the single cover within `reach` of the center, including
// those across the seam.
template <class Body>
VSMAX_HOST_DEVICE void for_each_near(const CellShape& shape, Cell center, CellReach reach,
                                     const Body& body) {
  assert(shape.cover == Cover::kSingle);
  const int rows = std::min(reach.t, (shape.thetas - 1) / 2);
  for (int dt = -rows; dt <= rows; ++dt) {
    const Cell middle = shape.across_seam({center.t + dt, center.r});
    const int last = std::min(middle.r + reach.r, shape.rhos - 1);
    for (int r = std::max(middle.r - reach.r, 0); r <= last; ++r) body(Cell{middle.t, r});
  }
}

// A non-owning view, like std::span. Cells<const float> is read-only.
template <class Value>
class Cells {
 public:
  Cells(Value* data, CellShape shape) : data_(data), shape_(shape) {}

  // A writable view converts to a read-only one.
  operator Cells<const Value>() const  // NOLINT(google-explicit-constructor)
      requires(!std::is_const_v<Value>) {
    return {data_, shape_};
  }

  const CellShape& shape() const { return shape_; }
  std::size_t size() const { return shape_.count(); }
  Value* data() const { return data_; }
  Value* begin() const { return data_; }
  Value* end() const { return data_ + size(); }

  Value& at(Cell cell) const {
    assert(shape_.contains(cell));
    return data_[shape_.index(cell)];
  }
  Value* row(int t) const {
    assert(t >= 0 && t < shape_.rows());
    return data_ + shape_.index({t, 0});
  }

 private:
  Value* data_;
  CellShape shape_;
};

// twice[t][r] = once[t][r] and twice[T+t][r] = once[t][R-1-r]: an accumulator on both sheets
// (Eq. 12). `twice` has the shape of `once` on the double cover.
template <class Value>
void double_cover(std::type_identity_t<Cells<const Value>> once, Cells<Value> twice) {
  assert(twice.shape() == once.shape().on(Cover::kDouble));
  const auto [thetas, rhos, cover] = once.shape();
  for (int t = 0; t < thetas; ++t) {
    const Value* row = once.row(t);
    Value* same = twice.row(t);
    Value* flipped = twice.row(thetas + t);
    for (int r = 0; r < rhos; ++r) {
      same[r] = row[r];
      flipped[rhos - 1 - r] = row[r];
    }
  }
}

// once[t][r] = twice[t][r] + twice[T+t][R-1-r]: the adjoint of double_cover, which also folds a
// distribution on the double cover onto the lines.
template <class Value>
void fold_double_cover(std::type_identity_t<Cells<const Value>> twice, Cells<Value> once) {
  assert(twice.shape() == once.shape().on(Cover::kDouble));
  const auto [thetas, rhos, cover] = once.shape();
  for (int t = 0; t < thetas; ++t) {
    const Value* same = twice.row(t);
    const Value* flipped = twice.row(thetas + t);
    Value* row = once.row(t);
    for (int r = 0; r < rhos; ++r) row[r] = same[r] + flipped[rhos - 1 - r];
  }
}

}  // namespace vsmax
