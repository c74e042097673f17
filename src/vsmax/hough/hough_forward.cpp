// SPDX-License-Identifier: Apache-2.0
// Votes as differences of prefix sums (Eq. 10).
#if VSMAX_WITH_HIGHWAY
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "vsmax/hough/hough_forward.cpp"
// Four lanes are too few for wider registers.
#define HWY_DISABLED_TARGETS (HWY_AVX3 | HWY_AVX3_DL)
#include <hwy/foreach_target.h>
#endif
#include <algorithm>
#include <cstring>
#include <vector>

#include "vsmax/base/every_target.h"
#include "vsmax/hough/hough_kernels.h"
#include "vsmax/hough/hough_lanes.h"

HWY_BEFORE_NAMESPACE();
namespace vsmax {
namespace HWY_NAMESPACE {
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

// prefix[p][l] = the sums of the first p pixels of the four mirror images of line l of a tile, for
// length + 1 places p. The four lines of a group go side by side, since a sum must wait for the one
// before.
template <class Value, class Pixel>
void fill_group(const Lines& lines, const Pixel* image, std::size_t first_line,
                Lanes<Value>* prefix) {
  const bool whole = whole_group(lines, first_line);
  Lanes<Value> sums[kGroup] = {};
  for (std::size_t l = 0; l < kGroup; ++l) prefix[l] = Lanes<Value>{};
  std::size_t p = 0;
  const auto put = [&](std::size_t place, std::size_t l, const Lanes<Value>& images) {
    sums[l] += images;
    prefix[(place + 1) * kLinesPerTile + l] = sums[l];
  };
  if (whole && lines.scan == Scan::kColumns) {
    const Pixel* own = image + lines.first(first_line);
    const Pixel* other = image + lines.partner(first_line + kGroup - 1);
    for (; p < lines.length; ++p) {
      const std::size_t forth = p * lines.step;
      const std::size_t back = (lines.length - 1 - p) * lines.step;
      Lanes<Value> four[kGroup] = {
          load_four<Value>(own + forth), reversed<Value>(load_four<Value>(other + back)),
          reversed<Value>(load_four<Value>(other + forth)), load_four<Value>(own + back)};
      transpose<Value>(four);
      for (std::size_t l = 0; l < kGroup; ++l) put(p, l, four[l]);
    }
  }
  if (whole && lines.scan == Scan::kRows) {
    for (; p + 4 <= lines.length; p += 4) {
      const std::size_t back = lines.length - 4 - p;
      Lanes<Value> four[kGroup][4];
      for (std::size_t l = 0; l < kGroup; ++l) {
        const Pixel* own = image + lines.first(first_line + l);
        const Pixel* other = image + lines.partner(first_line + l);
        four[l][0] = load_four<Value>(own + p);
        four[l][1] = reversed<Value>(load_four<Value>(other + back));
        four[l][2] = reversed<Value>(load_four<Value>(own + back));
        four[l][3] = load_four<Value>(other + p);
        transpose<Value>(four[l]);
      }
      for (std::size_t i = 0; i < 4; ++i)
        for (std::size_t l = 0; l < kGroup; ++l) put(p + i, l, four[l][i]);
    }
  }
  const std::size_t end_line = std::min(first_line + kGroup, lines.halves);
  for (; p < lines.length; ++p)
    for (std::size_t line = first_line; line < end_line; ++line)
      put(p, line - first_line, mirror_images<Value>(lines, image, line, p));
}

// bins[i] += the sum of run i over the lines of a tile.
template <class Value, class Index>
inline void add_runs(const TileRuns<Index>& runs, const Lanes<Value>* prefix, Lanes<Value>* bins) {
  static_assert(kLinesPerTile == 8);
  const auto* places = reinterpret_cast<const std::byte*>(prefix);
  const auto at = [places](std::size_t edge, std::size_t line) {
    constexpr std::size_t kUnit = kLinesPerTile * sizeof(Lanes<Value>) / kEdgeUnits;
    return *reinterpret_cast<const Lanes<Value>*>(places + edge * kUnit +
                                                  line * sizeof(Lanes<Value>));
  };
  const Index* edges = runs.edges;
  Lanes<Value> before[kLinesPerTile];
#pragma GCC unroll 8
  for (std::size_t l = 0; l < kLinesPerTile; ++l) before[l] = at(edges[l], l);
  for (std::size_t i = 0; i < runs.bins; ++i) {
    edges += kLinesPerTile;
    Lanes<Value> sums[kLinesPerTile];
#pragma GCC unroll 8
    for (std::size_t l = 0; l < kLinesPerTile; ++l) {
      const Lanes<Value> after = at(edges[l], l);
      sums[l] = after - before[l];
      before[l] = after;
    }
    bins[i] +=
        ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
  }
}

// Two images of bytes in one of 32 bits, a pixel of the second in the upper half. Sums of packed
// pixels are packed sums as long as each fits its half: where prefix sums run over, their
// difference does not, since all is modulo 2^32.
using Packed = Lanes<std::uint32_t>;

// The same as add_runs for packed pixels: what a tile adds to a bin fits 16 bits, so its lines can
// be added before they are subtracted.
template <class Index>
inline void add_packed_runs(const TileRuns<Index>& runs, const Packed* prefix, Packed* first_bins,
                            Packed* second_bins) {
  const auto* places = reinterpret_cast<const std::byte*>(prefix);
  const auto sum_at = [places](const Index* edges) {
    constexpr std::size_t kUnit = kLinesPerTile * sizeof(Packed) / kEdgeUnits;
    Packed values[kLinesPerTile];
#pragma GCC unroll 8
    for (std::size_t l = 0; l < kLinesPerTile; ++l)
      values[l] = *reinterpret_cast<const Packed*>(places + edges[l] * kUnit + l * sizeof(Packed));
    return ((values[0] + values[1]) + (values[2] + values[3])) +
           ((values[4] + values[5]) + (values[6] + values[7]));
  };
  const Index* edges = runs.edges;
  Packed before = sum_at(edges);
  for (std::size_t i = 0; i < runs.bins; ++i) {
    const Packed after = sum_at(edges += kLinesPerTile);
    const Packed sum = after - before;
    first_bins[i] += sum & 0xFFFFU;
    second_bins[i] += sum >> 16U;
    before = after;
  }
}

template <class Value, class Out>
void unfold_lanes(const Shape& shape, const Lanes<Value>* sums, Out* accumulator) {
  for (std::size_t t = 0; t < shape.angles; ++t) {
    const Lanes<Value>* row = sums + t * shape.rhos;
    Out* direct = accumulator + t * shape.rhos;
    for (std::size_t k = 0; k < shape.rhos; ++k)
      direct[k] = static_cast<Out>(row[k][0] + row[shape.rhos - 1 - k][1]);
    if (!shape.has_mirror(t)) continue;
    Out* mirror = accumulator + (shape.thetas - t) * shape.rhos;
    for (std::size_t k = 0; k < shape.rhos; ++k)
      mirror[k] = static_cast<Out>(row[k][2] + row[shape.rhos - 1 - k][3]);
  }
}

// Value is the type the sums are made in.
template <class Value, class Pixel, class Out>
void forward_image(const HoughPlan& plan, const Pixel* image, Out* accumulator, void* scratch) {
  const Shape shape(plan.grid);
  auto* sums = static_cast<Lanes<Value>*>(scratch);
  Lanes<Value>* prefix = sums + shape.angles * shape.rhos;
  std::fill(sums, prefix, Lanes<Value>{});
  std::vector<std::uint32_t> found;

  // The prefix sums of a tile stay in the first-level cache while all angles read them. A line that
  // the last tile lacks has only empty runs, which begin and end at its first place.
  for (const Scan scan : kScans) {
    const Lines lines(plan.grid, scan);
    for (std::size_t tile = 0; tile < lines.tiles; ++tile) {
      for (std::size_t group = 0; group < kLinesPerTile; group += kGroup)
        fill_group<Value>(lines, image, tile * kLinesPerTile + group, prefix + group);
      for (std::size_t t = lines.first_angle; t < lines.end_angle; ++t)
        with_runs(plan, found, t, tile, [&](const auto& runs) {
          add_runs<Value>(runs, prefix, sums + t * shape.rhos + runs.first_bin);
        });
    }
  }
  unfold_lanes<Value>(shape, sums, accumulator);
}

// Two images of bytes; `second` may be the first again, for an odd number of them.
void forward_byte_pair(const HoughPlan& plan, const std::uint8_t* first, const std::uint8_t* second,
                       std::uint32_t* first_out, std::uint32_t* second_out, void* scratch) {
  const Shape shape(plan.grid);
  const std::size_t bins = shape.angles * shape.rhos;
  auto* first_sums = static_cast<Packed*>(scratch);
  Packed* second_sums = first_sums + bins;
  Packed* prefix = second_sums + bins;
  auto* packed = reinterpret_cast<std::uint32_t*>(
      prefix + kLinesPerTile * (std::max(shape.width, shape.height) + 1));
  std::fill(first_sums, prefix, Packed{});
  for (std::size_t i = 0; i < shape.width * shape.height; ++i)
    packed[i] = first[i] | static_cast<std::uint32_t>(second[i]) << 16U;
  std::vector<std::uint32_t> found;

  for (const Scan scan : kScans) {
    const Lines lines(plan.grid, scan);
    for (std::size_t tile = 0; tile < lines.tiles; ++tile) {
      for (std::size_t group = 0; group < kLinesPerTile; group += kGroup)
        fill_group<std::uint32_t>(lines, packed, tile * kLinesPerTile + group, prefix + group);
      for (std::size_t t = lines.first_angle; t < lines.end_angle; ++t)
        with_runs(plan, found, t, tile, [&](const auto& runs) {
          const std::size_t bin = t * shape.rhos + static_cast<std::size_t>(runs.first_bin);
          add_packed_runs(runs, prefix, first_sums + bin, second_sums + bin);
        });
    }
  }
  unfold_lanes<std::uint32_t>(shape, first_sums, first_out);
  if (second_out != first_out) unfold_lanes<std::uint32_t>(shape, second_sums, second_out);
}

void forward_float(const HoughPlan& plan, const float* image, float* accumulator, void* scratch) {
  forward_image<float>(plan, image, accumulator, scratch);
}
void forward_float_wide(const HoughPlan& plan, const float* image, float* accumulator,
                        void* scratch) {
  forward_image<double>(plan, image, accumulator, scratch);
}
void forward_double(const HoughPlan& plan, const double* image, double* accumulator,
                    void* scratch) {
  forward_image<double>(plan, image, accumulator, scratch);
}
void forward_bytes(const HoughPlan& plan, const std::uint8_t* image, std::uint32_t* accumulator,
                   void* scratch) {
  // Widened once and not eight times, as the scans come by.
  const std::size_t pixels = plan.grid.frame().pixels();
  auto* wide = static_cast<std::uint32_t*>(scratch);
  for (std::size_t i = 0; i < pixels; ++i) wide[i] = image[i];
  constexpr std::size_t kAlignment = 64 / sizeof(std::uint32_t);
  const std::size_t rest = (pixels + kAlignment - 1) / kAlignment * kAlignment;
  forward_image<std::uint32_t>(plan, wide, accumulator, wide + rest);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace vsmax
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace vsmax {

HWY_EXPORT(forward_float);
HWY_EXPORT(forward_float_wide);
HWY_EXPORT(forward_double);
HWY_EXPORT(forward_bytes);
HWY_EXPORT(forward_byte_pair);

bool tile_sums_fit_16_bits(const HoughGrid& grid) {
  double longest_run = 0.0;
  for (int t = 0; t < half_thetas(grid); ++t) {
    const bool rows = scan_of(grid, t) == Scan::kRows;
    const double along = rows ? grid.cos_theta(t) : grid.sin_theta(t);
    const double run = grid.bin_width() / std::max(along, 1e-9) + 1.0;
    longest_run = std::max(longest_run, std::min<double>(run, scan_length(grid, scan_of(grid, t))));
  }
  return longest_run * kLinesPerTile * 255.0 <= 65535.0;
}

std::size_t hough_scratch_bytes(const HoughPlan& plan) {
  const auto& frame = plan.grid.frame();
  const auto longest = static_cast<std::size_t>(std::max(frame.width, frame.height));
  const auto sums =
      static_cast<std::size_t>(half_thetas(plan.grid)) * static_cast<std::size_t>(plan.grid.rhos());
  constexpr std::size_t kWidestLanes = 4 * sizeof(double);
  constexpr std::size_t kAlignment = 64;
  // Bins, and what belongs to the places of a tile's lines and a group's; a widened image of bytes.
  return (sums + (kLinesPerTile + 4) * (longest + 1)) * kWidestLanes +
         frame.pixels() * sizeof(std::uint32_t) + kAlignment;
}

void hough_forward(const HoughPlan& plan, const float* image, float* accumulator, void* scratch) {
  HWY_DYNAMIC_DISPATCH(forward_float)(plan, image, accumulator, scratch);
}
void hough_forward_wide(const HoughPlan& plan, const float* image, float* accumulator,
                        void* scratch) {
  HWY_DYNAMIC_DISPATCH(forward_float_wide)(plan, image, accumulator, scratch);
}
void hough_forward(const HoughPlan& plan, const double* image, double* accumulator, void* scratch) {
  HWY_DYNAMIC_DISPATCH(forward_double)(plan, image, accumulator, scratch);
}
void hough_forward(const HoughPlan& plan, const std::uint8_t* image, std::uint32_t* accumulator,
                   void* scratch) {
  HWY_DYNAMIC_DISPATCH(forward_bytes)(plan, image, accumulator, scratch);
}
void hough_forward_pair(const HoughPlan& plan, const std::uint8_t* first,
                        const std::uint8_t* second, std::uint32_t* first_accumulator,
                        std::uint32_t* second_accumulator, void* scratch) {
  HWY_DYNAMIC_DISPATCH(forward_byte_pair)
  (plan, first, second, first_accumulator, second_accumulator, scratch);
}

}  // namespace vsmax
#endif
