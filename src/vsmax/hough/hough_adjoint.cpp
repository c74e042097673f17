// SPDX-License-Identifier: Apache-2.0
// The transpose of hough_forward.cpp, step by step backwards (Eq. 9).
#if VSMAX_WITH_HIGHWAY
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "vsmax/hough/hough_adjoint.cpp"
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
namespace vsmax::HWY_NAMESPACE {
namespace {

// The transpose of unfold_lanes.
template <class Step, class Value>
inline Lanes<Step> folded_bin(const Shape& shape, const Value* accumulator, std::size_t t,
                              std::size_t k) {
  const bool mirrored = shape.has_mirror(t);
  const Value* direct = accumulator + t * shape.rhos;
  const Value* mirror = mirrored ? accumulator + (shape.thetas - t) * shape.rhos : direct;
  const std::size_t back = shape.rhos - 1 - k;
  return Lanes<Step>{static_cast<Step>(direct[k]), static_cast<Step>(direct[back]),
                     mirrored ? static_cast<Step>(mirror[k]) : Step{},
                     mirrored ? static_cast<Step>(mirror[back]) : Step{}};
}

template <class Step, class Value>
void fold_lanes(const Shape& shape, const Value* accumulator, Lanes<Step>* bins) {
  for (std::size_t t = 0; t < shape.angles; ++t, bins += shape.rhos) {
    const Value* direct = accumulator + t * shape.rhos;
    const Value* mirror = accumulator + (shape.thetas - t) * shape.rhos;
    std::size_t k = 0;
    for (; shape.has_mirror(t) && k + 4 <= shape.rhos; k += 4) {
      const std::size_t back = shape.rhos - 4 - k;
      Lanes<Step> four[4] = {
          load_four<Step>(direct + k), reversed<Step>(load_four<Step>(direct + back)),
          load_four<Step>(mirror + k), reversed<Step>(load_four<Step>(mirror + back))};
      transpose<Step>(four);
      std::copy_n(four, 4, bins + k);
    }
    for (; k < shape.rhos; ++k) bins[k] = folded_bin<Step>(shape, accumulator, t, k);
  }
}

template <class Step, class Value>
inline void add_twins(const Twins<Step>& twins, Value* one, Value* other) {
  const Twins<Value> sum =
      load_twins<Value>(one, other) + __builtin_convertvector(twins, Twins<Value>);
  store_twins<Value>(sum, one, other);
}

template <class Step, class Value>
inline void add_twins(const Twins<Step>& twins, Value* both) {
  store_twins<Value>(load_twins<Value>(both) + __builtin_convertvector(twins, Twins<Value>), both);
}

// The transpose of fill_tile: the steps of a tile's lines, summed up from place to place and added
// to the image. What was summed up is cleared for the next tile on the way, where a pass of its own
// would wait for the stores.
template <class Step>
struct TileSteps {
  Lanes<Step>* places;
  Lanes<Step> sums[kLinesPerTile] = {};

  const Lanes<Step>* at(std::size_t place) const { return places + place * kLinesPerTile; }
  void clear(std::size_t place) {
    constexpr std::size_t kTwins = kLinesPerTile / 2;
    auto* twins = reinterpret_cast<Step*>(places + place * kLinesPerTile);
#pragma GCC unroll 4
    for (std::size_t i = 0; i < kTwins; ++i) store_twins<Step>(Twins<Step>{}, twins + 8 * i);
  }
};

// Four places at a time; returns the first that is left.
template <class Step, class Value>
std::size_t add_rows(const Lines& lines, std::size_t first_line, TileSteps<Step>& steps,
                     Value* image) {
  const RowsOfTile<Value> tile(lines, image, first_line);
  Twins<Step> sums[kHalfTile] = {};
  std::size_t p = 0;
  for (; p + 4 <= lines.length; p += 4) {
    const std::size_t back = lines.length - 4 - p;
#pragma GCC unroll 4
    for (std::size_t twin = 0; twin < kHalfTile; ++twin) {
      const RowTwins<Value>& rows = tile.twins[twin];
      Twins<Step> four[4];
#pragma GCC unroll 4
      for (std::size_t i = 0; i < 4; ++i) {
        Twins<Step> step;
        std::memcpy(&step, steps.at(p + i) + 2 * twin, sizeof step);
        four[i] = sums[twin] += step;
      }
      transpose_twins<Step>(four);
      add_twins<Step>(four[0], rows.own + p, rows.next_own + p);
      add_twins<Step>(reversed_twins<Step>(four[1]), rows.other + back, rows.next_other + back);
      add_twins<Step>(reversed_twins<Step>(four[2]), rows.own + back, rows.next_own + back);
      add_twins<Step>(four[3], rows.other + p, rows.next_other + p);
    }
    for (std::size_t i = 0; i < 4; ++i) steps.clear(p + i);
  }
  std::memcpy(static_cast<void*>(steps.sums), &sums, sizeof sums);
  return p;
}

// All places of eight columns.
template <class Step, class Value>
std::size_t add_columns(const Lines& lines, std::size_t first_line, TileSteps<Step>& steps,
                        Value* image) {
  Value* own = image + lines.first(first_line);
  Value* other = image + lines.partner(first_line + kLinesPerTile - 1);
  const std::size_t step = lines.step;
  const std::size_t length = lines.length;
  Twins<Step> sums[kHalfTile] = {};
  for (std::size_t p = 0; p < length; ++p) {
    const std::size_t forth = p * step;
    const std::size_t back = (length - 1 - p) * step;
    Twins<Step> four[4];
#pragma GCC unroll 4
    for (std::size_t l = 0; l < kHalfTile; ++l) {
      const auto* place = reinterpret_cast<const Step*>(steps.at(p) + 2 * l);
      four[l] = sums[l] += load_twins<Step>(place);
    }
    steps.clear(p);
    transpose_twins<Step>(four);
    add_twins<Step>(together<Step>(four[0]), own + forth);
    add_twins<Step>(together_back<Step>(four[1]), other + back);
    add_twins<Step>(together_back<Step>(four[2]), other + forth);
    add_twins<Step>(together<Step>(four[3]), own + back);
  }
  return length;
}

template <class Step, class Value>
void add_tile(const Lines& lines, std::size_t first_line, Lanes<Step>* places, Value* image) {
  TileSteps<Step> steps{places};
  std::size_t p = 0;
  if (whole_tile(lines, first_line))
    p = lines.scan == Scan::kRows ? add_rows(lines, first_line, steps, image)
                                  : add_columns(lines, first_line, steps, image);
  const bool rows = lines.scan == Scan::kRows;
  const std::size_t count = std::min(kLinesPerTile, lines.halves - first_line);
  for (; p < lines.length; ++p) {
    const std::size_t forth = p * lines.step;
    const std::size_t back = (lines.length - 1 - p) * lines.step;
    for (std::size_t l = 0; l < count; ++l) {
      const Lanes<Step> sum = steps.sums[l] += steps.at(p)[l];
      Value* own = image + lines.first(first_line + l);
      Value* other = image + lines.partner(first_line + l);
      own[forth] += static_cast<Value>(sum[0]);
      (rows ? own[back] : other[forth]) += static_cast<Value>(sum[2]);
      if (!lines.paired(first_line + l)) continue;
      other[back] += static_cast<Value>(sum[1]);
      (rows ? other[forth] : own[back]) += static_cast<Value>(sum[3]);
    }
    steps.clear(p);
  }
  steps.clear(lines.length);
}

// Adds a step to each of the tile's lines, at its own edge. By value: for all the compiler knows
// the places could hold the step itself, which would then be read again after every one of them.
template <class Step, class Index>
inline void add_step(Lanes<Step> step, const Index* edges, Lanes<Step>* steps) {
  constexpr std::size_t kUnit = kLinesPerTile * sizeof(Lanes<Step>) / kEdgeUnits;
  const auto* from = reinterpret_cast<const std::byte*>(steps);
  auto* to = reinterpret_cast<std::byte*>(steps);
  // Hides that both are the same: an address for load and store alike would be an instruction of
  // its own, which either has for nothing.
  asm("" : "+r"(to));
  const auto add = [&](std::size_t line, std::size_t edge) {
    const std::size_t place = edge * kUnit + line * sizeof(Lanes<Step>);
    const Lanes<Step> sum = *reinterpret_cast<const Lanes<Step>*>(from + place) + step;
    *reinterpret_cast<Lanes<Step>*>(to + place) = sum;
  };
#pragma GCC unroll 4
  for (std::size_t l = 0; l < kLinesPerTile; l += 2) {
    const EdgePair pair = load_edges(edges + l);
    add(l, pair.first);
    add(l + 1, pair.second);
  }
}

// The transpose of forward_image, step by step backwards: the difference of neighbouring bins goes
// to the edge between them, and sums along the line follow. Step is the type of both.
template <class Step, class Value>
void adjoint_image(const HoughPlan& plan, const Value* accumulator, Value* image, void* scratch) {
  const Shape shape(plan.grid);
  // One place more than there are pixels takes the steps of empty runs.
  const std::size_t places = std::max(shape.width, shape.height) + 1;
  auto* steps = static_cast<Lanes<Step>*>(scratch);
  Lanes<Step>* bins = steps + kLinesPerTile * places;
  std::fill(image, image + shape.width * shape.height, Value{});
  std::fill(steps, bins, Lanes<Step>{});
  std::vector<std::uint32_t> found;
  fold_lanes<Step>(shape, accumulator, bins);

  for (const Scan scan : kScans) {
    const Lines lines(plan.grid, scan);
    for (std::size_t tile = 0; tile < lines.tiles; ++tile) {
      for (std::size_t t = lines.first_angle; t < lines.end_angle; ++t)
        with_runs(plan, found, t, tile, [&](const auto& runs) {
          const Lanes<Step>* bin = bins + t * shape.rhos + runs.first_bin;
          Lanes<Step> before{};
          for (std::size_t i = 0; i < runs.bins; ++i) {
            add_step<Step>(bin[i] - before, runs.edges + i * kLinesPerTile, steps);
            before = bin[i];
          }
        });
      add_tile<Step>(lines, tile * kLinesPerTile, steps, image);
    }
  }
}

void adjoint_float(const HoughPlan& plan, const float* accumulator, float* image, void* scratch) {
  adjoint_image<float>(plan, accumulator, image, scratch);
}
void adjoint_float_wide(const HoughPlan& plan, const float* accumulator, float* image,
                        void* scratch) {
  adjoint_image<double>(plan, accumulator, image, scratch);
}
void adjoint_double(const HoughPlan& plan, const double* accumulator, double* image,
                    void* scratch) {
  adjoint_image<double>(plan, accumulator, image, scratch);
}

}  // namespace
}  // namespace vsmax::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace vsmax {

HWY_EXPORT(adjoint_float);
HWY_EXPORT(adjoint_float_wide);
HWY_EXPORT(adjoint_double);

void hough_adjoint(const HoughPlan& plan, const float* accumulator, float* image, void* scratch) {
  HWY_DYNAMIC_DISPATCH(adjoint_float)(plan, accumulator, image, scratch);
}
void hough_adjoint_wide(const HoughPlan& plan, const float* accumulator, float* image,
                        void* scratch) {
  HWY_DYNAMIC_DISPATCH(adjoint_float_wide)(plan, accumulator, image, scratch);
}
void hough_adjoint(const HoughPlan& plan, const double* accumulator, double* image, void* scratch) {
  HWY_DYNAMIC_DISPATCH(adjoint_double)(plan, accumulator, image, scratch);
}

}  // namespace vsmax
#endif
