// SPDX-License-Identifier: Apache-2.0
// The first kernel processes eight rows of theta per block, one per warp, and writes the sums of
// Eq. 17 relative to the block's own largest logit. The second processes one image per block: it
// brings the sums to a common scale, finds the line, and adds up the expected score over all cells.
// All sums are added in a fixed order.
#include <numbers>

#include "vsmax/base/cuda_launch.h"
#include "vsmax/geometry/ea_score.h"
#include "vsmax/geometry/embedded_line.h"
#include "vsmax/readout/line_readout_cuda.h"
#include "vsmax/readout/moments.h"

namespace vsmax {
namespace {

constexpr int kWarp = 32;
constexpr int kRows = 8;        // rows of theta, and warps, per block of the first kernel
constexpr int kThreads = 1024;  // per block of the second
constexpr int kCellsAhead = 8;  // that each thread loads at once, to hide latency
constexpr int kSums = 7;        // the denominator and six coordinates
constexpr int kPartial = 8;     // and the largest logit

__device__ double sum_of_warp(double value) {
  for (int step = kWarp / 2; step > 0; step /= 2)
    value += __shfl_xor_sync(0xFFFFFFFFU, value, step);
  return value;
}

__device__ double largest_of_warp(double value) {
  for (int step = kWarp / 2; step > 0; step /= 2) {
    const double other = __shfl_xor_sync(0xFFFFFFFFU, value, step);
    value = value > other || value != value ? value : other;  // NaN stays
  }
  return value;
}

__global__ void __launch_bounds__(kWarp* kRows)
    sums_kernel(LineReadoutOnDevice readout, const float* logits, double* partials) {
  __shared__ double largest_of_row[kRows];
  __shared__ double sums[kRows][kSums];
  const ReadoutTableOnDevice& table = readout.table;
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  const int warp = static_cast<int>(threadIdx.x) / kWarp;
  const int t = static_cast<int>(blockIdx.x) * kRows + warp;
  const std::size_t image = blockIdx.y;
  const bool inside = t < table.rows;
  const float* row =
      logits + (image * table.rows + static_cast<std::size_t>(inside ? t : 0)) * table.rhos;

  double largest = -INFINITY;
  for (int r = lane; inside && r < table.rhos; r += kWarp) {
    const auto logit = static_cast<double>(row[r]);
    largest = largest > logit || largest != largest ? largest : logit;
  }
  largest = largest_of_warp(largest);
  if (lane == 0) largest_of_row[warp] = largest;
  __syncthreads();
  largest = largest_of_warp(lane < kRows ? largest_of_row[lane] : -INFINITY);

  // Weights in float, as in the core; if the whole block is -infinity, there are none.
  const bool any = largest > -INFINITY || largest != largest;
  const auto scale = static_cast<float>(1.0 / readout.temperature);
  RowMoments moments;
  for (int r = lane; inside && any && r < table.rhos; r += kWarp) {
    const float weight = expf((row[r] - static_cast<float>(largest)) * scale);
    moments.add(static_cast<double>(weight), table.offsets[r], table.weights[r]);
  }
  moments.mass = sum_of_warp(moments.mass);
  moments.zeroth = sum_of_warp(moments.zeroth);
  moments.first = sum_of_warp(moments.first);
  moments.second = sum_of_warp(moments.second);
  if (lane == 0) {
    LineEmbedding mean{};
    if (inside) moments.add_to(mean, table.cosines[t], table.sines[t]);
    sums[warp][0] = moments.mass;
    for (int i = 0; i < 6; ++i) sums[warp][i + 1] = mean[i];
  }
  __syncthreads();
  double* partial = partials + (image * gridDim.x + blockIdx.x) * kPartial;
  if (threadIdx.x < kSums) {
    double sum = 0.0;
    for (int w = 0; w < kRows; ++w) sum += sums[w][threadIdx.x];
    partial[threadIdx.x] = sum;
  }
  if (threadIdx.x == kSums) partial[kSums] = largest;
}

// What the threads of a block share. No constructor, because variables in shared memory must not
// have one.
struct Found {
  double theta, rho, log_sum;
  double x, y;  // the middle of the visible part
  bool visible;
};

// Finds the line from the sums of all blocks; called by a whole warp.
__device__ void find_line(const LineReadoutOnDevice& readout, const double* partials, int count,
                          Found& found) {
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  double largest = -INFINITY;
  for (int i = lane; i < count; i += kWarp) {
    const double other = partials[i * kPartial + kSums];
    largest = largest > other || largest != largest ? largest : other;
  }
  largest = largest_of_warp(largest);
  double sums[kSums] = {};
  for (int i = lane; i < count; i += kWarp) {
    const double* partial = partials + i * kPartial;
    if (partial[kSums] == -INFINITY && largest == largest) continue;
    const double weight = exp((partial[kSums] - largest) / readout.temperature);
    for (int k = 0; k < kSums; ++k) sums[k] += weight * partial[k];
  }
  for (double& sum : sums) sum = sum_of_warp(sum);
  LineEmbedding mean{};
  for (int i = 0; i < 6; ++i) mean[i] = sums[i + 1] / sums[0];
  const double log_sum = largest / readout.temperature + log(sums[0]);
  const PixelLine line = log_sum == log_sum
                             ? pixel_from_unit(line_from_embedding(mean).line, readout.frame)
                             : PixelLine{NAN, NAN};
  const auto visible = visible_segment(line, readout.frame);
  if (lane != 0) return;
  found.theta = line.theta;
  found.rho = line.rho;
  found.log_sum = log_sum;
  found.visible = visible.has_value();
  if (!found.visible) return;
  const std::array<double, 2> middle = visible->midpoint();
  found.x = middle[0];
  found.y = middle[1];
}

// The angle between two normals whose angles lie in [0, pi).
__device__ double angle_between_normals(double a, double b) {
  const double turn = std::abs(a - b);
  return min(turn, std::numbers::pi - turn);
}

// A thread's share of the expected score.
__device__ double score_of_thread(const LineReadoutOnDevice& readout, const float* cells,
                                  const Found& found) {
  constexpr float kNegligible = 1e-7F;  // as in recover/confidence.cpp
  const CellShape& shape = readout.shape;
  const int all = shape.thetas * shape.rhos;
  const auto log_sum = static_cast<float>(found.log_sum);
  const auto scale = static_cast<float>(1.0 / readout.temperature);
  double score = 0.0;
  for (int begin = static_cast<int>(threadIdx.x); begin < all; begin += kCellsAhead * kThreads) {
    float p[kCellsAhead];
#pragma unroll
    for (int k = 0; k < kCellsAhead; ++k) {
      const int i = begin + k * kThreads;
      p[k] = 0.0F;
      if (i >= all) continue;
      p[k] = expf(cells[i] * scale - log_sum);
      if (shape.cover != Cover::kDouble) continue;
      const int t = i / shape.rhos;
      p[k] += expf(cells[all + (2 * t + 1) * shape.rhos - 1 - i] * scale - log_sum);
    }
#pragma unroll
    for (int k = 0; k < kCellsAhead; ++k) {
      if (!(p[k] >= kNegligible)) continue;
      const int i = begin + k * kThreads;
      const double* other = readout.midpoints + 2 * static_cast<std::size_t>(i);
      if (other[0] != other[0]) continue;
      const double theta = std::numbers::pi * (i / shape.rhos) / shape.thetas;
      score += static_cast<double>(p[k]) * ea_from_parts(angle_between_normals(found.theta, theta),
                                                         {found.x, found.y}, {other[0], other[1]},
                                                         readout.frame);
    }
  }
  return score;
}

__global__ void __launch_bounds__(kThreads)
    lines_kernel(LineReadoutOnDevice readout, const float* logits, const double* partials,
                 int count, LineOnDevice* lines) {
  __shared__ Found found;
  __shared__ double scores[kThreads / kWarp];
  const int thread = static_cast<int>(threadIdx.x);
  const std::size_t image = blockIdx.x;
  if (thread < kWarp) find_line(readout, partials + image * count * kPartial, count, found);
  __syncthreads();
  double score =
      found.visible ? score_of_thread(readout, logits + image * readout.shape.count(), found) : 0.0;
  score = sum_of_warp(score);
  if (thread % kWarp == 0) scores[thread / kWarp] = score;
  __syncthreads();
  if (thread >= kWarp) return;
  static_assert(kThreads == kWarp * kWarp);
  score = sum_of_warp(scores[thread]);
  if (thread == 0)
    lines[image] = {{found.theta, found.rho}, score < 1.0 ? score : 1.0, found.log_sum};
}

}  // namespace

std::size_t line_readout_cuda_scratch(const CellShape& shape, std::int64_t batch) {
  return static_cast<std::size_t>(batch) * blocks_for(shape.rows(), kRows) * kPartial;
}

cudaError_t line_readout_cuda(const LineReadoutOnDevice& readout, const float* logits,
                              std::int64_t batch, double* scratch, LineOnDevice* lines,
                              cudaStream_t stream) {
  const unsigned slices = blocks_for(readout.shape.rows(), kRows);
  const auto images = static_cast<unsigned>(batch);
  if (const cudaError_t status = launch({dim3(slices, images), kWarp * kRows, stream}, sums_kernel,
                                        readout, logits, scratch);
      status != cudaSuccess)
    return status;
  return launch({images, kThreads, stream}, lines_kernel, readout, logits, scratch,
                static_cast<int>(slices), lines);
}

}  // namespace vsmax
