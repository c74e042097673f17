// SPDX-License-Identifier: Apache-2.0
// Internal to refine_net_backward_cuda.cu. The gradient of a layer's weights is a sum over all
// cells of products of two maps: each block adds up its share of the cells in registers, and a
// second kernel adds the blocks' sums in a fixed order.
#pragma once

#include <cstddef>
#include <cstdint>

#include "vsmax/refine/refine_net_packing.h"
#include "vsmax/refine/refine_net_tiles.h"

namespace vsmax::refine_net {

// `pair` where `features`, the outputs of a ReLU, are positive, and zero elsewhere; both hold two
// bfloat16s.
__device__ inline unsigned where_positive(unsigned features, unsigned pair) {
  // No feature is negative, so adding 0x7FFF sets the sign bit unless the feature is zero.
  return pair & ((features + 0x7FFF7FFFU) >> 15 & 0x00010001U) * 0xFFFFU;
}

// The masked gradients of a lane's 8 channels: of cell g or, if k = 1, of cell g + 8.
__device__ inline uint4 masked_gradients(const uint4& features,
                                         const float (&sums)[kMiddleTiles][4], int k) {
  return {where_positive(features.x, bfloat16s(sums[0][2 * k], sums[0][2 * k + 1])),
          where_positive(features.y, bfloat16s(sums[1][2 * k], sums[1][2 * k + 1])),
          where_positive(features.z, bfloat16s(sums[2][2 * k], sums[2][2 * k + 1])),
          where_positive(features.w, bfloat16s(sums[3][2 * k], sums[3][2 * k + 1]))};
}

// Gradients of a middle layer's weights

// The three warps of a block, one for each tap along rho, share the rows in shared memory. A warp
// covers the three taps along theta: its registers hold 3 x 32 x 32 sums and three rows of the
// layer's input.
constexpr int kTrio = 3 * kWarp;
constexpr int kTriosPerProcessor = 4;
constexpr int kGroups = 4;  // of three rows; three groups are in flight while one is used
constexpr int kStripBytes = kStrip * kCellBytes;
constexpr int kGroupBytes = 3 * (kRowBytes + kStripBytes);
constexpr int kWeightSums = kTaps * kChannels * kChannels;
constexpr int kMiddleSums = kWeightSums + kChannels;  // and those of biases

// Step i loads row begin - 1 + i of the input and row begin - 2 + i of the gradients, the latest
// for which all three rows of the input are then available.
static __global__ void __launch_bounds__(kTrio, kTriosPerProcessor)
    weight_gradient_kernel(Batch batch, const uint4* input, const uint4* gradients,
                           float* sums_of_blocks) {
  std::byte* ring = dynamic_shared<std::byte>();
  const int dr = static_cast<int>(threadIdx.x / kWarp);
  const int lane = static_cast<int>(threadIdx.x % kWarp);
  const int input_at = packet_at(lane % 8 + lane / 16 * 8 + dr, lane / 8 % 2);
  const int gradients_at = 3 * kRowBytes + packet_at(lane % 16, lane / 16);
  const int strips = batch.strips();
  constexpr unsigned kOne = 0x3F803F80U;
  const unsigned ones[4] = {kOne, kOne, kOne, kOne};
  float sums[3][2][kMiddleTiles][4] = {};
  float biases[kMiddleTiles][4] = {};

  for_each_share(
      batch.images * strips, batch.shape.rows(), blockIdx.x, gridDim.x,
      [&](std::int64_t column, int begin, int end) {
        const int count = end - begin + 2;
        const std::int64_t image = column / strips;
        const int r = static_cast<int>(column - image * strips) * kStrip + lane / 4;
        const std::size_t packets = packet_index(batch, image, {0, 0}) + lane % 4;
        const uint4* input_image = input + packets;
        const uint4* gradients_image = gradients + packets;
        // Each warp copies one of a group's three rows.
        const auto load = [&](int group) {
          const int i = group * 3 + dr;
          const int rhos = batch.shape.rhos;
          std::byte* to = ring + group % kGroups * kGroupBytes + packet_at(lane / 4, lane % 4);
          const SeamRow source =
              row_across_seam(batch.shape.cover, batch.shape.rows(), begin - 1 + i);
          const int step = source.flipped ? -8 * 4 : 8 * 4;
          const uint4* from =
              input_image + (source.row * rhos + (source.flipped ? rhos - r : r - 1)) * 4;
#pragma unroll
          for (int k = 0; k < 3; ++k)
            if (i < count && lane / 4 + 8 * k < kCells)
              copy_async(to + dr * kRowBytes + 8 * kCellBytes * k, from + k * step,
                         static_cast<unsigned>(r - 1 + 8 * k) < static_cast<unsigned>(rhos));
#pragma unroll
          for (int k = 0; k < 2; ++k)
            if (i >= 2 && i < count)
              copy_async(to + 3 * kRowBytes + dr * kStripBytes + 8 * kCellBytes * k,
                         gradients_image + ((begin - 2 + i) * rhos + r + 8 * k) * 4,
                         r + 8 * k < rhos);
          commit_copies();
        };
        __syncthreads();  // all warps are done with the previous column
#pragma unroll 1
        for (int group = 0; group < kGroups - 1; ++group) load(group);
        unsigned rows[3][2][4] = {};
        for (int group = 0; 3 * group < count; ++group) {
          wait_for_copies<kGroups - 2>();
          __syncthreads();
          load(group + kGroups - 1);
          const std::byte* stage = ring + group % kGroups * kGroupBytes;
#pragma unroll
          for (int k = 0; k < 3; ++k) {
            if (3 * group + k >= count) break;
#pragma unroll
            for (int half = 0; half < 2; ++half)
              load_matrices_transposed(rows[k][half],
                                       stage + k * kRowBytes + (input_at ^ (32 * half)));
            if (3 * group + k < 2) continue;
#pragma unroll
            for (int half = 0; half < 2; ++half) {
              unsigned columns[4];
              load_matrices_transposed(columns,
                                       stage + k * kStripBytes + (gradients_at ^ (32 * half)));
#pragma unroll
              for (int j = 0; j < 2; ++j) {
                const unsigned(&tile)[2] = {columns[2 * j], columns[2 * j + 1]};
#pragma unroll
                for (int dt = 0; dt < 3; ++dt)
#pragma unroll
                  for (int m = 0; m < 2; ++m)
                    multiply_add(sums[dt][m][2 * half + j], rows[(k + 1 + dt) % 3][m], tile);
                if (dr == 1) multiply_add(biases[2 * half + j], ones, tile);
              }
            }
          }
        }
      });
  // Stored in the order of the registers; MiddleSums knows where each belongs.
  float* block = sums_of_blocks + static_cast<std::size_t>(blockIdx.x) * kMiddleSums;
  auto* to = reinterpret_cast<float4*>(block) + lane;
#pragma unroll
  for (int dt = 0; dt < 3; ++dt)
#pragma unroll
    for (int m = 0; m < 2; ++m)
#pragma unroll
      for (int tile = 0; tile < kMiddleTiles; ++tile) {
        const float(&d)[4] = sums[dt][m][tile];
        to[(((dt * 3 + dr) * 2 + m) * kMiddleTiles + tile) * kWarp] = {d[0], d[1], d[2], d[3]};
      }
  if (dr == 1 && lane < 4)
#pragma unroll
    for (int tile = 0; tile < kMiddleTiles; ++tile) {
      block[kWeightSums + tile * 8 + 2 * lane] = biases[tile][0];
      block[kWeightSums + tile * 8 + 2 * lane + 1] = biases[tile][1];
    }
}

// The index of sum i of a block among the layer's gradients: outputs x inputs x 3 x 3, then biases.
struct MiddleSums {
  static constexpr int kCount = kMiddleSums;

  __device__ static int target(int i) {
    if (i >= kWeightSums) return i;
    const int lane = i / 4 % kWarp;
    const int product = i / (4 * kWarp);  // tap, half of the inputs, tile of outputs
    const int input = product / kMiddleTiles % 2 * 16 + lane / 4 + i % 4 / 2 * 8;
    const int output = product % kMiddleTiles * 8 + lane % 4 * 2 + i % 2;
    return (output * kChannels + input) * kTaps + product / (2 * kMiddleTiles);
  }
};

// The first and the last layer have a single channel on one side; its values are called scalars.

// The logits' gradients.
struct LogitGradients {
  const float* gradients;

  __device__ float operator()(const Batch& batch, std::int64_t image, Cell cell) const {
    return __ldg(gradients + image * batch.shape.count() + batch.shape.index(cell));
  }
};
// The network's input, from the accumulator on the single cover.
struct Inputs {
  const float* accumulators;
  float scale;

  __device__ float operator()(const Batch& batch, std::int64_t image, Cell cell) const {
    const auto [thetas, rhos, cover] = batch.shape;
    if (cell.t >= thetas) cell = {cell.t - thetas, rhos - 1 - cell.r};
    return scale * __ldg(accumulators + (image * thetas + cell.t) * rhos + cell.r);
  }
};

constexpr int kEdgeBlocksPerProcessor = 2;
constexpr int kEdgeTiles = 2;  // of 8 columns: 9 taps, then one for the biases
constexpr int kBiasColumn = kTaps;
constexpr int kEdgeSums = kChannels * kEdgeTiles * 8;
constexpr int kWindow = 64;  // 3 rows of 18 scalars, and more

// A warp walks along theta. The gradients of the weights are products of a map's cells and the
// scalars around them, summed over all cells. In the first layer the map holds the gradients of its
// sums, in the last one the output of the previous layer. For the last layer, the kernel also
// computes the gradients of the previous layer's sums: products of the last layer's weights and the
// scalars. This transposed layer has its taps along rho reversed past the seam of the single cover.
template <bool Last, class Scalars>
__global__ void __launch_bounds__(kThreads, kEdgeBlocksPerProcessor)
    edge_gradient_kernel(Batch batch, const uint4* map, Scalars scalars,
                         const std::uint32_t* fragments, uint4* output, float* sums_of_blocks) {
  __shared__ std::uint16_t windows[kWarps][2][kWindow];
  const int warp = static_cast<int>(threadIdx.x / kWarp);
  const int lane = static_cast<int>(threadIdx.x % kWarp);
  const int g = lane / 4;
  const int c = lane % 4;
  unsigned weights[kMiddleTiles][2] = {};
  if constexpr (Last)
#pragma unroll
    for (int tile = 0; tile < kMiddleTiles; ++tile) {
      const uint2 pair = __ldg(reinterpret_cast<const uint2*>(fragments) + tile * kWarp + lane);
      weights[tile][0] = pair.x;
      weights[tile][1] = pair.y;
    }

  CopiedRows rows(batch, map, ring_of_warp(CopiedRows::kStages));
  float sums[2][kEdgeTiles][4] = {};
  float bias = 0.0F;
  for_each_column(batch, [&](const Column& column) {
    float fetched[2];
    const auto fetch = [&](int t) {
#pragma unroll
      for (int k = 0; k < 2; ++k) {
        const int n = lane + k * kWarp;
        const Cell cell = batch.shape.across_seam({t + n / kCells - 1, column.r - 1 + n % kCells});
        const bool inside = n < 3 * kCells && cell.r >= 0 && cell.r < batch.shape.rhos;
        fetched[k] = inside ? scalars(batch, column.image, cell) : 0.0F;
      }
    };
    fetch(column.begin);
    // Only the column's own rows, without the ones around it.
    rows.start({column.image, column.r, column.begin + 1, column.end - 1});
    for (int i = 0; i < column.end - column.begin; ++i) {
      const int t = column.begin + i;
      std::uint16_t* window = windows[warp][i % 2];
#pragma unroll
      for (int k = 0; k < 2; ++k) {
        const int n = lane + k * kWarp;
        window[n] = static_cast<std::uint16_t>(bfloat16s(fetched[k], 0.0F));
        if (Last && n > kCells && n < 2 * kCells - 1) bias += fetched[k];
      }
      if (t + 1 < column.end) fetch(t + 1);
      const std::byte* row = rows.row(i);
      rows.prepare_after(i);
      const auto pair = [&](int first, int second) {
        return static_cast<unsigned>(window[first]) | static_cast<unsigned>(window[second]) << 16;
      };

      // The index in the window of the scalar that tap n reads for cell 0.
      const auto tap_at = [&](int n) {
        const bool backwards = Last && PastTheSeam{batch.shape}(t - 1 + n / 3);
        return n / 3 * kCells + (backwards ? 2 - n % 3 : n % 3);
      };

      // Matrix product with channels as rows and taps as columns, summed over 16 cells.
      const int first = tap_at(g) + 2 * c;
      const unsigned taps[2] = {pair(first, first + 1), pair(first + 8, first + 9)};
      const int eighth = tap_at(8) + 2 * c;
      const unsigned others = !Last && g == kBiasColumn - 8 ? 0x3F803F80U : 0U;
      const unsigned last_taps[2] = {g == 0 ? pair(eighth, eighth + 1) : others,
                                     g == 0 ? pair(eighth + 8, eighth + 9) : others};
      const int at = packet_at(1 + lane % 8 + lane / 16 * 8, lane / 8 % 2);
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        unsigned channels[4];
        load_matrices_transposed(channels, row + (at ^ (32 * half)));
        multiply_add(sums[half][0], channels, taps);
        multiply_add(sums[half][1], channels, last_taps);
      }

      if constexpr (Last) {
        // Matrix product with cells as rows and channels as columns, summed over taps.
        const auto tap_pair = [&](int cell) {
          return pair(tap_at(2 * c) + cell, tap_at(2 * c + 1) + cell);
        };
        const auto eighth_tap = [&](int cell) -> unsigned {
          return c == 0 ? window[tap_at(8) + cell] : 0U;
        };
        const unsigned cells[4] = {tap_pair(g), tap_pair(g + 8), eighth_tap(g), eighth_tap(g + 8)};
        float products[kMiddleTiles][4] = {};
#pragma unroll
        for (int tile = 0; tile < kMiddleTiles; ++tile)
          multiply_add(products[tile], cells, weights[tile]);
#pragma unroll
        for (int k = 0; k < 2; ++k) {
          const int r = column.r + g + 8 * k;
          if (r < batch.shape.rhos)
            output[packet_index(batch, column.image, {t, r}) + c] = masked_gradients(
                *reinterpret_cast<const uint4*>(row + packet_at(1 + g + 8 * k, c)), products, k);
        }
      }
    }
  });

  if constexpr (Last) {
#pragma unroll
    for (int lanes = kWarp / 2; lanes > 0; lanes /= 2)
      bias += __shfl_xor_sync(0xFFFFFFFFU, bias, lanes);
    if (lane == 0) sums[0][1][kBiasColumn - 8] = bias;
  }
  wait_for_copies<0>();
  __syncthreads();
  auto* of_warps = dynamic_shared<float>();
#pragma unroll
  for (int half = 0; half < 2; ++half)
#pragma unroll
    for (int tile = 0; tile < kEdgeTiles; ++tile)
#pragma unroll
      for (int j = 0; j < 4; ++j)
        of_warps[warp * kEdgeSums + ((half * kEdgeTiles + tile) * kWarp + lane) * 4 + j] =
            sums[half][tile][j];
  __syncthreads();
  for (int i = static_cast<int>(threadIdx.x); i < kEdgeSums; i += kThreads) {
    float sum = 0.0F;
    for (int w = 0; w < kWarps; ++w) sum += of_warps[w * kEdgeSums + i];
    sums_of_blocks[static_cast<std::size_t>(blockIdx.x) * kEdgeSums + i] = sum;
  }
}

template <bool Last>
struct EdgeSums {
  static constexpr int kCount = kEdgeSums;

  // As MiddleSums::target; negative for a sum that is not used.
  __device__ static int target(int i) {
    const int lane = i / 4 % kWarp;
    const int product = i / (4 * kWarp);  // half of the channels, tile of columns
    const int channel = product / kEdgeTiles * 16 + lane / 4 + i % 4 / 2 * 8;
    const int column = product % kEdgeTiles * 8 + lane % 4 * 2 + i % 2;
    if (column < kTaps) return channel * kTaps + (Last ? kTaps - 1 - column : column);
    const bool is_bias = column == kBiasColumn && (!Last || channel == 0);
    return is_bias ? kChannels * kTaps + channel : -1;
  }
};

// Adds the blocks' sums: each of the 8 warps takes every eighth block, four sums per lane; then the
// first warp adds the results of all.
constexpr int kSlices = kWarps;
template <class Sums>
__global__ void __launch_bounds__(kThreads)
    add_blocks_kernel(const float* sums_of_blocks, int blocks, float* output) {
  constexpr int kQuads = Sums::kCount / 4;
  static_assert(Sums::kCount % 4 == 0);
  __shared__ float4 slices[kSlices][kWarp];
  const int lane = static_cast<int>(threadIdx.x % kWarp);
  const int slice = static_cast<int>(threadIdx.x / kWarp);
  const int quad = static_cast<int>(blockIdx.x) * kWarp + lane;
  const auto* from = reinterpret_cast<const float4*>(sums_of_blocks) + quad;
  float4 sum{0.0F, 0.0F, 0.0F, 0.0F};
  const auto add = [&](const float4& more) {
    sum.x += more.x;
    sum.y += more.y;
    sum.z += more.z;
    sum.w += more.w;
  };
  if (quad < kQuads)
#pragma unroll 8
    for (int block = slice; block < blocks; block += kSlices)
      add(__ldg(from + static_cast<std::size_t>(block) * kQuads));
  slices[slice][lane] = sum;
  __syncthreads();
  if (slice != 0 || quad >= kQuads) return;
  for (int k = 1; k < kSlices; ++k) add(slices[k][lane]);
  const float sums[4] = {sum.x, sum.y, sum.z, sum.w};
#pragma unroll
  for (int k = 0; k < 4; ++k)
    if (const int target = Sums::target(4 * quad + k); target >= 0) output[target] = sums[k];
}

}  // namespace vsmax::refine_net
