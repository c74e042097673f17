// SPDX-License-Identifier: Apache-2.0
#if VSMAX_WITH_HIGHWAY
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "vsmax/conv/conv_kernels.cpp"
#include <hwy/foreach_target.h>
#endif
#include "vsmax/conv/conv_cells.h"
#include "vsmax/conv/conv_kernels.h"

HWY_BEFORE_NAMESPACE();
namespace vsmax::HWY_NAMESPACE {
namespace {

template <std::size_t cells>
inline void direct_cells(const RowCells (&rows)[3], std::size_t columns, std::size_t r,
                         const float* weights, const float* biases, float* output) {
  for (std::size_t column = 0; column < kChannels; column += kColumns * kLanes) {
    Vector sums[cells][kColumns];
#pragma GCC unroll 8
    for (std::size_t p = 0; p < cells; ++p)
#pragma GCC unroll 2
      for (std::size_t v = 0; v < kColumns; ++v) sums[p][v] = load(biases + column + v * kLanes);
    for (std::size_t tap = 0; tap < 9; ++tap) {
      const float* inputs[cells];
      const auto first = static_cast<std::ptrdiff_t>(r + tap % 3) - 1;
      if (first < 0 ||
          first + static_cast<std::ptrdiff_t>(cells) > static_cast<std::ptrdiff_t>(columns))
        continue;  // zero padding; the cells at both ends are computed one at a time
#pragma GCC unroll 8
      for (std::size_t p = 0; p < cells; ++p)
        inputs[p] = rows[tap / 3].at(first + static_cast<std::ptrdiff_t>(p));
      multiply<cells>(inputs, weights + tap * kChannels * kChannels + column, sums);
    }
#pragma GCC unroll 8
    for (std::size_t p = 0; p < cells; ++p)
#pragma GCC unroll 2
      for (std::size_t v = 0; v < kColumns; ++v)
        store(positive(sums[p][v]), output + (r + p) * kChannels + column + v * kLanes);
  }
}

void direct_rows(const FeatureShape& shape, const float* input, const float* weights,
                 const float* biases, float* output, RowRange range) {
  for (std::size_t t = range.begin; t < range.end; ++t) {
    RowCells rows[3];
    for (std::size_t d = 0; d < 3; ++d)
      rows[d] = row_cells(shape, input, static_cast<std::ptrdiff_t>(t + d) - 1, kChannels);
    float* out = output + t * shape.columns * kChannels;
    std::size_t r = 0;
    direct_cells<1>(rows, shape.columns, r++, weights, biases, out);
    for (; r + kCells < shape.columns; r += kCells)
      direct_cells<kCells>(rows, shape.columns, r, weights, biases, out);
    for (; r < shape.columns; ++r) direct_cells<1>(rows, shape.columns, r, weights, biases, out);
  }
}

void first_rows(const FeatureShape& shape, std::size_t inputs, const float* input, float scale,
                const float* weights, const float* biases, float* output, RowRange range) {
  for (std::size_t t = range.begin; t < range.end; ++t) {
    RowCells rows[3];
    for (std::size_t d = 0; d < 3; ++d)
      rows[d] = row_cells(shape, input, static_cast<std::ptrdiff_t>(t + d) - 1, inputs);
    float* out = output + t * shape.columns * kChannels;
    for (std::size_t r = 0; r < shape.columns; ++r) {
      Vector sums[kVectors];
#pragma GCC unroll 8
      for (std::size_t v = 0; v < kVectors; ++v)
        sums[v] = biases != nullptr ? load(biases + v * kLanes) : Vector{};
      for (std::size_t tap = 0; tap < 9; ++tap) {
        const std::ptrdiff_t place = static_cast<std::ptrdiff_t>(r + tap % 3) - 1;
        if (place < 0 || place >= static_cast<std::ptrdiff_t>(shape.columns)) continue;
        const float* cell = rows[tap / 3].at(place);
        const float* matrix = weights + tap * inputs * kChannels;
        for (std::size_t i = 0; i < inputs; ++i)
#pragma GCC unroll 8
          for (std::size_t v = 0; v < kVectors; ++v)
            sums[v] += scale * cell[i] * load(matrix + i * kChannels + v * kLanes);
      }
#pragma GCC unroll 8
      for (std::size_t v = 0; v < kVectors; ++v)
        store(biases != nullptr ? positive(sums[v]) : sums[v], out + r * kChannels + v * kLanes);
    }
  }
}

void last_rows(const FeatureShape& shape, const float* input, const float* weights, float bias,
               float* output, RowRange range) {
  for (std::size_t t = range.begin; t < range.end; ++t) {
    RowCells rows[3];
    for (std::size_t d = 0; d < 3; ++d)
      rows[d] = row_cells(shape, input, static_cast<std::ptrdiff_t>(t + d) - 1, kChannels);
    for (std::size_t r = 0; r < shape.columns; ++r) {
      const std::size_t first = r == 0 ? 1 : 0;
      const std::size_t last = r + 1 == shape.columns ? 2 : 3;
      Vector sum{};
      for (std::size_t dt = 0; dt < 3; ++dt)
        for (std::size_t dr = first; dr < last; ++dr) {
          const float* cell = rows[dt].at(static_cast<std::ptrdiff_t>(r + dr) - 1);
          const float* weight = weights + (dt * 3 + dr) * kChannels;
#pragma GCC unroll 8
          for (std::size_t v = 0; v < kVectors; ++v)
            sum += load(cell + v * kLanes) * load(weight + v * kLanes);
        }
      float total = bias;
      for (std::size_t lane = 0; lane < kLanes; ++lane) total += sum[lane];
      output[t * shape.columns + r] = total;
    }
  }
}

}  // namespace
}  // namespace vsmax::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace vsmax {

HWY_EXPORT(first_rows);
HWY_EXPORT(direct_rows);
HWY_EXPORT(last_rows);

void first_layer(const FeatureShape& shape, std::size_t inputs, const float* input, float scale,
                 const float* weights, const float* biases, float* output, RowRange range) {
  HWY_DYNAMIC_DISPATCH(first_rows)(shape, inputs, input, scale, weights, biases, output, range);
}

void direct_layer(const FeatureShape& shape, const float* input, const float* weights,
                  const float* biases, float* output, RowRange range) {
  HWY_DYNAMIC_DISPATCH(direct_rows)(shape, input, weights, biases, output, range);
}

void last_layer(const FeatureShape& shape, const float* input, const float* weights, float bias,
                float* output, RowRange range) {
  HWY_DYNAMIC_DISPATCH(last_rows)(shape, input, weights, bias, output, range);
}

}  // namespace vsmax
#endif
