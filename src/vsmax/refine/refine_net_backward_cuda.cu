// SPDX-License-Identifier: Apache-2.0
// The gradient of a layer's input is a convolution with the transposed weights and uses the forward
// pass's code. The gradient of its weights is a sum over all cells of products of two maps: each
// block adds up its share of the cells in registers, and a second kernel adds the blocks' sums in a
// fixed order. A "sum" of a layer is its output before ReLU.
#include <cuda_bf16.h>

#include <algorithm>

#include "vsmax/refine/refine_net_backward_cuda.h"
#include "vsmax/refine/refine_net_packing.h"
#include "vsmax/refine/refine_net_tiles.h"

namespace vsmax {
namespace {

using namespace refine_net;

// Packing

constexpr int kPaddedValues = (kValues + 3) / 4 * 4;

__global__ void __launch_bounds__(kThreads)
    pack_kernel(RefineParameters parameters, float* values, std::uint32_t* fragments,
                std::uint32_t* transposed) {
  int i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  if (i < kValues) {
    int layer = 0;
    while (layer < kLayers - 1 && i >= values_of(layer + 1)) ++layer;
    if (i >= biases_of(layer)) {
      values[i] = parameters.biases[layer][i - biases_of(layer)];
      return;
    }
    const int k = i - values_of(layer);
    const int output = k % outputs_of(layer);
    const int input = k / outputs_of(layer) % inputs_of(layer);
    const int tap = k / (outputs_of(layer) * inputs_of(layer));
    values[i] = parameters.weights[layer][weight_index(layer, tap, input, output)];
    return;
  }
  i -= kValues;
  const bool forward = i < kFragments;
  if (!forward) i -= kFragments;
  if (i >= kTransposedFragments) return;
  const FragmentSource source = forward ? fragment_source(i) : transposed_fragment_source(i);
  const float* weights = parameters.weights[source.layer];
  (forward ? fragments : transposed)[i] =
      bfloat16s(source.first < 0 ? 0.0F : weights[source.first],
                source.second < 0 ? 0.0F : weights[source.second]);
}

// Gradients of a layer's inputs

// `pair` where `features`, the outputs of a ReLU, are positive, and zero elsewhere; both hold two
// bfloat16s.
__device__ unsigned where_positive(unsigned features, unsigned pair) {
  // No feature is negative, so adding 0x7FFF sets the sign bit unless the feature is zero.
  return pair & ((features + 0x7FFF7FFFU) >> 15 & 0x00010001U) * 0xFFFFU;
}

// The masked gradients of a lane's 8 channels: of cell g or, if k = 1, of cell g + 8.
__device__ uint4 masked_gradients(const uint4& features, const float (&sums)[kMiddleTiles][4],
                                  int k) {
  return {where_positive(features.x, bfloat16s(sums[0][2 * k], sums[0][2 * k + 1])),
          where_positive(features.y, bfloat16s(sums[1][2 * k], sums[1][2 * k + 1])),
          where_positive(features.z, bfloat16s(sums[2][2 * k], sums[2][2 * k + 1])),
          where_positive(features.w, bfloat16s(sums[3][2 * k], sums[3][2 * k + 1]))};
}

// Rows of a map for convolve(), together with the features at the cells of the output row that each
// of them completes. A lane copies only the features that it uses itself.
class MaskedRows {
 public:
  static constexpr int kStages = 4;  // 8 would need more memory than smaller GPUs have
  static constexpr bool kBetweenProducts = true;
  static constexpr int kBytes = kStages * (kRowBytes + kStrip * kCellBytes);  // of a warp

  __device__ MaskedRows(const Batch& batch, const uint4* input, const uint4* features,
                        std::byte* ring)
      : rows_(batch, input, ring),
        batch_(batch),
        features_(features),
        ring_(reinterpret_cast<uint4*>(ring + kStages * kRowBytes) + threadIdx.x % kWarp) {}

  __device__ void start(const Column& column) {
    const int lane = static_cast<int>(threadIdx.x % kWarp);
    r_ = column.r + lane / 4;
    rows_of_column_ = column.end - column.begin;
    from_ = features_ + packet_index(batch_, column.image, {column.begin, r_}) + lane % 4;
#pragma unroll 1
    for (int i = 2; i < kStages - 1; ++i) copy_features(i);
    rows_.start(column);
  }
  __device__ const std::byte* row(int i) { return rows_.row(i); }
  __device__ void prepare_after(int i) {
    copy_features(i + kStages - 1);
    rows_.prepare_after(i);
  }
  // At cell g or, if k = 1, at cell g + 8 of the row that row i completes: row i - 2 of the column.
  __device__ const uint4& features(int i, int k) const {
    return ring_[static_cast<unsigned>(i) % kStages * (2 * kWarp) + k * kWarp];
  }

 private:
  __device__ void copy_features(int i) {
    const int rhos = batch_.shape.rhos;
#pragma unroll
    for (int k = 0; k < 2; ++k)
      if (i - 2 < rows_of_column_)
        copy_async(ring_ + static_cast<unsigned>(i) % kStages * (2 * kWarp) + k * kWarp,
                   from_ + ((i - 2) * rhos + 8 * k) * 4, r_ + 8 * k < rhos);
  }

  RowRing<kStages> rows_;
  const Batch& batch_;
  const uint4* features_;
  uint4* ring_;
  const uint4* from_ = nullptr;  // the lane's 16 bytes of its first cell
  int r_ = 0;
  int rows_of_column_ = 0;
};

// From the gradients of a layer's sums to those of the previous layer's, whose output is
// `features`.
__global__ void __launch_bounds__(kThreads, 1)
    input_gradient_kernel(Batch batch, const uint4* gradients, const std::uint32_t* fragments,
                          const uint4* features, uint4* output) {
  const LaneWeights<kMiddleTiles> weights(fragments);
  MaskedRows rows(batch, gradients, features,
                  dynamic_shared<std::byte>() + threadIdx.x / kWarp * MaskedRows::kBytes);
  for_each_column(batch, [&](const Column& column) {
    convolve(
        column, weights, NoBias{}, rows,
        [&](const Column&, int t, const float(&sums)[kMiddleTiles][4]) {
          const int lane = static_cast<int>(threadIdx.x % kWarp);
#pragma unroll
          for (int k = 0; k < 2; ++k) {
            const int r = column.r + lane / 4 + 8 * k;
            if (r < batch.shape.rhos)
              output[packet_index(batch, column.image, {t, r}) + lane % 4] =
                  masked_gradients(rows.features(t - column.begin + 2, k), sums, k);
          }
        },
        PastTheSeam{batch.shape});
  });
}

// Gradients of the network's input, still on the cover of `batch`.
__global__ void __launch_bounds__(kThreads, 2)
    first_input_gradient_kernel(Batch batch, const uint4* gradients, const std::uint32_t* fragments,
                                float* output) {
  const LaneWeights<kLastTiles> weights(fragments);
  CopiedRows rows(batch, gradients, ring_of_warp(CopiedRows::kStages));
  for_each_column(batch, [&](const Column& column) {
    convolve(column, weights, NoBias{}, rows, StoreLogits{batch, output}, PastTheSeam{batch.shape});
  });
}

// Folds them onto the single cover and multiplies them by the scale.
__global__ void __launch_bounds__(kThreads)
    fold_kernel(Batch batch, const float* on_cover, float scale, float* output) {
  const auto [thetas, rhos, cover] = batch.shape;
  const auto cells = static_cast<std::int64_t>(thetas) * rhos;
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (i >= batch.images * cells) return;
  const std::int64_t image = i / cells;
  const int cell = static_cast<int>(i - image * cells);
  const float* sheets = on_cover + image * static_cast<std::int64_t>(batch.shape.count());
  float sum = sheets[cell];
  if (cover == Cover::kDouble) {
    const int flipped = cell / rhos * rhos + rhos - 1 - cell % rhos;
    sum += sheets[cells + flipped];
  }
  output[i] = scale * sum;
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
__global__ void __launch_bounds__(kTrio, kTriosPerProcessor)
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

// The whole pass

struct BlockCounts {
  unsigned middle = 0;
  unsigned edge = 0;

  cudaError_t find(const Batch& batch) {
    const std::int64_t rows = batch.images * batch.strips() * batch.shape.rows();
    if (const auto status = share_blocks(rows, 1, kTriosPerProcessor, middle);
        status != cudaSuccess)
      return status;
    return share_blocks(rows, kWarps, kEdgeBlocksPerProcessor, edge);
  }
  std::size_t sums() const {
    return std::max<std::size_t>(std::size_t{middle} * kMiddleSums, std::size_t{edge} * kEdgeSums);
  }
};

std::size_t map_packets(const Batch& batch) {
  return static_cast<std::size_t>(batch.images) * batch.shape.count() * (kCellBytes / 16);
}

struct Backward {
  const PackedRefineWeights& weights;
  Batch batch;
  const uint4* maps;
  uint4* gradients[2];
  float* sums_of_blocks;
  BlockCounts blocks;
  float* grad_parameters;
  cudaStream_t stream;

  static constexpr std::size_t kRing = kWarps * CopiedRows::kStages * kRowBytes;

  const uint4* map(int layer) const {
    return maps + static_cast<std::size_t>(layer) * map_packets(batch);
  }
  std::int64_t strip_rows() const { return batch.images * batch.strips() * batch.shape.rows(); }

  template <class Sums>
  cudaError_t add_blocks(int layer, unsigned count) const {
    return launch({blocks_for(Sums::kCount, 4 * kWarp), kThreads, stream}, add_blocks_kernel<Sums>,
                  static_cast<const float*>(sums_of_blocks), static_cast<int>(count),
                  grad_parameters + values_of(layer));
  }

  // Gradients of weights and biases and, with Last, of the previous layer's sums.
  template <bool Last, class Scalars>
  cudaError_t edge_layer(int layer, const uint4* features, const Scalars& scalars,
                         uint4* output) const {
    if (const auto status = launch_large(
            {blocks.edge, kThreads, stream, kRing}, edge_gradient_kernel<Last, Scalars>, batch,
            features, scalars, weights.transposed + kLastTransposedAt, output, sums_of_blocks);
        status != cudaSuccess)
      return status;
    return add_blocks<EdgeSums<Last>>(layer, blocks.edge);
  }

  cudaError_t middle_layer(int layer, const uint4* from, uint4* to) const {
    const uint4* features = map(layer - 1);
    if (const auto status =
            launch_large({blocks.middle, kTrio, stream, kGroups * kGroupBytes},
                         weight_gradient_kernel, batch, features, from, sums_of_blocks);
        status != cudaSuccess)
      return status;
    if (const auto status = add_blocks<MiddleSums>(layer, blocks.middle); status != cudaSuccess)
      return status;
    return launch_shares(stream, strip_rows(), kWarps, 1, kWarps * MaskedRows::kBytes,
                         input_gradient_kernel, batch, from,
                         weights.transposed + fragments_of(layer), features, to);
  }

  cudaError_t accumulators(const uint4* from, float scale, float* on_cover, float* output) const {
    if (const auto status =
            launch_shares(stream, strip_rows(), kWarps, 2, kRing, first_input_gradient_kernel,
                          batch, from, weights.transposed + kFirstTransposedAt, on_cover);
        status != cudaSuccess)
      return status;
    const std::int64_t cells =
        batch.images * static_cast<std::int64_t>(batch.shape.on(Cover::kSingle).count());
    return launch({blocks_for<std::int64_t>(cells, kThreads), kThreads, stream}, fold_kernel, batch,
                  static_cast<const float*>(on_cover), scale, output);
  }
};

}  // namespace

static_assert(kRefineParameters == kValues);
std::int64_t refine_weights_at(int layer) { return values_of(layer); }
std::int64_t refine_biases_at(int layer) { return biases_of(layer); }

PackedRefineWeights::PackedRefineWeights(const void* memory)
    : forward{static_cast<const float*>(memory),
              static_cast<const std::uint32_t*>(memory) + kPaddedValues},
      transposed(forward.fragments + kFragments) {}

std::size_t refine_packed_bytes() {
  return (kPaddedValues + kFragments + kTransposedFragments) * sizeof(std::uint32_t);
}

cudaError_t pack_refine_weights_cuda(const RefineParameters& parameters, void* memory,
                                     cudaStream_t stream) {
  auto* const values = static_cast<float*>(memory);
  auto* const fragments = static_cast<std::uint32_t*>(memory) + kPaddedValues;
  return launch(
      {blocks_for(kValues + kFragments + kTransposedFragments, kThreads), kThreads, stream},
      pack_kernel, parameters, values, fragments, fragments + kFragments);
}

std::size_t refine_net_backward_scratch_bytes(const CellShape& shape, std::int64_t batch) {
  BlockCounts blocks;
  if (blocks.find({shape, batch}) != cudaSuccess) return 0;
  return 2 * map_packets({shape, batch}) * sizeof(uint4) + blocks.sums() * sizeof(float);
}

cudaError_t refine_net_backward_cuda(const PackedRefineWeights& weights, const CellShape& shape,
                                     const float* accumulators, float scale, std::int64_t batch,
                                     const void* maps, const float* grad_logits, void* scratch,
                                     float* grad_parameters, float* grad_accumulators,
                                     cudaStream_t stream) {
  const Batch images{shape, batch};
  BlockCounts blocks;
  if (const auto status = blocks.find(images); status != cudaSuccess) return status;
  auto* const first = static_cast<uint4*>(scratch);
  uint4* const second = first + map_packets(images);
  const Backward backward{weights,
                          images,
                          static_cast<const uint4*>(maps),
                          {first, second},
                          reinterpret_cast<float*>(second + map_packets(images)),
                          blocks,
                          grad_parameters,
                          stream};
  // The gradients of layer l's sums are in gradients[l % 2].
  constexpr int kLast = kLayers - 1;
  if (const auto status = backward.edge_layer<true>(
          kLast, backward.map(kLast - 1), LogitGradients{grad_logits}, backward.gradients[0]);
      status != cudaSuccess)
    return status;
  for (int layer = kLast - 1; layer > 0; --layer)
    if (const auto status = backward.middle_layer(layer, backward.gradients[layer % 2],
                                                  backward.gradients[(layer - 1) % 2]);
        status != cudaSuccess)
      return status;
  const uint4* sums = backward.gradients[0];
  if (const auto status = backward.edge_layer<false>(0, sums, Inputs{accumulators, scale}, nullptr);
      status != cudaSuccess || grad_accumulators == nullptr)
    return status;
  // The other buffer is free by now.
  return backward.accumulators(sums, scale, reinterpret_cast<float*>(backward.gradients[1]),
                               grad_accumulators);
}

}  // namespace vsmax
