// SPDX-License-Identifier: Apache-2.0
// Limited by shared-memory reads, so threads are laid out to need few of them and to avoid bank
// conflicts within a warp.
//
// See hough_cuda_table.h. In each round, a thread takes four mirror images, (x, y) and (-x, y) in
// the upper half and (x, -y) and (-x, -y) in the lower. If (x, y) votes for bins k at angles t,
//   (x, y) sums the bins k at angles t, (-x, -y) the bins R-1-k at angles t,
//   (-x, y) the bins k at angles T-t, (x, -y) the bins R-1-k at angles T-t.
#include "vsmax/base/cuda_launch.h"
#include "vsmax/hough/bin_rule.h"
#include "vsmax/hough/hough_cuda.h"
#include "vsmax/hough/hough_cuda_values.h"

namespace vsmax {
namespace {

constexpr int kAdjointThreads = 512;
constexpr int kAdjointBlocks = 3;                        // resident per multiprocessor
constexpr int kRounds = kPatchPixels / kAdjointThreads;  // pixels of the patch per thread

// A sum of four cells has four kinds, itself and those of its mirror images. They are stored in
// pairs: reading all four at once would cause bank conflicts, reading them singly would take twice
// as many instructions.
template <class Value>
struct alignas(2 * sizeof(Value)) KindPair {
  Value first, second;
};

template <class Value>
struct KindSums {
  KindPair<Value>* even;  // kinds 0 and 2 of each sum
  KindPair<Value>* odd;   // kinds 1 and 3
};

// Adds up the cells of a sum, for each of its kinds. With `plain`, all four angles exist and have a
// mirror image.
template <bool plain, class Cell>
__device__ void add_angles(const HoughTableOnDevice& table, const Cell* accumulator,
                           const HoughBinSum& sum, Sum<Cell> (&kinds)[kKinds]) {
  const auto rhos = static_cast<unsigned>(table.rhos);
  int t = static_cast<int>(sum.angle);
  const Cell* row = accumulator + static_cast<std::int64_t>(t) * table.rhos;
  const Cell* mirror_row = accumulator + static_cast<std::int64_t>(table.thetas - t) * table.rhos;
#pragma unroll
  for (int j = 0; j < kAnglesPerSum; ++j, ++t, row += rhos, mirror_row -= rhos) {
    const unsigned bin = sum.bins[j];
    const unsigned other = rhos - 1 - bin;
    if (!plain && bin == HoughBinSum::kNone) continue;
    kinds[0] += load(row + bin);
    kinds[1] += load(row + other);
    if (!plain && !has_mirror(t, table.thetas)) continue;
    kinds[2] += load(mirror_row + bin);
    kinds[3] += load(mirror_row + other);
  }
}

// Computes the sums of a pass.
template <class Cell>
__device__ void add_cells(const HoughTableOnDevice& table, const Cell* accumulator,
                          std::uint32_t begin, int count, const KindSums<Sum<Cell>>& sums) {
  for (int i = static_cast<int>(threadIdx.x); i < count; i += kAdjointThreads) {
    const HoughBinSum sum = table.sums[begin + i];
    const int last = static_cast<int>(sum.angle) + kAnglesPerSum - 1;
    Sum<Cell> kinds[kKinds] = {};
    if (sum.angle != 0 && 2 * last < table.thetas)
      add_angles<true>(table, accumulator, sum, kinds);
    else
      add_angles<false>(table, accumulator, sum, kinds);
    sums.even[i] = {kinds[0], kinds[2]};
    sums.odd[i] = {kinds[1], kinds[3]};
  }
}

template <class Cell, class Pixel>
__global__ void __launch_bounds__(kAdjointThreads, sizeof(Sum<Cell>) == 8 ? 1 : kAdjointBlocks)
    adjoint_kernel(HoughTableOnDevice table, int packs, const Cell* accumulators, Pixel* images) {
  using Value = Sum<Cell>;
  auto* const pairs = dynamic_shared<KindPair<Value>>();
  const KindSums<Value> sums{pairs, pairs + table.most_sums};
  const int width = table.width;
  const int height = table.height;
  const int thread = static_cast<int>(threadIdx.x);
  const int patch = static_cast<int>(blockIdx.y);
  const int passes = (packs + table.packs_per_pass - 1) / table.packs_per_pass;
  const Cell* accumulator = accumulators + static_cast<std::size_t>(blockIdx.x) *
                                               static_cast<std::size_t>(table.thetas) *
                                               static_cast<std::size_t>(table.rhos);
  const auto* entries = reinterpret_cast<const uint4*>(table.pixel_sums) +
                        static_cast<std::size_t>(patch) * packs * kPatchPixels + thread;

  Value left[kRounds] = {};
  Value right[kRounds] = {};
  Value lower_left[kRounds] = {};
  Value lower_right[kRounds] = {};
  // Each pack's entries are prefetched while the previous pack is added up.
  uint4 next[kRounds];
#pragma unroll
  for (int round = 0; round < kRounds; ++round)
    next[round] = __ldg(entries + round * kAdjointThreads);
  for (int pass = 0; pass < passes; ++pass) {
    const std::uint32_t* first = table.first_sum + static_cast<std::size_t>(patch) * passes + pass;
    if (pass != 0) __syncthreads();
    add_cells(table, accumulator, first[0], static_cast<int>(first[1] - first[0]), sums);
    __syncthreads();
    const int end = min((pass + 1) * table.packs_per_pass, packs);
    for (int pack = pass * table.packs_per_pass; pack < end; ++pack) {
      uint4 entry[kRounds];
#pragma unroll
      for (int round = 0; round < kRounds; ++round) entry[round] = next[round];
      entries += kPatchPixels;
      if (pack + 1 < packs)
#pragma unroll
        for (int round = 0; round < kRounds; ++round)
          next[round] = __ldg(entries + round * kAdjointThreads);
#pragma unroll
      for (int round = 0; round < kRounds; ++round) {
        const std::uint32_t own[2] = {entry[round].x, entry[round].y};
        const std::uint32_t other[2] = {entry[round].z, entry[round].w};
#pragma unroll
        for (int i = 0; i < kSumsPerPack; ++i) {
          const auto a = own[i / 2] >> i % 2 * 16 & 0xFFFFU;
          const auto b = other[i / 2] >> i % 2 * 16 & 0xFFFFU;
          const KindPair<Value> even_a = sums.even[a];
          const KindPair<Value> even_b = sums.even[b];
          left[round] += even_a.first + even_b.second;
          right[round] += even_a.second + even_b.first;
          const KindPair<Value> odd_a = sums.odd[a];
          const KindPair<Value> odd_b = sums.odd[b];
          lower_left[round] += odd_a.second + odd_b.first;
          lower_right[round] += odd_a.first + odd_b.second;
        }
      }
    }
  }

  Pixel* image = images + static_cast<std::size_t>(blockIdx.x) * static_cast<std::size_t>(height) *
                              static_cast<std::size_t>(width);
  const int patches = (half_lines(width) + kPatchColumns - 1) / kPatchColumns;
#pragma unroll
  for (int round = 0; round < kRounds; ++round) {
    const PatchPixel at = patch_pixel(round * kAdjointThreads + thread);
    const int column = patch % patches * kPatchColumns + at.column;
    const int row = patch / patches * kPatchRows + at.row;
    const int other = width - 1 - column;
    if (column > other || row > height - 1 - row) continue;
    Pixel* upper = image + static_cast<std::size_t>(row) * width;
    Pixel* lower = image + static_cast<std::size_t>(height - 1 - row) * width;
    store(left[round], upper + column);
    if (other != column) store(right[round], upper + other);
    if (lower == upper) continue;
    store(lower_left[round], lower + column);
    if (other != column) store(lower_right[round], lower + other);
  }
}

// Fallback without a table. The bins are exactly those of HoughGrid::bin: this file is compiled
// without fused multiply-add, as bin_rule.h requires.
template <class Cell, class Pixel>
__global__ void __launch_bounds__(kDirectThreads)
    direct_adjoint_kernel(HoughTableOnDevice table, const Cell* accumulators, Pixel* images,
                          std::int64_t all_pixels) {
  const std::int64_t index =
      static_cast<std::int64_t>(blockIdx.x) * kDirectThreads + static_cast<int>(threadIdx.x);
  if (index >= all_pixels) return;
  const std::int64_t pixels = static_cast<std::int64_t>(table.width) * table.height;
  const std::int64_t pixel = index % pixels;
  const double x = static_cast<int>(pixel % table.width) - 0.5 * (table.width - 1);
  const double y = static_cast<int>(pixel / table.width) - 0.5 * (table.height - 1);
  const Cell* row = accumulators + static_cast<std::size_t>(index / pixels) *
                                       static_cast<std::size_t>(table.thetas) *
                                       static_cast<std::size_t>(table.rhos);
  const int center = (table.rhos - 1) / 2;
  double sum = 0;
  for (int t = 0; t < table.thetas; ++t, row += table.rhos) {
    const int bin =
        vote_bin(x, y, table.normals[t], table.normals[table.thetas + t], table.bin_width);
    sum += static_cast<double>(load(row + center + bin));
  }
  store(static_cast<Sum<Cell>>(sum), images + index);
}

}  // namespace

template <class Cell, class Pixel>
cudaError_t hough_adjoint_cuda(const HoughTableOnDevice& table, const Cell* accumulators,
                               Pixel* images, std::int64_t batch, cudaStream_t stream) {
  if (batch == 0) return cudaSuccess;
  const std::size_t bytes = sizeof(Sum<Cell>) * kKinds * static_cast<std::size_t>(table.most_sums);
  if (table.sums == nullptr || bytes > kMostSharedBytes) {
    const std::int64_t pixels = batch * table.width * table.height;
    return launch({blocks_for<std::int64_t>(pixels, kDirectThreads), kDirectThreads, stream},
                  direct_adjoint_kernel<Cell, Pixel>, table, accumulators, images, pixels);
  }
  const auto kernel = adjoint_kernel<Cell, Pixel>;
  const cudaError_t status = cudaFuncSetAttribute(
      kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(kMostSharedBytes));
  if (status != cudaSuccess) return status;
  const unsigned patches = blocks_for(half_lines(table.width), kPatchColumns) *
                           blocks_for((table.height + 1) / 2, kPatchRows);
  const auto packs = static_cast<int>(blocks_for(half_thetas(table.thetas), kAnglesPerPack));
  return launch({dim3(static_cast<unsigned>(batch), patches), kAdjointThreads, stream, bytes},
                kernel, table, packs, accumulators, images);
}

#define VSMAX_HOUGH_ADJOINT(Cell, Pixel)                                                  \
  template cudaError_t hough_adjoint_cuda(const HoughTableOnDevice&, const Cell*, Pixel*, \
                                          std::int64_t, cudaStream_t);

VSMAX_HOUGH_ADJOINT(float, float)
VSMAX_HOUGH_ADJOINT(float, __nv_bfloat16)
VSMAX_HOUGH_ADJOINT(__nv_bfloat16, float)
VSMAX_HOUGH_ADJOINT(__nv_bfloat16, __nv_bfloat16)
VSMAX_HOUGH_ADJOINT(double, double)

}  // namespace vsmax
