// SPDX-License-Identifier: Apache-2.0
// Forward: a block takes one image, eight angles and 64 pairs of bins (k, R-1-k). It walks down the
// upper half of the image a tile of rows at a time; the prefix sums of a tile and of its mirror
// rows lie in shared memory, and a thread adds the differences at the edges of its own bin. One
// table entry serves four mirror images, as in hough_prefix.h: with P, P' the prefix sums of row j
// and of row j' = H-1-j, and e, f the edges of bin k,
//   (t, k)       gets P[f] - P[e],       (t, R-1-k)   gets P'[W-e] - P'[W-f],
//   (T-t, k)     gets P[W-e] - P[W-f],   (T-t, R-1-k) gets P'[f] - P'[e].
#include <algorithm>

#include "vsmax/base/cuda_launch.h"
#include "vsmax/hough/bin_rule.h"
#include "vsmax/hough/hough_cuda.h"

namespace vsmax {
namespace {

constexpr int kWarp = 32;
constexpr int kPairs = 64;                     // bins k of a block, and as many R-1-k
constexpr int kThreads = 4 * kPairs;           // two angles at a time
constexpr int kRounds = 4;                     // of two angles each
constexpr int kAngles = 2 * kRounds;           // of a block
constexpr std::size_t kTileBytes = 40 * 1024;  // leaves room for several blocks per multiprocessor

// prefix[c] = the sum of the first c values of a row, by one warp; row == nullptr is a row of
// zeros.
template <class Value>
__device__ void fill_prefix(const Value* row, int width, int lane, Value* prefix) {
  if (lane == 0) prefix[0] = 0;
  Value carry = 0;
  for (int begin = 0; begin < width; begin += kWarp) {
    const int column = begin + lane;
    Value sum = row != nullptr && column < width ? row[column] : Value(0);
    for (int step = 1; step < kWarp; step *= 2) {
      const Value before = __shfl_up_sync(0xFFFFFFFFU, sum, step);
      if (lane >= step) sum += before;
    }
    sum += carry;
    if (column < width) prefix[column + 1] = sum;
    carry = __shfl_sync(0xFFFFFFFFU, sum, kWarp - 1);
  }
}

template <class Value>
__global__ void __launch_bounds__(kThreads)
    forward_kernel(HoughTableOnDevice table, int half_thetas, int half_rows, int tile_rows,
                   const Value* images, Value* accumulators) {
  auto* prefix = dynamic_shared<Value>();  // tile_rows x (row, mirror row) x (W+1)
  __shared__ Value exchange[2][kThreads];
  const int width = table.width;
  const int stride = width + 1;
  const int thread = static_cast<int>(threadIdx.x);
  const int lane = thread % kWarp;
  const int middle = (table.rhos - 1) / 2;
  const int pair = static_cast<int>(blockIdx.z) * kPairs + thread % kPairs;
  const bool upper_bin = thread % (2 * kPairs) >= kPairs;  // R-1-pair instead of pair
  const int bin = upper_bin ? table.rhos - 1 - pair : pair;
  const bool active = upper_bin ? pair < middle : pair <= middle;  // the middle is its own partner
  const int first_angle = static_cast<int>(blockIdx.y) * kAngles + thread / (2 * kPairs);
  const Value* image = images + static_cast<std::size_t>(blockIdx.x) *
                                    static_cast<std::size_t>(table.height) *
                                    static_cast<std::size_t>(width);

  Value direct[kRounds] = {};
  Value direct_back[kRounds] = {};
  Value mirror[kRounds] = {};
  Value mirror_back[kRounds] = {};

  for (int begin = 0; begin < half_rows; begin += tile_rows) {
    const int count = min(tile_rows, half_rows - begin);
    __syncthreads();
    for (int i = thread / kWarp; i < 2 * count; i += kThreads / kWarp) {
      const int j = begin + i / 2;
      const int row = i % 2 == 0 ? j : table.height - 1 - j;
      // The middle row of an odd height is its own partner and must count once.
      const bool twin = i % 2 == 1 && row == j;
      fill_prefix(twin ? nullptr : image + static_cast<std::size_t>(row) * width, width, lane,
                  prefix + static_cast<std::size_t>(i) * stride);
    }
    __syncthreads();
#pragma unroll
    for (int round = 0; round < kRounds; ++round) {
      const int t = first_angle + 2 * round;
      if (!active || t >= half_thetas) continue;
      const RowRunsOnDevice* rows = table.rows + static_cast<std::size_t>(t) * half_rows + begin;
#pragma unroll 4
      for (int j = 0; j < count; ++j) {
        const RowRunsOnDevice runs = rows[j];
        const int i = bin - static_cast<int>(runs.first_bin);
        if (i < 0 || i >= static_cast<int>(runs.runs)) continue;
        const int e = table.edges[runs.begin + i];
        const int f = table.edges[runs.begin + i + 1];
        const Value* upper = prefix + static_cast<std::size_t>(2 * j) * stride;
        const Value* lower = upper + stride;
        direct[round] += upper[f] - upper[e];
        direct_back[round] += lower[width - e] - lower[width - f];
        mirror[round] += upper[width - e] - upper[width - f];
        mirror_back[round] += lower[f] - lower[e];
      }
    }
  }

  const int partner = bin == middle ? thread : thread ^ kPairs;
#pragma unroll
  for (int round = 0; round < kRounds; ++round) {
    __syncthreads();
    exchange[0][thread] = direct_back[round];
    exchange[1][thread] = mirror_back[round];
    __syncthreads();
    const int t = first_angle + 2 * round;
    if (!active || t >= half_thetas) continue;
    Value* accumulator = accumulators + static_cast<std::size_t>(blockIdx.x) *
                                            static_cast<std::size_t>(table.thetas) *
                                            static_cast<std::size_t>(table.rhos);
    accumulator[static_cast<std::size_t>(t) * table.rhos + bin] =
        direct[round] + exchange[0][partner];
    if (t != 0 && 2 * t != table.thetas)
      accumulator[static_cast<std::size_t>(table.thetas - t) * table.rhos + bin] =
          mirror[round] + exchange[1][partner];
  }
}

constexpr int kImages = 4;  // images that share the computation of a pixel's bins

// The bin is HoughGrid::bin's; this file is compiled without fused multiply-add, as bin_rule.h
// demands. Sums are double, as in the core's adjoint.
template <class Value>
__global__ void adjoint_kernel(HoughTableOnDevice table, const Value* accumulators, Value* images,
                               std::int64_t batch) {
  const int pixel = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int pixels = table.width * table.height;
  if (pixel >= pixels) return;
  const double x = pixel % table.width - 0.5 * (table.width - 1);
  const double y = pixel / table.width - 0.5 * (table.height - 1);
  const int center = (table.rhos - 1) / 2;
  const std::int64_t first = static_cast<std::int64_t>(blockIdx.y) * kImages;
  const int count = static_cast<int>(min(static_cast<std::int64_t>(kImages), batch - first));
  const std::size_t cells = static_cast<std::size_t>(table.thetas) * table.rhos;

  double sums[kImages] = {};
  for (int t = 0; t < table.thetas; ++t) {
    const int bin = vote_bin(x, y, table.cosines[t], table.sines[t], table.bin_width) + center;
    const Value* cell = accumulators + static_cast<std::size_t>(first) * cells +
                        static_cast<std::size_t>(t) * table.rhos + bin;
#pragma unroll
    for (int i = 0; i < kImages; ++i)
      if (i < count) sums[i] += static_cast<double>(cell[i * cells]);
  }
#pragma unroll
  for (int i = 0; i < kImages; ++i)
    if (i < count)
      images[static_cast<std::size_t>(first + i) * pixels + pixel] = static_cast<Value>(sums[i]);
}

}  // namespace

std::size_t hough_cuda_most_columns(std::size_t value_size) {
  constexpr int kForOthers = 7 * 1024;  // what a block needs besides the rows
  int most = 48 * 1024;                 // what every device has
  int device = 0;
  if (cudaGetDevice(&device) == cudaSuccess)
    cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
  return static_cast<std::size_t>(most - kForOthers) / (2 * value_size) - 1;
}

template <class Value>
cudaError_t hough_forward_cuda(const HoughTableOnDevice& table, const Value* images,
                               Value* accumulators, std::int64_t batch, cudaStream_t stream) {
  const int half_rows = (table.height + 1) / 2;
  const int half_thetas = std::min(table.thetas / 2 + 1, table.thetas);
  const std::size_t pair_bytes = 2 * sizeof(Value) * (static_cast<std::size_t>(table.width) + 1);
  const int tile_rows = static_cast<int>(
      std::clamp<std::size_t>(kTileBytes / pair_bytes, 1, static_cast<std::size_t>(half_rows)));
  const std::size_t bytes = pair_bytes * static_cast<std::size_t>(tile_rows);
  const cudaError_t status =
      cudaFuncSetAttribute(forward_kernel<Value>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                           static_cast<int>(std::max(bytes, kTileBytes)));
  if (status != cudaSuccess) return status;
  const dim3 blocks(static_cast<unsigned>(batch),
                    blocks_for(half_thetas, kAngles), blocks_for((table.rhos + 1) / 2, kPairs));
  return launch({blocks, kThreads, stream, bytes}, forward_kernel<Value>, table, half_thetas,
                half_rows, tile_rows, images, accumulators);
}

template <class Value>
cudaError_t hough_adjoint_cuda(const HoughTableOnDevice& table, const Value* accumulators,
                               Value* images, std::int64_t batch, cudaStream_t stream) {
  constexpr int kAdjointThreads = 256;
  constexpr std::int64_t kMostRows = 65535;  // of blocks in one launch
  const std::size_t pixels =
      static_cast<std::size_t>(table.width) * static_cast<std::size_t>(table.height);
  const std::size_t cells =
      static_cast<std::size_t>(table.thetas) * static_cast<std::size_t>(table.rhos);
  for (std::int64_t begin = 0; begin < batch; begin += kMostRows * kImages) {
    const std::int64_t count = std::min(batch - begin, kMostRows * kImages);
    const dim3 blocks(static_cast<unsigned>((pixels + kAdjointThreads - 1) / kAdjointThreads),
                      static_cast<unsigned>((count + kImages - 1) / kImages));
    const cudaError_t status =
        launch({blocks, kAdjointThreads, stream}, adjoint_kernel<Value>, table,
               accumulators + static_cast<std::size_t>(begin) * cells,
               images + static_cast<std::size_t>(begin) * pixels, count);
    if (status != cudaSuccess) return status;
  }
  return cudaSuccess;
}

template cudaError_t hough_forward_cuda(const HoughTableOnDevice&, const float*, float*,
                                        std::int64_t, cudaStream_t);
template cudaError_t hough_forward_cuda(const HoughTableOnDevice&, const double*, double*,
                                        std::int64_t, cudaStream_t);
template cudaError_t hough_adjoint_cuda(const HoughTableOnDevice&, const float*, float*,
                                        std::int64_t, cudaStream_t);
template cudaError_t hough_adjoint_cuda(const HoughTableOnDevice&, const double*, double*,
                                        std::int64_t, cudaStream_t);

}  // namespace vsmax
