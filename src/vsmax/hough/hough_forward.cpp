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
#include "vsmax/hough/hough_prefix.h"

HWY_BEFORE_NAMESPACE();
namespace vsmax::HWY_NAMESPACE {
namespace {

// The prefix sums of a tile's lines, each at its own edge.
template <class Value>
struct TileValues {
  Lanes<Value> line[kLinesPerTile];

  template <class Index>
  TileValues(const Lanes<Value>* prefix, const Index* edges) {
    constexpr std::size_t kUnit = kLinesPerTile * sizeof(Lanes<Value>) / kEdgeUnits;
    const auto* places = reinterpret_cast<const std::byte*>(prefix);
#pragma GCC unroll 4
    for (std::size_t l = 0; l < kLinesPerTile; l += 2) {
      const EdgePair pair = load_edges(edges + l);
      line[l] = *reinterpret_cast<const Lanes<Value>*>(places + pair.first * kUnit +
                                                       l * sizeof(Lanes<Value>));
      line[l + 1] = *reinterpret_cast<const Lanes<Value>*>(places + pair.second * kUnit +
                                                           (l + 1) * sizeof(Lanes<Value>));
    }
  }

  Lanes<Value> sum() const {
    static_assert(kLinesPerTile == 8);
    return ((line[0] + line[1]) + (line[2] + line[3])) +
           ((line[4] + line[5]) + (line[6] + line[7]));
  }
};

// Calls add(i, sum) with the sum of run i over the lines of a tile: adds the lines first and
// subtracts once, which is fast.
template <class Value, class Index, class Add>
inline void for_runs(const TileRuns<Index>& runs, const Lanes<Value>* prefix, const Add& add) {
  const Index* edges = runs.edges;
  Lanes<Value> before = TileValues<Value>(prefix, edges).sum();
  for (std::size_t i = 0; i < runs.bins; ++i) {
    const Lanes<Value> after = TileValues<Value>(prefix, edges += kLinesPerTile).sum();
    add(i, after - before);
    before = after;
  }
}

// The same, but subtracts line by line and then adds, which loses fewer bits.
template <class Value, class Index, class Add>
inline void for_runs_by_line(const TileRuns<Index>& runs, const Lanes<Value>* prefix,
                             const Add& add) {
  const Index* edges = runs.edges;
  TileValues<Value> before(prefix, edges);
  for (std::size_t i = 0; i < runs.bins; ++i) {
    const TileValues<Value> after(prefix, edges += kLinesPerTile);
    TileValues<Value> difference = after;
#pragma GCC unroll 8
    for (std::size_t l = 0; l < kLinesPerTile; ++l) difference.line[l] -= before.line[l];
    add(i, difference.sum());
    before = after;
  }
}

// Packs two 8-bit images into one of 32 bits, the second in the upper halves. Sums of packed pixels
// are packed sums as long as each fits its half; prefix sums may overflow, but arithmetic is modulo
// 2^32, so their differences are right.
using Packed = Lanes<std::uint32_t>;

// Bins k .. k+3, transposed: lane[i] holds lane i of the four bins.
template <class Value>
struct FourBins {
  Lanes<Value> lane[4];

  explicit FourBins(const Lanes<Value>* bins) : lane{bins[0], bins[1], bins[2], bins[3]} {
    transpose<Value>(lane);
  }
};

template <class Value, class Out>
inline void store_four(const Lanes<Value>& four, Out* to) {
  const Lanes<Out> converted = __builtin_convertvector(four, Lanes<Out>);
  std::memcpy(to, &converted, sizeof converted);
}

// Adds up the lanes that vote for the same bin (hough_lanes.h), for the angles t and T-t.
template <class Value, class Out>
void unfold_lanes(const Shape& shape, const Lanes<Value>* sums, Out* accumulator) {
  for (std::size_t t = 0; t < shape.angles; ++t) {
    const Lanes<Value>* row = sums + t * shape.rhos;
    Out* direct = accumulator + t * shape.rhos;
    Out* mirror = shape.has_mirror(t) ? accumulator + (shape.thetas - t) * shape.rhos : nullptr;
    std::size_t k = 0;
    for (; k + 4 <= shape.rhos; k += 4) {
      const FourBins<Value> forth(row + k);
      const FourBins<Value> back(row + shape.rhos - 4 - k);
      store_four<Value>(forth.lane[0] + reversed<Value>(back.lane[1]), direct + k);
      if (mirror != nullptr)
        store_four<Value>(forth.lane[2] + reversed<Value>(back.lane[3]), mirror + k);
    }
    for (; k < shape.rhos; ++k) {
      const std::size_t back = shape.rhos - 1 - k;
      direct[k] = static_cast<Out>(row[k][0] + row[back][1]);
      if (mirror != nullptr) mirror[k] = static_cast<Out>(row[k][2] + row[back][3]);
    }
  }
}

// Sums are of type Value.
template <class Value, bool by_line = false, class Pixel, class Out>
void forward_image(const HoughPlan& plan, const Pixel* image, Out* accumulator, void* scratch) {
  const Shape shape(plan.grid);
  auto* sums = static_cast<Lanes<Value>*>(scratch);
  Lanes<Value>* prefix = sums + shape.angles * shape.rhos;
  auto* strip =
      reinterpret_cast<Pixel*>(prefix + kLinesPerTile * (std::max(shape.width, shape.height) + 1));
  std::fill(sums, prefix, Lanes<Value>{});
  std::vector<std::uint32_t> found;

  // The prefix sums of a tile stay in the L1 cache while all angles read them. A line that is
  // missing from the last tile has only empty runs, which begin and end at place 0.
  for (const Scan scan : kScans) {
    const Lines lines(plan.grid, scan);
    ColumnStrips<Pixel> columns(lines, image, strip);
    for (std::size_t tile = 0; tile < lines.tiles; ++tile) {
      columns.move_to(tile);
      fill_tile<Value>(lines, image, columns, tile * kLinesPerTile, prefix);
      for (std::size_t t = lines.first_angle; t < lines.end_angle; ++t)
        with_runs(plan, found, t, tile, [&](const auto& runs) {
          Lanes<Value>* bins = sums + t * shape.rhos + runs.first_bin;
          const auto add = [bins](std::size_t i, const Lanes<Value>& sum) { bins[i] += sum; };
          if constexpr (by_line)
            for_runs_by_line<Value>(runs, prefix, add);
          else
            for_runs<Value>(runs, prefix, add);
        });
    }
  }
  unfold_lanes<Value>(shape, sums, accumulator);
}

// Unpacks the runs of a tile's lines one by one: near the axes, where runs are few and long, the
// sum of each run fits 16 bits, but that of the tile's eight runs may not.
template <class Index>
inline void add_long_runs(const TileRuns<Index>& runs, const Packed* prefix, Packed* first_bins,
                          Packed* second_bins) {
  for (std::size_t i = 0; i < runs.bins; ++i)
    for (std::size_t l = 0; l < kLinesPerTile; ++l) {
      const Index* edges = runs.edges + i * kLinesPerTile + l;
      const auto at = [&](Index edge) { return prefix[edge / kEdgeUnits * kLinesPerTile + l]; };
      const Packed sum = at(edges[kLinesPerTile]) - at(edges[0]);
      first_bins[i] += sum & 0xFFFFU;
      second_bins[i] += sum >> 16U;
    }
}

// Transforms two 8-bit images at once.
void forward_byte_pair(const HoughPlan& plan, const std::uint8_t* first, const std::uint8_t* second,
                       std::uint32_t* first_out, std::uint32_t* second_out, void* scratch) {
  const Shape shape(plan.grid);
  const std::size_t bins = shape.angles * shape.rhos;
  auto* first_sums = static_cast<Packed*>(scratch);
  Packed* second_sums = first_sums + bins;
  Packed* prefix = second_sums + bins;
  auto* strip = reinterpret_cast<std::uint32_t*>(
      prefix + kLinesPerTile * (std::max(shape.width, shape.height) + 1));
  std::uint32_t* packed = strip + 2 * kStripColumns * shape.height;
  std::fill(first_sums, prefix, Packed{});
  for (std::size_t i = 0; i < shape.width * shape.height; ++i)
    packed[i] = first[i] | static_cast<std::uint32_t>(second[i]) << 16U;
  std::vector<std::uint32_t> found;

  for (const Scan scan : kScans) {
    const Lines lines(plan.grid, scan);
    ColumnStrips<std::uint32_t> columns(lines, packed, strip);
    for (std::size_t tile = 0; tile < lines.tiles; ++tile) {
      columns.move_to(tile);
      fill_tile<std::uint32_t>(lines, packed, columns, tile * kLinesPerTile, prefix);
      for (std::size_t t = lines.first_angle; t < lines.end_angle; ++t) {
        with_runs(plan, found, t, tile, [&](const auto& runs) {
          const std::size_t bin = t * shape.rhos + static_cast<std::size_t>(runs.first_bin);
          Packed* first_bins = first_sums + bin;
          Packed* second_bins = second_sums + bin;
          if (plan.short_runs[t] == 0) {
            add_long_runs(runs, prefix, first_bins, second_bins);
            return;
          }
          for_runs<std::uint32_t>(runs, prefix, [=](std::size_t i, const Packed& sum) {
            first_bins[i] += sum & 0xFFFFU;
            second_bins[i] += sum >> 16U;
          });
        });
      }
    }
  }
  unfold_lanes<std::uint32_t>(shape, first_sums, first_out);
  unfold_lanes<std::uint32_t>(shape, second_sums, second_out);
}

void forward_float(const HoughPlan& plan, const float* image, float* accumulator, void* scratch) {
  forward_image<float>(plan, image, accumulator, scratch);
}
void forward_float_by_line(const HoughPlan& plan, const float* image, float* accumulator,
                           void* scratch) {
  forward_image<float, true>(plan, image, accumulator, scratch);
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
  // Widened once here, because each pixel is read several times.
  const std::size_t pixels = plan.grid.frame().pixels();
  auto* wide = static_cast<std::uint32_t*>(scratch);
  for (std::size_t i = 0; i < pixels; ++i) wide[i] = image[i];
  constexpr std::size_t kAlignment = 64 / sizeof(std::uint32_t);
  const std::size_t rest = (pixels + kAlignment - 1) / kAlignment * kAlignment;
  forward_image<std::uint32_t>(plan, wide, accumulator, wide + rest);
}

}  // namespace
}  // namespace vsmax::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace vsmax {

HWY_EXPORT(forward_float);
HWY_EXPORT(forward_float_by_line);
HWY_EXPORT(forward_float_wide);
HWY_EXPORT(forward_double);
HWY_EXPORT(forward_bytes);
HWY_EXPORT(forward_byte_pair);

constexpr int kBytesIn16Bits = 0xFFFF / 255;  // the most bytes whose sum fits 16 bits

std::vector<std::uint8_t> find_short_runs(const HoughGrid& grid) {
  std::vector<std::uint8_t> short_runs;
  short_runs.reserve(static_cast<std::size_t>(half_thetas(grid)));
  for (int t = 0; t < half_thetas(grid); ++t)
    short_runs.push_back(
        longest_run(grid, t) <= kBytesIn16Bits / static_cast<int>(kLinesPerTile) ? 1 : 0);
  return short_runs;
}

bool runs_fit_16_bits(const HoughGrid& grid) {
  for (int t = 0; t < half_thetas(grid); ++t)
    if (longest_run(grid, t) > kBytesIn16Bits) return false;
  return true;
}

std::size_t hough_scratch_bytes(const HoughPlan& plan) {
  const auto& frame = plan.grid.frame();
  const auto longest = static_cast<std::size_t>(std::max(frame.width, frame.height));
  const auto sums =
      static_cast<std::size_t>(half_thetas(plan.grid)) * static_cast<std::size_t>(plan.grid.rhos());
  constexpr std::size_t kWidestLanes = 4 * sizeof(double);
  constexpr std::size_t kAlignment = 64;
  // Bins; the prefix sums of a tile's lines (with room to spare); strips of columns; a widened
  // 8-bit image.
  constexpr std::size_t kStripBytes = 2 * HWY_NAMESPACE::kStripColumns * sizeof(double);
  return (sums + (kLinesPerTile + 4) * (longest + 1)) * kWidestLanes + longest * kStripBytes +
         frame.pixels() * sizeof(std::uint32_t) + kAlignment;
}

void hough_forward(const HoughPlan& plan, const float* image, float* accumulator, void* scratch) {
  HWY_DYNAMIC_DISPATCH(forward_float)(plan, image, accumulator, scratch);
}
void hough_forward_by_line(const HoughPlan& plan, const float* image, float* accumulator,
                           void* scratch) {
  HWY_DYNAMIC_DISPATCH(forward_float_by_line)(plan, image, accumulator, scratch);
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
