// SPDX-License-Identifier: Apache-2.0
// The transpose of hough_forward.cpp: its steps transposed, in reverse order (Eq. 9).
#if VSMAX_WITH_HIGHWAY
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "vsmax/hough/hough_adjoint.cpp"
// Four lanes are too few for wider registers.
#define HWY_DISABLED_TARGETS (HWY_AVX3 | HWY_AVX3_DL)
#include <hwy/foreach_target.h>
#endif
#include <algorithm>
#include <vector>

#include "vsmax/base/every_target.h"
#include "vsmax/hough/hough_kernels.h"
#include "vsmax/hough/hough_lanes.h"

HWY_BEFORE_NAMESPACE();
namespace vsmax::HWY_NAMESPACE {
namespace {

// The transpose of unfold_lanes. Negates lanes 2 and 3, as EndSums expects.
template <class Step, class Value>
inline Lanes<Step> folded_bin(const Shape& shape, const Value* accumulator, std::size_t t,
                              std::size_t k) {
  const bool mirrored = shape.has_mirror(t);
  const Value* direct = accumulator + t * shape.rhos;
  const Value* mirror = mirrored ? accumulator + (shape.thetas - t) * shape.rhos : direct;
  const std::size_t back = shape.rhos - 1 - k;
  return Lanes<Step>{static_cast<Step>(direct[k]), static_cast<Step>(direct[back]),
                     mirrored ? -static_cast<Step>(mirror[k]) : Step{},
                     mirrored ? -static_cast<Step>(mirror[back]) : Step{}};
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
          -load_four<Step>(mirror + k), -reversed<Step>(load_four<Step>(mirror + back))};
      transpose<Step>(four);
      std::copy_n(four, 4, bins + k);
    }
    for (; k < shape.rhos; ++k) bins[k] = folded_bin<Step>(shape, accumulator, t, k);
  }
}

// A line's steps lie at its places: place p holds the step before pixel p, the last place the one
// after the last pixel. They sum to zero, so a pixel's value is the sum of all steps before it, or
// minus the sum of all steps after it. Summing from both ends towards the middle halves the number
// of roundings; two lines are summed at once.
//
// Lanes 2 and 3 run in the opposite direction to lanes 0 and 1 (hough_lanes.h): when lanes 0 and 1,
// coming from one end, have reached pixel p, lanes 2 and 3, coming from the other, have reached
// L-1-p, which is the same pixel of the image. Adding them there writes each pixel only once.
template <class Step>
struct EndSums {
  Twins<Step> near{}, far{};  // of pixels p and L-1-p, in lanes 0 and 1

  // near_steps: at place p; far_steps: at place L-p.
  void add(const Twins<Step>& near_steps, const Twins<Step>& far_steps) {
    near += crossed(near_steps, far_steps);
    far -= crossed(far_steps, near_steps);
  }

 private:
  static Twins<Step> crossed(const Twins<Step>& one, const Twins<Step>& other) {
    return __builtin_shufflevector(one, other, 0, 1, 10, 11, 4, 5, 14, 15);
  }
};

template <class Step>
struct TileSteps {
  const Lanes<Step>* places;
  std::size_t length;  // of the lines
  EndSums<Step> sums[kHalfTile] = {};

  const EndSums<Step>& sum_up(std::size_t twin, std::size_t p) {
    sums[twin].add(load_twins<Step>(at(p) + 8 * twin), load_twins<Step>(at(length - p) + 8 * twin));
    return sums[twin];
  }

 private:
  const Step* at(std::size_t place) const {
    return reinterpret_cast<const Step*>(places + place * kLinesPerTile);
  }
};

// Writes four pixels at each end of eight rows at a time; returns the first pixel not yet written.
// Rows come before columns, so they overwrite the image instead of adding to it.
template <class Step, class Value>
std::size_t write_rows(const Lines& lines, std::size_t first_line, TileSteps<Step>& all_steps,
                       Value* image) {
  TileSteps<Step> steps = all_steps;  // a local copy cannot alias the image
  const RowsOfTile<Value> tile(lines, image, first_line);
  std::size_t p = 0;
  for (; p + 4 <= lines.length / 2; p += 4) {
    const std::size_t back = lines.length - 4 - p;
#pragma GCC unroll 4
    for (std::size_t twin = 0; twin < kHalfTile; ++twin) {
      const RowTwins<Value>& rows = tile.twins[twin];
      Twins<Step> near[4];
      Twins<Step> far[4];
#pragma GCC unroll 4
      for (std::size_t i = 0; i < 4; ++i) {
        const EndSums<Step>& sums = steps.sum_up(twin, p + i);
        near[i] = sums.near;
        far[i] = sums.far;
      }
      transpose_twins<Step>(near);
      transpose_twins<Step>(far);
      store_twins<Step>(near[0] + near[2], rows.own + p, rows.next_own + p);
      store_twins<Step>(far[1] + far[3], rows.other + p, rows.next_other + p);
      store_twins<Step>(reversed_twins<Step>(far[0] + far[2]), rows.own + back,
                        rows.next_own + back);
      store_twins<Step>(reversed_twins<Step>(near[1] + near[3]), rows.other + back,
                        rows.next_other + back);
    }
  }
  all_steps = steps;
  return p;
}

template <class Step, class Value>
inline void add_twins(const Twins<Step>& twins, Value* both) {
  store_twins<Value>(load_twins<Value>(both) + __builtin_convertvector(twins, Twins<Value>), both);
}

// The same for eight columns, one pixel at each end at a time; adds to the image.
template <class Step, class Value>
std::size_t add_columns(const Lines& lines, std::size_t first_line, TileSteps<Step>& all_steps,
                        Value* image) {
  TileSteps<Step> steps = all_steps;
  Value* own = image + lines.first(first_line);
  Value* other = image + lines.partner(first_line + kLinesPerTile - 1);
  std::size_t p = 0;
  for (; p < lines.length / 2; ++p) {
    const std::size_t forth = p * lines.step;
    const std::size_t back = (lines.length - 1 - p) * lines.step;
    Twins<Step> near[4];
    Twins<Step> far[4];
#pragma GCC unroll 4
    for (std::size_t twin = 0; twin < kHalfTile; ++twin) {
      const EndSums<Step>& sums = steps.sum_up(twin, p);
      near[twin] = sums.near;
      far[twin] = sums.far;
    }
    transpose_twins<Step>(near);
    transpose_twins<Step>(far);
    add_twins<Step>(together<Step>(near[0] + near[3]), own + forth);
    add_twins<Step>(together_back<Step>(far[1] + far[2]), other + forth);
    add_twins<Step>(together<Step>(far[0] + far[3]), own + back);
    add_twins<Step>(together_back<Step>(near[1] + near[2]), other + back);
  }
  all_steps = steps;
  return p;
}

// Writes (rows) or adds to (columns) pixel p of a line, and the one opposite it on its partner.
template <class Step, class Value>
void put_pixels(const Lines& lines, std::size_t line, std::size_t p, const Step* sums,
                Value* image) {
  const bool paired = lines.paired(line);
  Value& own = image[lines.first(line) + p * lines.step];
  Value& other = image[lines.partner(line) + (lines.length - 1 - p) * lines.step];
  if (lines.scan == Scan::kRows) {
    own = static_cast<Value>(sums[0] + sums[2]);
    if (paired) other = static_cast<Value>(sums[1] + sums[3]);
  } else {
    own += static_cast<Value>(paired ? sums[0] + sums[3] : sums[0]);
    other += static_cast<Value>(paired ? sums[1] + sums[2] : sums[2]);
  }
}

// The transpose of fill_tile: sums the steps of a tile's lines into the image.
template <class Step, class Value>
void put_tile(const Lines& lines, std::size_t first_line, const Lanes<Step>* places, Value* image) {
  TileSteps<Step> steps{places, lines.length};
  std::size_t p = 0;
  if (whole_tile(lines, first_line))
    p = lines.scan == Scan::kRows ? write_rows(lines, first_line, steps, image)
                                  : add_columns(lines, first_line, steps, image);
  const std::size_t count = std::min(kLinesPerTile, lines.halves - first_line);
  for (; 2 * p < lines.length; ++p)
    for (std::size_t l = 0; l < count; ++l) {
      if (l % 2 == 0) steps.sum_up(l / 2, p);
      const EndSums<Step>& sums = steps.sums[l / 2];
      const auto put = [&](const Twins<Step>& twins, std::size_t pixel) {
        put_pixels(lines, first_line + l, pixel, reinterpret_cast<const Step*>(&twins) + l % 2 * 4,
                   image);
      };
      put(sums.near, p);
      if (2 * p + 1 < lines.length) put(sums.far, lines.length - 1 - p);
    }
}

// Adds a step to each of the tile's lines, at its own edge. The step is passed by value: a
// reference could alias the places, and the compiler would reload it after every store.
template <class Step, class Index>
inline void add_step(Lanes<Step> step, const Index* edges, Lanes<Step>* steps) {
  constexpr std::size_t kUnit = kLinesPerTile * sizeof(Lanes<Step>) / kEdgeUnits;
  const auto* from = reinterpret_cast<const std::byte*>(steps);
  auto* to = reinterpret_cast<std::byte*>(steps);
  // Hides from the compiler that load and store use the same address: it would spend an instruction
  // on computing it, although the addressing modes of both can do so for free.
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

// The transpose of forward_image, in reverse order: adds the difference of neighbouring bins at the
// edge between them, then sums along the lines. Both are of type Step.
template <class Step, class Value>
void adjoint_image(const HoughPlan& plan, const Value* accumulator, Value* image, void* scratch) {
  const Shape shape(plan.grid);
  const std::size_t places = std::max(shape.width, shape.height) + 1;
  auto* steps = static_cast<Lanes<Step>*>(scratch);
  Lanes<Step>* bins = steps + kLinesPerTile * places;
  std::vector<std::uint32_t> found;
  fold_lanes<Step>(shape, accumulator, bins);

  for (const Scan scan : kScans) {
    const Lines lines(plan.grid, scan);
    for (std::size_t tile = 0; tile < lines.tiles; ++tile) {
      std::fill(steps, steps + (lines.length + 1) * kLinesPerTile, Lanes<Step>{});
      for (std::size_t t = lines.first_angle; t < lines.end_angle; ++t)
        with_runs(plan, found, t, tile, [&](const auto& runs) {
          const Lanes<Step>* bin = bins + t * shape.rhos + runs.first_bin;
          Lanes<Step> before{};
          for (std::size_t i = 0; i < runs.bins; ++i) {
            add_step<Step>(bin[i] - before, runs.edges + i * kLinesPerTile, steps);
            before = bin[i];
          }
          add_step<Step>(-before, runs.edges + runs.bins * kLinesPerTile, steps);
        });
      put_tile<Step>(lines, tile * kLinesPerTile, steps, image);
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
