// SPDX-License-Identifier: Apache-2.0
// One quarter of the runs serves four mirror images at once. For t <= T/2 and a row j of the upper
// half, with row j' = H-1-j below, the same runs are
//   lane 0: row j            for (t, k)
//   lane 1: row j' backwards for (t, R-1-k)
//   lane 2: row j backwards  for (T-t, k)
//   lane 3: row j'           for (T-t, R-1-k)
// so four prefix sums lie side by side and one vector subtraction serves four bins. The same holds
// along columns, with c and c' = W-1-c for j and j', except that lanes 2 and 3 swap lines: T-t
// mirrors x, which now distinguishes the lines.
//
// Internal to the kernels; included once per instruction set.
#if defined(VSMAX_HOUGH_LANES_H) == defined(HWY_TARGET_TOGGLE)
#ifdef VSMAX_HOUGH_LANES_H
#undef VSMAX_HOUGH_LANES_H
#else
#define VSMAX_HOUGH_LANES_H
#endif

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "vsmax/base/every_target.h"
#include "vsmax/hough/hough_kernels.h"

HWY_BEFORE_NAMESPACE();
namespace vsmax::HWY_NAMESPACE {
namespace {

template <class Value>
struct LanesOf {
  using type __attribute__((vector_size(4 * sizeof(Value)))) = Value;
};
template <class Value>
using Lanes = typename LanesOf<Value>::type;

struct Shape {
  explicit Shape(const HoughGrid& grid)
      : width(static_cast<std::size_t>(grid.frame().width)),
        height(static_cast<std::size_t>(grid.frame().height)),
        thetas(static_cast<std::size_t>(grid.thetas())),
        rhos(static_cast<std::size_t>(grid.rhos())),
        angles(static_cast<std::size_t>(half_thetas(grid))) {}

  // Whether the mirrored angle T-t differs from t.
  bool has_mirror(std::size_t t) const {
    return vsmax::has_mirror(static_cast<int>(t), static_cast<int>(thetas));
  }

  std::size_t width, height, thetas, rhos;
  std::size_t angles;  // of the half that is computed
};

// The lines of a scan, as offsets into the image.
struct Lines {
  Lines(const HoughGrid& grid, Scan the_scan)
      : scan(the_scan),
        length(static_cast<std::size_t>(scan_length(grid, the_scan))),
        halves(static_cast<std::size_t>(half_lines(grid, the_scan))),
        tiles(static_cast<std::size_t>(tile_count(grid, the_scan))),
        count(static_cast<std::size_t>(the_scan == Scan::kRows ? grid.frame().height
                                                               : grid.frame().width)),
        step(the_scan == Scan::kRows ? 1 : static_cast<std::size_t>(grid.frame().width)),
        line_step(the_scan == Scan::kRows ? static_cast<std::size_t>(grid.frame().width) : 1) {
    const AngleRange angles = angles_of(grid, the_scan);
    first_angle = static_cast<std::size_t>(angles.begin);
    end_angle = static_cast<std::size_t>(angles.end);
  }

  // If the number of lines is odd, the middle one is its own partner and fills only lanes 0 and 2.
  bool paired(std::size_t line) const { return 2 * line + 1 != count; }
  std::size_t first(std::size_t line) const { return line * line_step; }
  std::size_t partner(std::size_t line) const { return (count - 1 - line) * line_step; }

  Scan scan;
  std::size_t length, halves, tiles, count;
  std::size_t step, line_step;                 // strides from pixel to pixel and from line to line
  std::size_t first_angle = 0, end_angle = 0;  // the angles scanned this way
};

// Calls body(runs) with the runs of (t, tile), from the table or computed on the fly.
template <class Body>
inline void with_runs(const HoughPlan& plan, std::vector<std::uint32_t>& found, std::size_t t,
                      std::size_t tile, const Body& body) {
  if (plan.table != nullptr)
    body(plan.table->runs(static_cast<int>(t), static_cast<int>(tile)));
  else
    body(find_tile_runs(plan.grid, static_cast<int>(t), static_cast<int>(tile), found));
}

// Two edges in one load: the kernels' inner loops are limited by loads per cycle.
struct EdgePair {
  std::size_t first, second;
};
inline EdgePair load_edges(const std::uint16_t* edges) {
  static_assert(std::endian::native == std::endian::little);
  std::uint32_t both = 0;
  std::memcpy(&both, edges, sizeof both);
  EdgePair pair{both & 0xFFFFU, both >> 16U};
  // Hides from the compiler where the numbers come from. Otherwise it would spend an instruction
  // per edge on adding the line's offset in the tile, which the addressing mode does for free.
  asm("" : "+r"(pair.first), "+r"(pair.second));
  return pair;
}
inline EdgePair load_edges(const std::uint32_t* edges) { return {edges[0], edges[1]}; }

template <class Value, class Pixel>
inline Lanes<Value> load_four(const Pixel* from) {
  Lanes<Pixel> four;
  std::memcpy(&four, from, sizeof four);
  return __builtin_convertvector(four, Lanes<Value>);
}

template <class Value>
inline Lanes<Value> reversed(const Lanes<Value>& v) {
  return __builtin_shufflevector(v, v, 3, 2, 1, 0);
}

// rows[i][j] <-> rows[j][i].
template <class Value>
inline void transpose(Lanes<Value> (&rows)[4]) {
  const Lanes<Value> low01 = __builtin_shufflevector(rows[0], rows[1], 0, 4, 1, 5);
  const Lanes<Value> high01 = __builtin_shufflevector(rows[0], rows[1], 2, 6, 3, 7);
  const Lanes<Value> low23 = __builtin_shufflevector(rows[2], rows[3], 0, 4, 1, 5);
  const Lanes<Value> high23 = __builtin_shufflevector(rows[2], rows[3], 2, 6, 3, 7);
  rows[0] = __builtin_shufflevector(low01, low23, 0, 1, 4, 5);
  rows[1] = __builtin_shufflevector(low01, low23, 2, 3, 6, 7);
  rows[2] = __builtin_shufflevector(high01, high23, 0, 1, 4, 5);
  rows[3] = __builtin_shufflevector(high01, high23, 2, 3, 6, 7);
}

// The lanes of two lines side by side: half the instructions where registers are that wide.
template <class Value>
struct TwinsOf {
  using type __attribute__((vector_size(8 * sizeof(Value)))) = Value;
};
template <class Value>
using Twins = typename TwinsOf<Value>::type;

template <class Value, class Pixel>
inline Twins<Value> load_twins(const Pixel* one, const Pixel* other) {
  return __builtin_shufflevector(load_four<Value>(one), load_four<Value>(other), 0, 1, 2, 3, 4, 5,
                                 6, 7);
}

// Two lines whose four pixels each are contiguous in memory.
template <class Value, class Pixel>
inline Twins<Value> load_twins(const Pixel* both) {
  Twins<Pixel> eight;
  std::memcpy(&eight, both, sizeof eight);
  return __builtin_convertvector(eight, Twins<Value>);
}

template <class Value, class Pixel>
inline void store_twins(const Twins<Value>& twins, Pixel* one, Pixel* other) {
  const Twins<Pixel> eight = __builtin_convertvector(twins, Twins<Pixel>);
  constexpr std::size_t kHalf = sizeof eight / 2;
  std::memcpy(one, &eight, kHalf);
  std::memcpy(other, reinterpret_cast<const std::byte*>(&eight) + kHalf, kHalf);
}

template <class Value, class Pixel>
inline void store_twins(const Twins<Value>& twins, Pixel* both) {
  const Twins<Pixel> eight = __builtin_convertvector(twins, Twins<Pixel>);
  std::memcpy(both, &eight, sizeof eight);
}

template <class Value>
inline Twins<Value> reversed_twins(const Twins<Value>& v) {
  return __builtin_shufflevector(v, v, 3, 2, 1, 0, 7, 6, 5, 4);
}

// Transposes each half separately.
template <class Value>
inline void transpose_twins(Twins<Value> (&rows)[4]) {
  const Twins<Value> low01 = __builtin_shufflevector(rows[0], rows[1], 0, 8, 1, 9, 4, 12, 5, 13);
  const Twins<Value> high01 = __builtin_shufflevector(rows[0], rows[1], 2, 10, 3, 11, 6, 14, 7, 15);
  const Twins<Value> low23 = __builtin_shufflevector(rows[2], rows[3], 0, 8, 1, 9, 4, 12, 5, 13);
  const Twins<Value> high23 = __builtin_shufflevector(rows[2], rows[3], 2, 10, 3, 11, 6, 14, 7, 15);
  rows[0] = __builtin_shufflevector(low01, low23, 0, 1, 8, 9, 4, 5, 12, 13);
  rows[1] = __builtin_shufflevector(low01, low23, 2, 3, 10, 11, 6, 7, 14, 15);
  rows[2] = __builtin_shufflevector(high01, high23, 0, 1, 8, 9, 4, 5, 12, 13);
  rows[3] = __builtin_shufflevector(high01, high23, 2, 3, 10, 11, 6, 7, 14, 15);
}

// Separates eight columns into even and odd ones, so that neighbours become twins: `apart` starts
// at the first column, `apart_back` at the last, for partner columns, whose order is reversed.
// `together` and `together_back` are the inverses.
template <class Value>
inline Twins<Value> apart(const Twins<Value>& v) {
  return __builtin_shufflevector(v, v, 0, 2, 4, 6, 1, 3, 5, 7);
}
template <class Value>
inline Twins<Value> apart_back(const Twins<Value>& v) {
  return __builtin_shufflevector(v, v, 7, 5, 3, 1, 6, 4, 2, 0);
}
template <class Value>
inline Twins<Value> together(const Twins<Value>& v) {
  return __builtin_shufflevector(v, v, 0, 4, 1, 5, 2, 6, 3, 7);
}
template <class Value>
inline Twins<Value> together_back(const Twins<Value>& v) {
  return __builtin_shufflevector(v, v, 7, 3, 6, 2, 5, 1, 4, 0);
}

// The first pixels of two neighbouring rows and of their partners.
template <class Pixel>
struct RowTwins {
  RowTwins(const Lines& lines, Pixel* image, std::size_t line)
      : own(image + lines.first(line)),
        other(image + lines.partner(line)),
        next_own(image + lines.first(line + 1)),
        next_other(image + lines.partner(line + 1)) {}

  Pixel *own, *other, *next_own, *next_other;
};

// The same for a whole tile; computed once, because there are too many to keep in registers.
template <class Pixel>
struct RowsOfTile {
  RowsOfTile(const Lines& lines, Pixel* image, std::size_t first_line)
      : twins{{lines, image, first_line},
              {lines, image, first_line + 2},
              {lines, image, first_line + 4},
              {lines, image, first_line + 6}} {}

  RowTwins<Pixel> twins[4];
};

// Whether a tile has all eight lines and none of them is its own partner.
inline bool whole_tile(const Lines& lines, std::size_t first_line) {
  const std::size_t last_line = first_line + kLinesPerTile - 1;
  return last_line < lines.halves && lines.paired(last_line);
}

// The eight lines of a tile are four pairs of twins.
inline constexpr std::size_t kHalfTile = kLinesPerTile / 2;
static_assert(kHalfTile == 4);

}  // namespace
}  // namespace vsmax::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
