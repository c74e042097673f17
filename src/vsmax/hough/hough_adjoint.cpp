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

// differences[t][k] = bin k less the one before.
template <class Step, class Value>
void fold_differences(const Shape& shape, const Value* accumulator, Lanes<Step>* differences) {
  for (std::size_t t = 0; t < shape.angles; ++t, differences += shape.rhos) {
    const Value* direct = accumulator + t * shape.rhos;
    const Value* mirror = accumulator + (shape.thetas - t) * shape.rhos;
    Lanes<Step> before{};
    std::size_t k = 0;
    for (; shape.has_mirror(t) && k + 4 <= shape.rhos; k += 4) {
      const std::size_t back = shape.rhos - 4 - k;
      Lanes<Step> bins[4] = {
          load_four<Step>(direct + k), reversed<Step>(load_four<Step>(direct + back)),
          load_four<Step>(mirror + k), reversed<Step>(load_four<Step>(mirror + back))};
      transpose<Step>(bins);
      for (std::size_t i = 0; i < 4; ++i) {
        differences[k + i] = bins[i] - before;
        before = bins[i];
      }
    }
    for (; k < shape.rhos; ++k) {
      const Lanes<Step> bin = folded_bin<Step>(shape, accumulator, t, k);
      differences[k] = bin - before;
      before = bin;
    }
  }
}

template <class Step, class Value>
inline void add_four(const Lanes<Step>& four, Value* to) {
  const Lanes<Value> sum = load_four<Value>(to) + __builtin_convertvector(four, Lanes<Value>);
  std::memcpy(to, &sum, sizeof sum);
}

// The transpose of fill_group: the steps of a group's lines, summed up from place to place and
// added to the image.
template <class Step>
class RunningSums {
 public:
  explicit RunningSums(const Lanes<Step>* steps) : steps_(steps) {}

  // Line l at the next place, to be called for places in order.
  Lanes<Step> next(std::size_t place, std::size_t l) {
    sums_[l] += steps_[place * kLinesPerTile + l];
    return sums_[l];
  }

 private:
  const Lanes<Step>* steps_;
  Lanes<Step> sums_[kGroup] = {};
};

// The places from `p` on, one by one.
template <class Step, class Value>
void add_places(const Lines& lines, std::size_t first_line, std::size_t p, RunningSums<Step>& sums,
                Value* image) {
  const std::size_t end_line = std::min(first_line + kGroup, lines.halves);
  for (; p < lines.length; ++p) {
    const std::size_t forth = p * lines.step;
    const std::size_t back = (lines.length - 1 - p) * lines.step;
    for (std::size_t line = first_line; line < end_line; ++line) {
      const Lanes<Step> sum = sums.next(p, line - first_line);
      const bool rows = lines.scan == Scan::kRows;
      Value* own = image + lines.first(line);
      Value* other = image + lines.partner(line);
      own[forth] += static_cast<Value>(sum[0]);
      (rows ? own[back] : other[forth]) += static_cast<Value>(sum[2]);
      if (!lines.paired(line)) continue;
      other[back] += static_cast<Value>(sum[1]);
      (rows ? other[forth] : own[back]) += static_cast<Value>(sum[3]);
    }
  }
}

template <class Step, class Value>
void add_rows(const Lines& lines, std::size_t first_line, RunningSums<Step> sums, Value* image) {
  std::size_t p = 0;
  for (; whole_group(lines, first_line) && p + 4 <= lines.length; p += 4) {
    const std::size_t back = lines.length - 4 - p;
#pragma GCC unroll 4
    for (std::size_t l = 0; l < kGroup; ++l) {
      Lanes<Step> four[4];
#pragma GCC unroll 4
      for (std::size_t i = 0; i < 4; ++i) four[i] = sums.next(p + i, l);
      transpose<Step>(four);
      Value* own = image + lines.first(first_line + l);
      Value* other = image + lines.partner(first_line + l);
      add_four<Step>(four[0], own + p);
      add_four<Step>(reversed<Step>(four[1]), other + back);
      add_four<Step>(reversed<Step>(four[2]), own + back);
      add_four<Step>(four[3], other + p);
    }
  }
  add_places(lines, first_line, p, sums, image);
}

template <class Step, class Value>
void add_columns(const Lines& lines, std::size_t first_line, RunningSums<Step> sums, Value* image) {
  std::size_t p = 0;
  if (whole_group(lines, first_line)) {
    Value* own = image + lines.first(first_line);
    Value* other = image + lines.partner(first_line + kGroup - 1);
    for (; p < lines.length; ++p) {
      const std::size_t forth = p * lines.step;
      const std::size_t back = (lines.length - 1 - p) * lines.step;
      Lanes<Step> four[kGroup];
#pragma GCC unroll 4
      for (std::size_t l = 0; l < kGroup; ++l) four[l] = sums.next(p, l);
      transpose<Step>(four);
      add_four<Step>(four[0], own + forth);
      add_four<Step>(reversed<Step>(four[1]), other + back);
      add_four<Step>(reversed<Step>(four[2]), other + forth);
      add_four<Step>(four[3], own + back);
    }
  }
  add_places(lines, first_line, p, sums, image);
}

// Adds a step to each of the tile's lines, at its own edge. By value: for all the compiler knows
// the places could hold the step itself, which would then be read again after every one of them.
template <class Step, class Index>
inline void add_step(Lanes<Step> step, const Index* edges, Lanes<Step>* steps) {
  constexpr std::size_t kUnit = kLinesPerTile * sizeof(Lanes<Step>) / kEdgeUnits;
  auto* places = reinterpret_cast<std::byte*>(steps);
#pragma GCC unroll 4
  for (std::size_t l = 0; l < kLinesPerTile; l += 2) {
    const EdgePair pair = load_edges(edges + l);
    *reinterpret_cast<Lanes<Step>*>(places + pair.first * kUnit + l * sizeof(Lanes<Step>)) += step;
    *reinterpret_cast<Lanes<Step>*>(places + pair.second * kUnit + (l + 1) * sizeof(Lanes<Step>)) +=
        step;
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
  Lanes<Step>* differences = steps + kLinesPerTile * places;
  std::fill(image, image + shape.width * shape.height, Value{});
  std::vector<std::uint32_t> found;
  fold_differences<Step>(shape, accumulator, differences);

  for (const Scan scan : kScans) {
    const Lines lines(plan.grid, scan);
    for (std::size_t tile = 0; tile < lines.tiles; ++tile) {
      std::memset(static_cast<void*>(steps), 0, (lines.length + 1) * kLinesPerTile * sizeof *steps);
      for (std::size_t t = lines.first_angle; t < lines.end_angle; ++t)
        with_runs(plan, found, t, tile, [&](const auto& runs) {
          const auto bin = static_cast<std::size_t>(runs.first_bin);
          const Lanes<Step>* step = differences + t * shape.rhos + bin;
          const auto* edges = runs.edges;
          add_step<Step>(folded_bin<Step>(shape, accumulator, t, bin), edges, steps);
          for (std::size_t i = 1; i < runs.bins; ++i)
            add_step<Step>(step[i], edges += kLinesPerTile, steps);
        });
      for (std::size_t group = 0; group < kLinesPerTile; group += kGroup) {
        const std::size_t line = tile * kLinesPerTile + group;
        if (scan == Scan::kRows)
          add_rows(lines, line, RunningSums<Step>(steps + group), image);
        else
          add_columns(lines, line, RunningSums<Step>(steps + group), image);
      }
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
