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
namespace vsmax {
namespace HWY_NAMESPACE {
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
  for (std::size_t t = 0; t < shape.angles; ++t) {
    Lanes<Step> before{};
    for (std::size_t k = 0; k < shape.rhos; ++k) {
      const Lanes<Step> bin = folded_bin<Step>(shape, accumulator, t, k);
      differences[t * shape.rhos + k] = bin - before;
      before = bin;
    }
  }
}

template <class Value>
inline void put_four(const Lanes<Value>& four, Value* to) {
  std::memcpy(to, &four, sizeof four);
}

template <class Value>
inline void add_four(const Lanes<Value>& four, Value* to) {
  put_four<Value>(four + load_four<Value>(to), to);
}

template <class Value>
inline void transposed(const Lanes<Value>* from, std::size_t step, Lanes<Value> (&out)[4]) {
  for (std::size_t i = 0; i < 4; ++i) out[i] = from[i * step];
  transpose<Value>(out);
}

// The transpose of fill_group: sums[p][l], laid on the image. The rows come first and set the
// pixels, the columns add to them.
template <class Value>
void write_rows(const Lines& lines, std::size_t first_line, const Lanes<Value>* sums,
                Value* image) {
  const std::size_t end_line = std::min(first_line + kGroup, lines.halves);
  for (std::size_t line = first_line; line < end_line; ++line, ++sums) {
    const bool paired = lines.paired(line);
    Value* own = image + lines.first(line);
    Value* other = image + lines.partner(line);
    std::size_t p = 0;
    for (; paired && p + 4 <= lines.length; p += 4) {
      Lanes<Value> forth[4];
      Lanes<Value> back[4];
      transposed<Value>(sums + p * kGroup, kGroup, forth);
      transposed<Value>(sums + (lines.length - 4 - p) * kGroup, kGroup, back);
      put_four<Value>(forth[0] + reversed<Value>(back[2]), own + p);
      put_four<Value>(reversed<Value>(back[1]) + forth[3], other + p);
    }
    for (; p < lines.length; ++p) {
      const Lanes<Value>& forth = sums[p * kGroup];
      const Lanes<Value>& back = sums[(lines.length - 1 - p) * kGroup];
      own[p] = forth[0] + back[2];
      if (paired) other[p] = back[1] + forth[3];
    }
  }
}

template <class Value>
void add_whole_columns(const Lines& lines, std::size_t first_line, const Lanes<Value>* sums,
                       Value* image) {
  Value* own = image + lines.first(first_line);
  Value* other = image + lines.partner(first_line + kGroup - 1);
  for (std::size_t p = 0; 2 * p < lines.length; ++p) {
    const std::size_t q = lines.length - 1 - p;
    Lanes<Value> forth[4];
    Lanes<Value> back[4];
    transposed<Value>(sums + p * kGroup, 1, forth);
    transposed<Value>(sums + q * kGroup, 1, back);
    add_four<Value>(forth[0] + back[3], own + p * lines.step);
    add_four<Value>(reversed<Value>(back[1] + forth[2]), other + p * lines.step);
    if (p == q) break;
    add_four<Value>(back[0] + forth[3], own + q * lines.step);
    add_four<Value>(reversed<Value>(forth[1] + back[2]), other + q * lines.step);
  }
}

template <class Value>
void add_columns(const Lines& lines, std::size_t first_line, const Lanes<Value>* sums,
                 Value* image) {
  if (whole_group(lines, first_line)) {
    add_whole_columns(lines, first_line, sums, image);
    return;
  }
  const std::size_t end_line = std::min(first_line + kGroup, lines.halves);
  for (std::size_t line = first_line; line < end_line; ++line, ++sums)
    for (std::size_t p = 0; p < lines.length; ++p) {
      const Lanes<Value>& forth = sums[p * kGroup];
      const Lanes<Value>& back = sums[(lines.length - 1 - p) * kGroup];
      Value& own = image[lines.first(line) + p * lines.step];
      if (!lines.paired(line)) {
        own += forth[0] + forth[2];
        continue;
      }
      own += forth[0] + back[3];
      image[lines.partner(line) + p * lines.step] += back[1] + forth[2];
    }
}

// Adds a step to each of the tile's lines, at its own edge.
template <class Step, class Index>
inline void add_step(const Lanes<Step>& step, const Index* edges, Lanes<Step>* steps) {
  auto* places = reinterpret_cast<std::byte*>(steps);
#pragma GCC unroll 8
  for (std::size_t l = 0; l < kLinesPerTile; ++l) {
    constexpr std::size_t kUnit = kLinesPerTile * sizeof(Lanes<Step>) / kEdgeUnits;
    *reinterpret_cast<Lanes<Step>*>(places + edges[l] * kUnit + l * sizeof(Lanes<Step>)) += step;
  }
}

// sums[p][l] = the steps of line l of a group up to place p; the steps become zero again.
template <class Step, class Value>
void sum_steps(std::size_t length, Lanes<Step>* steps, Lanes<Value>* sums) {
  Lanes<Step> running[kGroup] = {};
  for (std::size_t p = 0; p < length; ++p, steps += kLinesPerTile, sums += kGroup)
#pragma GCC unroll 4
    for (std::size_t l = 0; l < kGroup; ++l) {
      running[l] += steps[l];
      steps[l] = Lanes<Step>{};
      sums[l] = __builtin_convertvector(running[l], Lanes<Value>);
    }
  for (std::size_t l = 0; l < kGroup; ++l) steps[l] = Lanes<Step>{};
}

// The transpose of forward_image, step by step backwards: the difference of neighbouring bins goes
// to the edge between them, and sums along the line follow. Step is the type of both.
template <class Step, class Value>
void adjoint_image(const HoughPlan& plan, const Value* accumulator, Value* image, void* scratch) {
  const Shape shape(plan.grid);
  // One place more than there are pixels takes the steps of empty runs.
  const std::size_t places = std::max(shape.width, shape.height) + 1;
  auto* steps = static_cast<Lanes<Step>*>(scratch);
  auto* sums = reinterpret_cast<Lanes<Value>*>(steps + kLinesPerTile * places);
  auto* differences = reinterpret_cast<Lanes<Step>*>(sums + kGroup * places);
  std::fill(steps, steps + kLinesPerTile * places, Lanes<Step>{});
  std::vector<std::uint32_t> found;
  fold_differences<Step>(shape, accumulator, differences);

  for (const Scan scan : kScans) {
    const Lines lines(plan.grid, scan);
    for (std::size_t tile = 0; tile < lines.tiles; ++tile) {
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
        sum_steps<Step, Value>(lines.length, steps + group, sums);
        if (scan == Scan::kRows)
          write_rows(lines, tile * kLinesPerTile + group, sums, image);
        else
          add_columns(lines, tile * kLinesPerTile + group, sums, image);
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
}  // namespace HWY_NAMESPACE
}  // namespace vsmax
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
