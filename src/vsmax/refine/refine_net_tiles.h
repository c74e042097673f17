// SPDX-License-Identifier: Apache-2.0
// What the refinement network's tensor core kernels share: the layout of its feature maps in
// memory, and a convolution. Only for .cu files.
//
// A warp takes a strip of 16 rhos and walks along theta, with all weights of the layer in its
// registers. An input row is read once for the three output rows that it contributes to, whose sums
// are in registers, too, so that 72 matrix products need only 6 reads from shared memory. Warps do
// not wait for one another.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "vsmax/base/cuda_launch.h"
#include "vsmax/base/tensor_core.h"
#include "vsmax/hough/cells.h"
#include "vsmax/refine/refine_net_packing.h"

namespace vsmax::refine_net {

constexpr int kThreads = 256;
constexpr int kWarps = kThreads / kWarp;

constexpr int kStrip = 16;          // rhos
constexpr int kCells = kStrip + 2;  // with one more at either side
constexpr int kCellBytes = 2 * kChannels;
constexpr int kRowBytes = kCells * kCellBytes;

// The offset of a cell's 16-byte packet in a row of shared memory, swizzled so that the same packet
// of 8 consecutive cells is read without bank conflicts.
__device__ inline int packet_at(int cell, int packet) {
  return cell * kCellBytes + ((packet ^ (cell / 2 % 4)) * 16);
}

struct Batch {
  CellShape shape;
  std::int64_t images;

  VSMAX_HOST_DEVICE int strips() const { return (shape.rhos + kStrip - 1) / kStrip; }
};

// The part of an image that a warp computes at a time: rows [begin, end) of a strip.
struct Column {
  std::int64_t image;
  int r;  // of its first cell
  int begin, end;
};

// Feature maps, images x rows x R cells of 32 channels, as 16-byte packets.
__device__ inline std::size_t packet_index(const Batch& batch, std::int64_t image, Cell cell) {
  return (image * batch.shape.count() + batch.shape.index(cell)) * (kCellBytes / 16);
}

// A ring of input rows in shared memory, prefetched a few rows ahead. Row i of a column is
// begin - 1 + i.
template <int Stages>
class RowRing {
 public:
  static constexpr int kStages = Stages;
  static constexpr bool kBetweenProducts = true;

  __device__ RowRing(const Batch& batch, const uint4* input, std::byte* ring)
      : batch_(batch), input_(input), ring_(ring) {}

  __device__ void start(const Column& column) {
    const int lane = static_cast<int>(threadIdx.x % kWarp);
    image_ = input_ + packet_index(batch_, column.image, {0, 0}) + lane % 4;
    r_ = column.r - 1 + lane / 4;
    begin_ = column.begin - 1;
    end_ = column.end;
    __syncwarp();
#pragma unroll 1
    for (int i = 0; i < kStages - 1; ++i) load(i);
  }
  __device__ const std::byte* row(int i) {
    wait_for_copies<kStages - 2>();
    __syncwarp();
    return ring_ + stage(i);
  }
  // Prefetches another row, while row i is in use.
  __device__ void prepare_after(int i) { load(i + kStages - 1); }

 private:
  __device__ static int stage(int i) { return static_cast<unsigned>(i) % kStages * kRowBytes; }
  // A lane copies the same packet of every eighth cell. There are no branches, so that the copies
  // can be interleaved with the products.
  __device__ void load(int i) {
    const int lane = static_cast<int>(threadIdx.x % kWarp);
    const int rhos = batch_.shape.rhos;
    const int t = begin_ + i;
    const SeamRow source = row_across_seam(batch_.shape.cover, batch_.shape.rows(), t);
    const uint4* from = image_ + (source.row * rhos + (source.flipped ? rhos - 1 - r_ : r_)) * 4;
    const int step = source.flipped ? -8 * 4 : 8 * 4;
    std::byte* to = ring_ + stage(i) + packet_at(lane / 4, lane % 4);
#pragma unroll
    for (int k = 0; k < 3; ++k)
      if (t <= end_ && lane / 4 + 8 * k < kCells)
        copy_async(to + 8 * kCellBytes * k, from + k * step,
                   static_cast<unsigned>(r_ + 8 * k) < static_cast<unsigned>(rhos));
    commit_copies();
  }

  const Batch& batch_;
  const uint4* input_;
  std::byte* ring_;
  const uint4* image_ = nullptr;  // the image, from the lane's packet on
  int r_ = 0;                     // the lane's first cell
  int begin_ = 0;
  int end_ = 0;
};
using CopiedRows = RowRing<8>;

// A layer's weights, in the registers of a warp.
template <int Tiles>
struct LaneWeights {
  unsigned values[3][3][2][Tiles][2];  // theta, rho, half of the inputs

  __device__ explicit LaneWeights(const std::uint32_t* fragments) {
    const auto* from = reinterpret_cast<const uint2*>(fragments) + threadIdx.x % kWarp * Tiles;
#pragma unroll
    for (int s = 0; s < kSteps; ++s)
#pragma unroll
      for (int tile = 0; tile < Tiles; ++tile) {
        const uint2 pair = __ldg(from + s * kWarp * Tiles + tile);
        values[s / 6][s / 2 % 3][s % 2][tile][0] = pair.x;
        values[s / 6][s / 2 % 3][s % 2][tile][1] = pair.y;
      }
  }
};

// For a convolution without biases.
struct NoBias {
  __device__ float operator[](int) const { return 0.0F; }
};

// For convolve(): in which input rows the taps along rho run backwards.
struct InNoRow {
  __device__ bool operator()(int /*t*/) const { return false; }
};
// For the transpose of a layer: past the seam of the single cover, where rho is flipped.
struct PastTheSeam {
  const CellShape& shape;
  __device__ bool operator()(int t) const {
    return row_across_seam(shape.cover, shape.rows(), t).flipped;
  }
};

// Calls finish(column, t, sums) for all rows of a column, where sums[tile] is the lane's part of 16
// cells x 8 outputs. `bias` points to the biases of the lane's outputs in shared memory, or is
// NoBias.
template <int Tiles, class Bias, class Rows, class Finish, class Backwards = InNoRow>
__device__ void convolve(const Column& column, const LaneWeights<Tiles>& weights, const Bias& bias,
                         Rows& rows, const Finish& finish, const Backwards& backwards = {}) {
  const int lane = static_cast<int>(threadIdx.x % kWarp);
  int offsets[3];
#pragma unroll
  for (int dr = 0; dr < 3; ++dr) offsets[dr] = packet_at(lane % 16 + dr, lane / 16);

  rows.start(column);
  float sums[3][Tiles][4] = {};
  // Input row i completes output row i - 2 of the column, if there is one, and begins row i.
  const int count = column.end - column.begin + 2;
  for (int i = 0; i < count; i += 3)
#pragma unroll
    for (int k = 0; k < 3; ++k) {
      if (i + k >= count) return;
      const std::byte* row = rows.row(i + k);
      const bool swap = backwards(column.begin - 1 + i + k);
      if (!Rows::kBetweenProducts) rows.prepare_after(i + k);
#pragma unroll
      for (int tile = 0; tile < Tiles; ++tile)
#pragma unroll
        for (int j = 0; j < 4; ++j) sums[(k + 2) % 3][tile][j] = bias[2 * tile + j % 2];
#pragma unroll
      for (int dr = 0; dr < 3; ++dr)
#pragma unroll
        for (int half = 0; half < 2; ++half) {
          unsigned cells[4];
          load_matrices(cells, row + (offsets[swap ? 2 - dr : dr] ^ (32 * half)));
#pragma unroll
          for (int dt = 0; dt < 3; ++dt)
#pragma unroll
            for (int tile = 0; tile < Tiles; ++tile)
              multiply_add(sums[(k + 2 - dt) % 3][tile], cells, weights.values[dt][dr][half][tile]);
          if (Rows::kBetweenProducts && dr == 1 && half == 0) rows.prepare_after(i + k);
        }
      if (i + k >= 2) finish(column, column.begin + i + k - 2, sums[k]);
    }
}

// Divides the rows of all columns, in order, among the workers as evenly as possible: calls
// body(column, begin, end) for each column in the worker's share.
template <class Body>
__device__ void for_each_share(std::int64_t columns, int rows, std::int64_t worker,
                               std::int64_t workers, const Body& body) {
  std::int64_t begin = columns * rows * worker / workers;
  const std::int64_t end = columns * rows * (worker + 1) / workers;
  while (begin < end) {
    const std::int64_t column = begin / rows;
    const std::int64_t next = min(end, (column + 1) * rows);
    body(column, static_cast<int>(begin - column * rows), static_cast<int>(next - column * rows));
    begin = next;
  }
}

// Divides the strips of all images among the warps of the grid.
template <class Body>
__device__ void for_each_column(const Batch& batch, const Body& body) {
  const int strips = batch.strips();
  for_each_share(
      batch.images * strips, batch.shape.rows(),
      static_cast<std::int64_t>(blockIdx.x) * kWarps + threadIdx.x / kWarp,
      static_cast<std::int64_t>(gridDim.x) * kWarps, [&](std::int64_t column, int begin, int end) {
        body(Column{column / strips, static_cast<int>(column % strips) * kStrip, begin, end});
      });
}

template <int Size>
__device__ void copy_to_shared(float (&to)[Size], const float* from) {
  for (int i = static_cast<int>(threadIdx.x); i < Size; i += kThreads) to[i] = __ldg(from + i);
}

// A warp's own part of the dynamic shared memory.
__device__ inline std::byte* ring_of_warp(int stages) {
  return dynamic_shared<std::byte>() + threadIdx.x / kWarp * (stages * kRowBytes);
}

// Writes 16 logits: lane 4g holds those of cells g and g + 8.
struct StoreLogits {
  const Batch& batch;
  float* logits;

  __device__ void operator()(const Column& column, int t,
                             const float (&sums)[kLastTiles][4]) const {
    const int lane = static_cast<int>(threadIdx.x % kWarp);
    float* row = logits + column.image * batch.shape.count() + batch.shape.index({t, 0});
#pragma unroll
    for (int k = 0; k < 2; ++k) {
      const int r = column.r + lane / 4 + 8 * k;
      if (lane % 4 == 0 && r < batch.shape.rhos) row[r] = sums[0][2 * k];
    }
  }
};

// As many blocks as run at once, or fewer if there are not enough rows for all their `workers`.
inline cudaError_t share_blocks(std::int64_t rows, int workers, int blocks_per_processor,
                                unsigned& blocks) {
  int device = 0;
  int processors = 0;
  if (const auto status = cudaGetDevice(&device); status != cudaSuccess) return status;
  if (const auto status =
          cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
      status != cudaSuccess)
    return status;
  blocks = std::min(static_cast<unsigned>(processors * blocks_per_processor),
                    blocks_for<std::int64_t>(rows, workers));
  return cudaSuccess;
}

// A launch whose dynamic shared memory may be large.
template <class... Parameters, class... Arguments>
cudaError_t launch_large(const LaunchShape& shape, void (*kernel)(Parameters...),
                         Arguments... arguments) {
  if (const auto status = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                               static_cast<int>(shape.shared_bytes));
      status != cudaSuccess)
    return status;
  return launch(shape, kernel, arguments...);
}

// Rows to be shared among `workers` per block.
struct SharedRows {
  std::int64_t count;
  int workers;
  int blocks_per_processor;
  std::size_t shared_bytes;
  Start start = Start::kAfterPrevious;
};

template <class... Parameters, class... Arguments>
cudaError_t launch_shares(cudaStream_t stream, const SharedRows& rows,
                          void (*kernel)(Parameters...), Arguments... arguments) {
  unsigned blocks = 0;
  if (const auto status = share_blocks(rows.count, rows.workers, rows.blocks_per_processor, blocks);
      status != cudaSuccess)
    return status;
  return launch_large({blocks, kThreads, stream, rows.shared_bytes, rows.start}, kernel,
                      arguments...);
}

}  // namespace vsmax::refine_net
