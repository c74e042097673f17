// SPDX-License-Identifier: Apache-2.0
// Internal: vectors of channels, and rows that continue across the seam, for the kernels of one
// target.
// No include guard, because it is included once per target.

#include <cstring>

#include "vsmax/base/every_target.h"
#include "vsmax/conv/conv_kernels.h"

HWY_BEFORE_NAMESPACE();
namespace vsmax::HWY_NAMESPACE {

inline constexpr std::size_t kChannels = kConvChannels;
using Vector = float __attribute__((vector_size(VSMAX_VECTOR_BYTES)));
inline constexpr std::size_t kLanes = sizeof(Vector) / sizeof(float);
inline constexpr std::size_t kVectors = kChannels / kLanes;  // per cell

inline Vector load(const float* from) {
  Vector value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

inline void store(const Vector& value, float* to) { std::memcpy(to, &value, sizeof value); }

// Propagates NaN, so that an overflow shows in the result.
inline Vector positive(const Vector& value) { return Vector{} > value ? Vector{} : value; }

// A row of the input, possibly from across the seam: cell r lies at first + r * step.
struct RowCells {
  const float* first;
  std::ptrdiff_t step;

  const float* at(std::ptrdiff_t r) const { return first + r * step; }
};

inline constexpr float kZeros[kChannels] = {};

inline RowCells row_cells(const FeatureShape& shape, const float* input, std::ptrdiff_t t,
                          std::size_t channels) {
  if (!shape.cover && (t < 0 || t >= static_cast<std::ptrdiff_t>(shape.rows))) return {kZeros, 0};
  const SeamRow source = row_across_seam(shape.cover.value_or(Cover::kSingle),
                                         static_cast<int>(shape.rows), static_cast<int>(t));
  const float* row = input + static_cast<std::size_t>(source.row) * shape.columns * channels;
  const auto step = static_cast<std::ptrdiff_t>(channels);
  if (!source.flipped) return {row, step};
  return {row + (shape.columns - 1) * channels, -step};
}

// sums[p][v] += the 32 inputs of cell p times the matrix, where v counts vectors of outputs. With
// kCells cells, there are enough independent sums to hide the latency of the multiply-adds.
inline constexpr std::size_t kColumns = 2;
inline constexpr std::size_t kCells = VSMAX_VECTOR_BYTES == 32 ? 4 : 8;

template <std::size_t cells>
void multiply(const float* const* inputs, const float* matrix, Vector (&sums)[cells][kColumns]) {
  for (std::size_t i = 0; i < kChannels; ++i) {
    Vector row[kColumns];
#pragma GCC unroll 2
    for (std::size_t v = 0; v < kColumns; ++v) row[v] = load(matrix + i * kChannels + v * kLanes);
#pragma GCC unroll 8
    for (std::size_t p = 0; p < cells; ++p) {
      const float input = inputs[p][i];
#pragma GCC unroll 2
      for (std::size_t v = 0; v < kColumns; ++v) sums[p][v] += input * row[v];
    }
  }
}

}  // namespace vsmax::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
