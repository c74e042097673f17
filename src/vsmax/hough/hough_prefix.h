// SPDX-License-Identifier: Apache-2.0
// The prefix sums of a tile's lines; votes are their differences (Eq. 10).
//
// Internal to the kernels; included once per instruction set.
#if defined(VSMAX_HOUGH_PREFIX_H) == defined(HWY_TARGET_TOGGLE)
#ifdef VSMAX_HOUGH_PREFIX_H
#undef VSMAX_HOUGH_PREFIX_H
#else
#define VSMAX_HOUGH_PREFIX_H
#endif

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "vsmax/base/every_target.h"
#include "vsmax/hough/hough_lanes.h"

HWY_BEFORE_NAMESPACE();
namespace vsmax::HWY_NAMESPACE {
namespace {

// The four mirror images of the pixel at `place` of a line.
template <class Value, class Pixel>
inline Lanes<Value> mirror_images(const Lines& lines, const Pixel* image, std::size_t line,
                                  std::size_t place) {
  const bool paired = lines.paired(line);
  const auto at = [&](std::size_t first, std::size_t p) {
    return static_cast<Value>(image[first + p * lines.step]);
  };
  const std::size_t back = lines.length - 1 - place;
  const Value forth_own = at(lines.first(line), place);
  const Value back_own = at(lines.first(line), back);
  const Value forth_other = at(lines.partner(line), place);
  const Value back_other = at(lines.partner(line), back);
  if (lines.scan == Scan::kRows)
    return Lanes<Value>{forth_own, paired ? back_other : Value{}, back_own,
                        paired ? forth_other : Value{}};
  return Lanes<Value>{forth_own, paired ? back_other : Value{}, forth_other,
                      paired ? back_own : Value{}};
}

// Neighbouring pixels of a column are a whole row apart, in a large image a page or more, and a
// tile uses only half of each cache line that it touches. So the columns of a few tiles, and their
// partners on the other side of the image, are first copied to contiguous memory.
inline constexpr std::size_t kStripTiles = 8;
inline constexpr std::size_t kStripColumns = kStripTiles * kLinesPerTile;

template <class Pixel>
class ColumnStrips {
 public:
  // `memory` has room for 2 kStripColumns pixels per row.
  ColumnStrips(const Lines& lines, const Pixel* image, Pixel* memory)
      : lines_(lines), image_(image), memory_(memory) {
    constexpr std::size_t kLarge = 1 << 20;  // bytes
    copies_ = lines.scan == Scan::kColumns && lines.length * lines.step * sizeof(Pixel) > kLarge;
  }

  // Must be called before the lines of a tile are read, for the tiles in order.
  void move_to(std::size_t tile) {
    if (!copies_ || tile % kStripTiles != 0) return;
    first_ = tile * kLinesPerTile;
    const std::size_t columns = std::min(kStripColumns, lines_.count - first_);
    for (std::size_t y = 0; y < lines_.length; ++y) {
      const Pixel* row = image_ + y * lines_.step;
      Pixel* own = memory_ + 2 * kStripColumns * y;
      std::memcpy(own, row + first_, columns * sizeof(Pixel));
      std::memcpy(own + 2 * kStripColumns - columns, row + lines_.count - first_ - columns,
                  columns * sizeof(Pixel));
    }
  }

  std::size_t step() const { return copies_ ? 2 * kStripColumns : lines_.step; }
  // The first pixel of a column, and of its partner on the other side.
  const Pixel* own(std::size_t line) const {
    return copies_ ? memory_ + (line - first_) : image_ + lines_.first(line);
  }
  const Pixel* partner(std::size_t line) const {
    return copies_ ? memory_ + 2 * kStripColumns - 1 - (line - first_)
                   : image_ + lines_.partner(line);
  }

 private:
  const Lines& lines_;
  const Pixel* image_;
  Pixel* memory_;
  bool copies_ = false;
  std::size_t first_ = 0;
};

// The running sums of a tile's lines, and where their prefix sums are stored.
template <class Value>
struct TilePrefix {
  Lanes<Value>* places;
  Lanes<Value> sums[kLinesPerTile] = {};

  Lanes<Value>* after(std::size_t place) { return places + (place + 1) * kLinesPerTile; }
};

// Fills four places of eight rows at a time; returns the first place not yet filled.
template <class Value, class Pixel>
std::size_t fill_rows(const Lines& lines, const Pixel* image, std::size_t first_line,
                      TilePrefix<Value>& prefix) {
  const RowsOfTile<const Pixel> tile(lines, image, first_line);
  Twins<Value> sums[kHalfTile] = {};
  std::size_t p = 0;
  for (; p + 4 <= lines.length; p += 4) {
    const std::size_t back = lines.length - 4 - p;
#pragma GCC unroll 4
    for (std::size_t twin = 0; twin < kHalfTile; ++twin) {
      const RowTwins<const Pixel>& rows = tile.twins[twin];
      Twins<Value> four[4] = {
          load_twins<Value>(rows.own + p, rows.next_own + p),
          reversed_twins<Value>(load_twins<Value>(rows.other + back, rows.next_other + back)),
          reversed_twins<Value>(load_twins<Value>(rows.own + back, rows.next_own + back)),
          load_twins<Value>(rows.other + p, rows.next_other + p)};
      transpose_twins<Value>(four);
#pragma GCC unroll 4
      for (std::size_t i = 0; i < 4; ++i) {
        sums[twin] += four[i];
        std::memcpy(static_cast<void*>(prefix.after(p + i) + 2 * twin), &sums[twin],
                    sizeof sums[twin]);
      }
    }
  }
  std::memcpy(static_cast<void*>(prefix.sums), &sums, sizeof sums);
  return p;
}

// Fills all places of eight columns; returns their number.
template <class Value, class Pixel>
std::size_t fill_columns(const Lines& lines, const ColumnStrips<Pixel>& columns,
                         std::size_t first_line, TilePrefix<Value>& prefix) {
  const Pixel* own = columns.own(first_line);
  const Pixel* other = columns.partner(first_line + kLinesPerTile - 1);
  Lanes<Value>* const places = prefix.after(0);
  const std::size_t step = columns.step();
  const std::size_t length = lines.length;
  Twins<Value> sums[kHalfTile] = {};
  for (std::size_t p = 0; p < length; ++p) {
    const std::size_t forth = p * step;
    const std::size_t back = (length - 1 - p) * step;
    Twins<Value> four[4] = {apart<Value>(load_twins<Value>(own + forth)),
                            apart_back<Value>(load_twins<Value>(other + back)),
                            apart_back<Value>(load_twins<Value>(other + forth)),
                            apart<Value>(load_twins<Value>(own + back))};
    transpose_twins<Value>(four);
#pragma GCC unroll 4
    for (std::size_t l = 0; l < kHalfTile; ++l) {
      sums[l] += four[l];
      auto* place = reinterpret_cast<Value*>(places + p * kLinesPerTile + 2 * l);
      store_twins<Value>(sums[l], place);
    }
  }
  return length;
}

// places[p][l] = the sums of the first p pixels of the four mirror images of line l of a tile, for
// p = 0 .. length.
template <class Value, class Pixel>
void fill_tile(const Lines& lines, const Pixel* image, const ColumnStrips<Pixel>& columns,
               std::size_t first_line, Lanes<Value>* places) {
  TilePrefix<Value> prefix{places};
  std::fill_n(places, kLinesPerTile, Lanes<Value>{});
  std::size_t p = 0;
  if (whole_tile(lines, first_line))
    p = lines.scan == Scan::kRows ? fill_rows(lines, image, first_line, prefix)
                                  : fill_columns(lines, columns, first_line, prefix);
  const std::size_t count = std::min(kLinesPerTile, lines.halves - first_line);
  for (; p < lines.length; ++p)
    for (std::size_t l = 0; l < count; ++l) {
      prefix.sums[l] += mirror_images<Value>(lines, image, first_line + l, p);
      prefix.after(p)[l] = prefix.sums[l];
    }
}

}  // namespace
}  // namespace vsmax::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
