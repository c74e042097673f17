// SPDX-License-Identifier: Apache-2.0
#if VSMAX_WITH_HIGHWAY
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "vsmax/conv/conv_kernels.cpp"
#include <hwy/foreach_target.h>
#endif
#include <algorithm>
#include <cstring>

#include "vsmax/base/every_target.h"
#include "vsmax/conv/conv_kernels.h"

HWY_BEFORE_NAMESPACE();
namespace vsmax::HWY_NAMESPACE {
namespace {

constexpr std::size_t kChannels = kConvChannels;
using Vector = float __attribute__((vector_size(VSMAX_VECTOR_BYTES)));
constexpr std::size_t kLanes = sizeof(Vector) / sizeof(float);
constexpr std::size_t kVectors = kChannels / kLanes;  // per cell

inline Vector load(const float* from) {
  Vector value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

inline void store(const Vector& value, float* to) { std::memcpy(to, &value, sizeof value); }

// Propagates NaN, so that an overflow shows in the result.
inline Vector positive(const Vector& value) { return Vector{} > value ? Vector{} : value; }

// A row of the input, past the seam as well: cell r lies at first + r * step.
struct RowCells {
  const float* first;
  std::ptrdiff_t step;

  const float* at(std::ptrdiff_t r) const { return first + r * step; }
};

constexpr float kZeros[kChannels] = {};

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

// sums[p][v] += the 32 inputs of cell p times the matrix, for kCells cells and kColumns vectors of
// outputs: as many independent sums as it takes to keep the multipliers busy.
constexpr std::size_t kColumns = 2;
constexpr std::size_t kCells = VSMAX_VECTOR_BYTES == 32 ? 4 : 8;

template <std::size_t cells>
inline void multiply(const float* const* inputs, const float* matrix,
                     Vector (&sums)[cells][kColumns]) {
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
        continue;  // cells at the ends come one at a time and see zeros outside
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

// Winograd: tiles of 4x4 outputs from 6x6 inputs, one row of tiles at a time.
constexpr std::size_t kTile = kWinogradRows;
constexpr std::size_t kPatch = kTile + 2;
constexpr std::size_t kPoints = kPatch * kPatch;
static_assert(kPoints == kWinogradPoints);

// The values of one point of all tiles are contiguous; a gap between points keeps the 36 values of
// a tile from mapping to the same cache set.
inline std::size_t tile_count(const FeatureShape& shape) {
  const std::size_t tiles = (shape.columns + kTile - 1) / kTile;
  return (tiles + kCells - 1) / kCells * kCells;
}
inline std::size_t point_stride(const FeatureShape& shape) {
  constexpr std::size_t kGap = 16;
  return tile_count(shape) * kChannels + kGap;
}

// B^T d for six values.
inline void transform_patch(const Vector (&d)[kPatch], Vector (&out)[kPatch]) {
  const Vector even = d[4] - 4.0F * d[2];
  const Vector odd = d[3] - 4.0F * d[1];
  const Vector even_half = d[4] - d[2];
  const Vector odd_half = 2.0F * (d[3] - d[1]);
  out[0] = 4.0F * d[0] - 5.0F * d[2] + d[4];
  out[1] = even + odd;
  out[2] = even - odd;
  out[3] = even_half + odd_half;
  out[4] = even_half - odd_half;
  out[5] = 4.0F * d[1] - 5.0F * d[3] + d[5];
}

// A^T m for six values.
inline void transform_tile(const Vector (&m)[kPatch], Vector (&out)[kTile]) {
  const Vector sum1 = m[1] + m[2];
  const Vector difference1 = m[1] - m[2];
  const Vector sum2 = m[3] + m[4];
  const Vector difference2 = m[3] - m[4];
  out[0] = m[0] + sum1 + sum2;
  out[1] = difference1 + 2.0F * difference2;
  out[2] = sum1 + 4.0F * sum2;
  out[3] = difference1 + 8.0F * difference2 + m[5];
}

void patches_to_points(const FeatureShape& shape, const float* input, std::size_t t,
                       float* points) {
  const std::size_t stride = point_stride(shape);
  const auto columns = static_cast<std::ptrdiff_t>(shape.columns);
  RowCells rows[kPatch];
  for (std::size_t y = 0; y < kPatch; ++y) {
    // The last tile may reach past the seam by more rows than there are; any rows will do, because
    // only cells outside the output depend on them.
    const std::ptrdiff_t row = static_cast<std::ptrdiff_t>(t + y) - 1;
    const auto last = static_cast<std::ptrdiff_t>(shape.rows);
    rows[y] = row_cells(shape, input, std::min(row, last), kChannels);
  }
  const std::size_t tiles = tile_count(shape);
  for (std::size_t tile = 0; tile < tiles; ++tile) {
    const float* cells[kPatch][kPatch];
    for (std::size_t x = 0; x < kPatch; ++x) {
      const std::ptrdiff_t r = static_cast<std::ptrdiff_t>(tile * kTile + x) - 1;
      const bool inside = r >= 0 && r < columns;
      for (std::size_t y = 0; y < kPatch; ++y) cells[y][x] = inside ? rows[y].at(r) : kZeros;
    }
    for (std::size_t channel = 0; channel < kChannels; channel += kLanes) {
      Vector half[kPatch][kPatch];
      for (std::size_t x = 0; x < kPatch; ++x) {
        Vector column[kPatch];
        Vector out[kPatch];
#pragma GCC unroll 6
        for (std::size_t y = 0; y < kPatch; ++y) column[y] = load(cells[y][x] + channel);
        transform_patch(column, out);
#pragma GCC unroll 6
        for (std::size_t y = 0; y < kPatch; ++y) half[y][x] = out[y];
      }
      float* to = points + tile * kChannels + channel;
      for (std::size_t y = 0; y < kPatch; ++y) {
        Vector out[kPatch];
        transform_patch(half[y], out);
#pragma GCC unroll 6
        for (std::size_t x = 0; x < kPatch; ++x) store(out[x], to + (y * kPatch + x) * stride);
      }
    }
  }
}

// products[point] = points[point] times its matrix, tiles x 32 by 32 x 32.
void multiply_points(const FeatureShape& shape, const float* points, const float* matrices,
                     float* products) {
  const std::size_t stride = point_stride(shape);
  const std::size_t tiles = tile_count(shape);
  for (std::size_t point = 0; point < kPoints; ++point) {
    const float* from = points + point * stride;
    float* to = products + point * stride;
    for (std::size_t column = 0; column < kChannels; column += kColumns * kLanes) {
      const float* matrix = matrices + point * kChannels * kChannels + column;
      for (std::size_t tile = 0; tile < tiles; tile += kCells) {
        Vector sums[kCells][kColumns];
        const float* inputs[kCells];
#pragma GCC unroll 8
        for (std::size_t p = 0; p < kCells; ++p) {
          inputs[p] = from + (tile + p) * kChannels;
#pragma GCC unroll 2
          for (std::size_t v = 0; v < kColumns; ++v) sums[p][v] = Vector{};
        }
        multiply<kCells>(inputs, matrix, sums);
#pragma GCC unroll 8
        for (std::size_t p = 0; p < kCells; ++p)
#pragma GCC unroll 2
          for (std::size_t v = 0; v < kColumns; ++v)
            store(sums[p][v], to + (tile + p) * kChannels + column + v * kLanes);
      }
    }
  }
}

void products_to_tiles(const FeatureShape& shape, const float* products, const float* biases,
                       std::size_t t, std::size_t rows, float* output) {
  const std::size_t stride = point_stride(shape);
  for (std::size_t r = 0; r < shape.columns; r += kTile) {
    const std::size_t columns = std::min(kTile, shape.columns - r);
    for (std::size_t channel = 0; channel < kChannels; channel += kLanes) {
      const float* from = products + r / kTile * kChannels + channel;
      Vector half[kTile][kPatch];
      for (std::size_t x = 0; x < kPatch; ++x) {
        Vector column[kPatch];
        Vector out[kTile];
#pragma GCC unroll 6
        for (std::size_t y = 0; y < kPatch; ++y) column[y] = load(from + (y * kPatch + x) * stride);
        transform_tile(column, out);
#pragma GCC unroll 4
        for (std::size_t y = 0; y < kTile; ++y) half[y][x] = out[y];
      }
      const Vector bias = load(biases + channel);
      for (std::size_t y = 0; y < rows; ++y) {
        Vector out[kTile];
        transform_tile(half[y], out);
        float* to = output + ((t + y) * shape.columns + r) * kChannels + channel;
        for (std::size_t x = 0; x < columns; ++x)
          store(positive(out[x] + bias), to + x * kChannels);
      }
    }
  }
}

void winograd_rows(const FeatureShape& shape, const float* input, const float* transformed,
                   const float* biases, float* output, RowRange range, float* workspace) {
  float* points = workspace;
  float* products = workspace + kPoints * point_stride(shape);
  for (std::size_t t = range.begin; t < range.end; t += kTile) {
    patches_to_points(shape, input, t, points);
    multiply_points(shape, points, transformed, products);
    products_to_tiles(shape, products, biases, t, std::min(kTile, range.end - t), output);
  }
}

std::size_t workspace_size(const FeatureShape& shape) { return 2 * kPoints * point_stride(shape); }

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
      for (std::size_t v = 0; v < kVectors; ++v) sums[v] = load(biases + v * kLanes);
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
        store(positive(sums[v]), out + r * kChannels + v * kLanes);
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
HWY_EXPORT(winograd_rows);
HWY_EXPORT(workspace_size);
HWY_EXPORT(last_rows);

void first_layer(const FeatureShape& shape, std::size_t inputs, const float* input, float scale,
                 const float* weights, const float* biases, float* output, RowRange range) {
  HWY_DYNAMIC_DISPATCH(first_rows)(shape, inputs, input, scale, weights, biases, output, range);
}

void direct_layer(const FeatureShape& shape, const float* input, const float* weights,
                  const float* biases, float* output, RowRange range) {
  HWY_DYNAMIC_DISPATCH(direct_rows)(shape, input, weights, biases, output, range);
}

void winograd_layer(const FeatureShape& shape, const float* input, const float* transformed,
                    const float* biases, float* output, RowRange range, float* workspace) {
  HWY_DYNAMIC_DISPATCH(winograd_rows)
  (shape, input, transformed, biases, output, range, workspace);
}

std::size_t winograd_workspace(const FeatureShape& shape) {
  return HWY_DYNAMIC_DISPATCH(workspace_size)(shape);
}

void last_layer(const FeatureShape& shape, const float* input, const float* weights, float bias,
                float* output, RowRange range) {
  HWY_DYNAMIC_DISPATCH(last_rows)(shape, input, weights, bias, output, range);
}

// G g G^T for every pair of channels, in double.
void transform_weights(const float* weights, float* transformed) {
  constexpr std::size_t kSide = 6;
  constexpr double kG[kSide][3] = {{1.0 / 4, 0, 0},
                                   {-1.0 / 6, -1.0 / 6, -1.0 / 6},
                                   {-1.0 / 6, 1.0 / 6, -1.0 / 6},
                                   {1.0 / 24, 1.0 / 12, 1.0 / 6},
                                   {1.0 / 24, -1.0 / 12, 1.0 / 6},
                                   {0, 0, 1}};
  constexpr std::size_t kPairs = kConvChannels * kConvChannels;
  for (std::size_t pair = 0; pair < kPairs; ++pair) {
    double half[kSide][3];  // G g
    for (std::size_t y = 0; y < kSide; ++y)
      for (std::size_t x = 0; x < 3; ++x)
        half[y][x] = kG[y][0] * weights[x * kPairs + pair] +
                     kG[y][1] * weights[(3 + x) * kPairs + pair] +
                     kG[y][2] * weights[(6 + x) * kPairs + pair];
    for (std::size_t y = 0; y < kSide; ++y)
      for (std::size_t x = 0; x < kSide; ++x)
        transformed[(y * kSide + x) * kPairs + pair] = static_cast<float>(
            half[y][0] * kG[x][0] + half[y][1] * kG[x][1] + half[y][2] * kG[x][2]);
  }
}

}  // namespace vsmax
#endif
