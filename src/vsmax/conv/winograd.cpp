// SPDX-License-Identifier: Apache-2.0
#if VSMAX_WITH_HIGHWAY
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "vsmax/conv/winograd.cpp"
#include <hwy/foreach_target.h>
#endif
#include <algorithm>

#include "vsmax/conv/conv_cells.h"
#include "vsmax/conv/winograd.h"

HWY_BEFORE_NAMESPACE();
namespace vsmax::HWY_NAMESPACE {
namespace {

// Tiles of 4x4 outputs from patches of 6x6 inputs, one row of tiles at a time.
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
    // The last row of tiles may extend beyond the padding row at the seam; any row will do there,
    // because only cells outside the output depend on it.
    const std::ptrdiff_t row = static_cast<std::ptrdiff_t>(t + y) - 1;
    const auto last = static_cast<std::ptrdiff_t>(shape.rows);
    rows[y] = row_cells(shape, input, std::min(row, last), kChannels);
  }
  const std::size_t tiles = tile_count(shape);
  Vector half[kVectors][kPatch][kPatch];  // this tile, transformed along its columns
  for (std::size_t tile = 0; tile < tiles; ++tile) {
    constexpr std::size_t kShared = kPatch - kTile;  // columns shared with the next tile
    for (std::size_t x = tile == 0 ? 0 : kShared; x < kPatch; ++x) {
      const std::ptrdiff_t r = static_cast<std::ptrdiff_t>(tile * kTile + x) - 1;
      const bool inside = r >= 0 && r < columns;
      const float* cells[kPatch];
#pragma GCC unroll 6
      for (std::size_t y = 0; y < kPatch; ++y) cells[y] = inside ? rows[y].at(r) : kZeros;
#pragma GCC unroll 8
      for (std::size_t v = 0; v < kVectors; ++v) {
        Vector column[kPatch];
        Vector out[kPatch];
#pragma GCC unroll 6
        for (std::size_t y = 0; y < kPatch; ++y) column[y] = load(cells[y] + v * kLanes);
        transform_patch(column, out);
#pragma GCC unroll 6
        for (std::size_t y = 0; y < kPatch; ++y) half[v][y][x] = out[y];
      }
    }
    for (std::size_t v = 0; v < kVectors; ++v) {
      float* to = points + tile * kChannels + v * kLanes;
      for (std::size_t y = 0; y < kPatch; ++y) {
        Vector out[kPatch];
        transform_patch(half[v][y], out);
#pragma GCC unroll 6
        for (std::size_t x = 0; x < kPatch; ++x) store(out[x], to + (y * kPatch + x) * stride);
#pragma GCC unroll 2
        for (std::size_t x = 0; x < kShared; ++x) half[v][y][x] = half[v][y][kTile + x];
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

// Adds bias and applies ReLU, or does neither if biases is null.
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
      const Vector bias = biases != nullptr ? load(biases + channel) : Vector{};
      for (std::size_t y = 0; y < rows; ++y) {
        Vector out[kTile];
        transform_tile(half[y], out);
        float* to = output + ((t + y) * shape.columns + r) * kChannels + channel;
        for (std::size_t x = 0; x < columns; ++x)
          store(biases != nullptr ? positive(out[x] + bias) : out[x], to + x * kChannels);
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

// A g for four values.
inline void spread_tile(const Vector (&g)[kTile], Vector (&out)[kPatch]) {
  const Vector even1 = g[0] + g[2];
  const Vector odd1 = g[1] + g[3];
  const Vector even2 = g[0] + 4.0F * g[2];
  const Vector odd2 = 2.0F * g[1] + 8.0F * g[3];
  out[0] = g[0];
  out[1] = even1 + odd1;
  out[2] = even1 - odd1;
  out[3] = even2 + odd2;
  out[4] = even2 - odd2;
  out[5] = g[3];
}

// A g A^T of every tile that starts in row t; g is zero outside the map.
void tiles_to_points(const FeatureShape& shape, const float* gradient, std::size_t t,
                     float* points) {
  const std::size_t stride = point_stride(shape);
  const std::size_t tiles = tile_count(shape);
  for (std::size_t tile = 0; tile < tiles; ++tile) {
    const float* cells[kTile][kTile];
    for (std::size_t y = 0; y < kTile; ++y)
      for (std::size_t x = 0; x < kTile; ++x) {
        const std::size_t r = tile * kTile + x;
        const bool inside = t + y < shape.rows && r < shape.columns;
        cells[y][x] = inside ? gradient + ((t + y) * shape.columns + r) * kChannels : kZeros;
      }
    for (std::size_t channel = 0; channel < kChannels; channel += kLanes) {
      Vector half[kPatch][kTile];
      for (std::size_t x = 0; x < kTile; ++x) {
        Vector column[kTile];
        Vector out[kPatch];
#pragma GCC unroll 4
        for (std::size_t y = 0; y < kTile; ++y) column[y] = load(cells[y][x] + channel);
        spread_tile(column, out);
#pragma GCC unroll 6
        for (std::size_t y = 0; y < kPatch; ++y) half[y][x] = out[y];
      }
      float* to = points + tile * kChannels + channel;
      for (std::size_t y = 0; y < kPatch; ++y) {
        Vector out[kPatch];
        spread_tile(half[y], out);
#pragma GCC unroll 6
        for (std::size_t x = 0; x < kPatch; ++x) store(out[x], to + (y * kPatch + x) * stride);
      }
    }
  }
}

// sums[point] += inputs[point]^T outputs[point], 32 x tiles by tiles x 32.
void add_outer_products(const FeatureShape& shape, const float* inputs, const float* outputs,
                        float* sums) {
  const std::size_t stride = point_stride(shape);
  const std::size_t tiles = tile_count(shape);
  for (std::size_t point = 0; point < kPoints; ++point)
    for (std::size_t i = 0; i < kChannels; i += kCells)
      for (std::size_t column = 0; column < kChannels; column += kColumns * kLanes) {
        float* to = sums + (point * kChannels + i) * kChannels + column;
        const float* in = inputs + point * stride + i;
        const float* out = outputs + point * stride + column;
        Vector block[kCells][kColumns];
#pragma GCC unroll 8
        for (std::size_t p = 0; p < kCells; ++p)
#pragma GCC unroll 2
          for (std::size_t v = 0; v < kColumns; ++v)
            block[p][v] = load(to + p * kChannels + v * kLanes);
        for (std::size_t tile = 0; tile < tiles; ++tile) {
          Vector row[kColumns];
#pragma GCC unroll 2
          for (std::size_t v = 0; v < kColumns; ++v)
            row[v] = load(out + tile * kChannels + v * kLanes);
#pragma GCC unroll 8
          for (std::size_t p = 0; p < kCells; ++p) {
            const float input = in[tile * kChannels + p];
#pragma GCC unroll 2
            for (std::size_t v = 0; v < kColumns; ++v) block[p][v] += input * row[v];
          }
        }
#pragma GCC unroll 8
        for (std::size_t p = 0; p < kCells; ++p)
#pragma GCC unroll 2
          for (std::size_t v = 0; v < kColumns; ++v)
            store(block[p][v], to + p * kChannels + v * kLanes);
      }
}

void weight_sums(const FeatureShape& shape, const float* input, const float* gradient, float* sums,
                 float* workspace) {
  float* inputs = workspace;
  float* outputs = workspace + kPoints * point_stride(shape);
  std::fill_n(sums, kWinogradWeights, 0.0F);
  for (std::size_t t = 0; t < shape.rows; t += kTile) {
    patches_to_points(shape, input, t, inputs);
    tiles_to_points(shape, gradient, t, outputs);
    add_outer_products(shape, inputs, outputs, sums);
  }
}

std::size_t workspace_size(const FeatureShape& shape) { return 2 * kPoints * point_stride(shape); }

}  // namespace
}  // namespace vsmax::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace vsmax {

HWY_EXPORT(winograd_rows);
HWY_EXPORT(weight_sums);
HWY_EXPORT(workspace_size);

void winograd_layer(const FeatureShape& shape, const float* input, const float* transformed,
                    const float* biases, float* output, RowRange range, float* workspace) {
  HWY_DYNAMIC_DISPATCH(winograd_rows)
  (shape, input, transformed, biases, output, range, workspace);
}

std::size_t winograd_workspace(const FeatureShape& shape) {
  return HWY_DYNAMIC_DISPATCH(workspace_size)(shape);
}

void winograd_weight_gradient(const FeatureShape& shape, const float* input, const float* gradient,
                              float* transformed_gradient, float* workspace) {
  HWY_DYNAMIC_DISPATCH(weight_sums)(shape, input, gradient, transformed_gradient, workspace);
}

namespace {

constexpr std::size_t kSide = 6;
constexpr double kG[kSide][3] = {{1.0 / 4, 0, 0},
                                 {-1.0 / 6, -1.0 / 6, -1.0 / 6},
                                 {-1.0 / 6, 1.0 / 6, -1.0 / 6},
                                 {1.0 / 24, 1.0 / 12, 1.0 / 6},
                                 {1.0 / 24, -1.0 / 12, 1.0 / 6},
                                 {0, 0, 1}};
constexpr std::size_t kPairs = kConvChannels * kConvChannels;

}  // namespace

void transform_weights(const float* weights, float* transformed) {
  for (std::size_t pair = 0; pair < kPairs; ++pair) {
    double half[kSide][3];  // G w
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

void untransform_weights(const double* transformed, float* weights) {
  for (std::size_t pair = 0; pair < kPairs; ++pair) {
    double half[3][kSide] = {};  // G^T u
    for (std::size_t y = 0; y < kSide; ++y)
      for (std::size_t x = 0; x < kSide; ++x)
        for (std::size_t dy = 0; dy < 3; ++dy)
          half[dy][x] += kG[y][dy] * transformed[(y * kSide + x) * kPairs + pair];
    for (std::size_t dy = 0; dy < 3; ++dy)
      for (std::size_t dx = 0; dx < 3; ++dx) {
        double sum = 0.0;
        for (std::size_t x = 0; x < kSide; ++x) sum += half[dy][x] * kG[x][dx];
        weights[(dy * 3 + dx) * kPairs + pair] = static_cast<float>(sum);
      }
  }
}

}  // namespace vsmax
#endif
