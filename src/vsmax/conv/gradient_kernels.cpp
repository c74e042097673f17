// SPDX-License-Identifier: Apache-2.0
#if VSMAX_WITH_HIGHWAY
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "vsmax/conv/gradient_kernels.cpp"
#include <hwy/foreach_target.h>
#endif
#include <algorithm>

#include "vsmax/conv/conv_cells.h"
#include "vsmax/conv/gradient_kernels.h"

HWY_BEFORE_NAMESPACE();
namespace vsmax::HWY_NAMESPACE {
namespace {

// Cells per partial sum: a single running sum over all cells would lose precision.
constexpr std::size_t kRun = 64;

void masked_cells(std::size_t cells, const float* output, const float* gradient, float* masked,
                  float* bias_gradient) {
  Vector totals[kVectors] = {};
  for (std::size_t begin = 0; begin < cells; begin += kRun) {
    const std::size_t end = std::min(begin + kRun, cells);
    Vector sums[kVectors] = {};
    for (std::size_t cell = begin; cell < end; ++cell)
#pragma GCC unroll 8
      for (std::size_t v = 0; v < kVectors; ++v) {
        const std::size_t at = cell * kChannels + v * kLanes;
        const Vector kept = load(output + at) > Vector{} ? load(gradient + at) : Vector{};
        store(kept, masked + at);
        sums[v] += kept;
      }
    for (std::size_t v = 0; v < kVectors; ++v) totals[v] += sums[v];
  }
  for (std::size_t v = 0; v < kVectors; ++v) store(totals[v], bias_gradient + v * kLanes);
}

// to[32] += the sum over `count` cells of a number times the 32 channels of a cell.
void add_weighted(const float* numbers, std::ptrdiff_t number_step, const float* cells,
                  std::ptrdiff_t cell_step, std::size_t count, float* to) {
  Vector sums[kVectors] = {};
  for (std::size_t r = 0; r < count; ++r) {
    const float number = *numbers;
    numbers += number_step;
#pragma GCC unroll 8
    for (std::size_t v = 0; v < kVectors; ++v) sums[v] += number * load(cells + v * kLanes);
    cells += cell_step;
  }
#pragma GCC unroll 8
  for (std::size_t v = 0; v < kVectors; ++v)
    store(load(to + v * kLanes) + sums[v], to + v * kLanes);
}

// Columns r of an output row for which the input has a column r + dr - 1.
struct TapColumns {
  std::size_t first;
  std::size_t count;
};
inline TapColumns tap_columns(std::size_t columns, std::size_t dr) {
  const std::size_t first = dr == 0 ? 1 : 0;
  const std::size_t end = dr == 2 ? columns - 1 : columns;
  return {first, end > first ? end - first : 0};
}

// Calls visit(tap, t, columns, cells) for every tap and output row t, where cells.at(k) is the
// input cell that the tap multiplies for output column columns.first + k.
template <class Visit>
inline void for_each_tap(const FeatureShape& shape, const float* input, std::size_t channels,
                         const Visit& visit) {
  for (std::size_t t = 0; t < shape.rows; ++t)
    for (std::size_t tap = 0; tap < 9; ++tap) {
      const RowCells cells =
          row_cells(shape, input, static_cast<std::ptrdiff_t>(t + tap / 3) - 1, channels);
      const TapColumns columns = tap_columns(shape.columns, tap % 3);
      if (columns.count == 0) continue;
      const auto first = static_cast<std::ptrdiff_t>(columns.first + tap % 3) - 1;
      visit(tap, t, columns, RowCells{cells.at(first), cells.step});
    }
}

void first_weight_sums(const FeatureShape& shape, std::size_t inputs, const float* input,
                       const float* gradient, float* sums) {
  std::fill_n(sums, 9 * inputs * kChannels, 0.0F);
  for_each_tap(
      shape, input, inputs,
      [&](std::size_t tap, std::size_t t, const TapColumns& columns, const RowCells& cells) {
        const float* pull = gradient + (t * shape.columns + columns.first) * kChannels;
        for (std::size_t i = 0; i < inputs; ++i)
          add_weighted(cells.first + i, cells.step, pull, kChannels, columns.count,
                       sums + (tap * inputs + i) * kChannels);
      });
}

void last_weight_sums(const FeatureShape& shape, const float* input, const float* gradient,
                      float* sums) {
  std::fill_n(sums, 9 * kChannels, 0.0F);
  for_each_tap(
      shape, input, kChannels,
      [&](std::size_t tap, std::size_t t, const TapColumns& columns, const RowCells& cells) {
        add_weighted(gradient + t * shape.columns + columns.first, 1, cells.first, cells.step,
                     columns.count, sums + tap * kChannels);
      });
}

}  // namespace
}  // namespace vsmax::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace vsmax {

HWY_EXPORT(masked_cells);
HWY_EXPORT(first_weight_sums);
HWY_EXPORT(last_weight_sums);

void relu_gradient(std::size_t cells, const float* output, const float* gradient, float* masked,
                   float* bias_gradient) {
  HWY_DYNAMIC_DISPATCH(masked_cells)(cells, output, gradient, masked, bias_gradient);
}

void first_weight_gradient(const FeatureShape& shape, std::size_t inputs, const float* input,
                           const float* gradient, float* weight_gradient) {
  HWY_DYNAMIC_DISPATCH(first_weight_sums)(shape, inputs, input, gradient, weight_gradient);
}

void last_weight_gradient(const FeatureShape& shape, const float* input, const float* gradient,
                          float* weight_gradient) {
  HWY_DYNAMIC_DISPATCH(last_weight_sums)(shape, input, gradient, weight_gradient);
}

}  // namespace vsmax
#endif
