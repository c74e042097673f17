// SPDX-License-Identifier: Apache-2.0
// The first kernel processes eight rows of theta per block, one per warp, and writes the sums of
// Eq. 17 relative to the block's own largest logit. In the second, each of an image's blocks brings
// the sums to a common scale, finds the line, and adds up the expected score over its share of the
// cells; the last one to finish adds up the shares. All sums are added in a fixed order.
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
constexpr int kThreads = 512;   // per block of the second
constexpr int kShares = 4;      // of an image's cells, each for one block
constexpr int kCellsAhead = 8;  // that each thread loads at once, to hide latency
constexpr int kSums = 7;        // the denominator and six coordinates
constexpr int kPartial = 8;     // and the largest logit

// The scratch memory: the partial sums of all images, their shares of the expected score, and how
// many blocks of each image have written theirs.
struct Scratch {
  double* partials;
  double* scores;
  unsigned* finished;

  Scratch(double* memory, std::int64_t batch, unsigned slices)
      : partials(memory),
        scores(partials + static_cast<std::size_t>(batch) * slices * kPartial),
        finished(reinterpret_cast<unsigned*>(scores + static_cast<std::size_t>(batch) * kShares)) {}
};
constexpr std::size_t scratch_of_image(unsigned slices) { return slices * kPartial + kShares + 1; }

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
    sums_kernel(LineReadoutOnDevice readout, const float* logits, double* partials,
                unsigned* finished) {
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

  wait_for_previous();
  let_next_start();
  if (blockIdx.x == 0 && threadIdx.x == 0) finished[image] = 0;
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

// A thread's cells of one sheet and, where there is one, the cells of the other sheet.
struct CellBatch {
  float own[kCellsAhead], other[kCellsAhead];

  __device__ void load(const CellShape& shape, const float* logits, int begin) {
    const int all = shape.thetas * shape.rhos;
#pragma unroll
    for (int k = 0; k < kCellsAhead; ++k) {
      const int i = begin + k * kStep;
      own[k] = other[k] = -INFINITY;
      if (i >= all) continue;
      own[k] = logits[i];
      if (shape.cover == Cover::kDouble)
        other[k] = logits[all + (2 * (i / shape.rhos) + 1) * shape.rhos - 1 - i];
    }
  }

  static constexpr int kStep = kShares * kThreads;
};

// A thread's share of the expected score; `cells` are those from `begin` on.
__device__ double score_of_thread(const LineReadoutOnDevice& readout, const float* logits,
                                  const Found& found, int begin, CellBatch& cells) {
  constexpr float kNegligible = 1e-7F;  // as in recover/confidence.cpp
  const CellShape& shape = readout.shape;
  const auto log_sum = static_cast<float>(found.log_sum);
  const auto scale = static_cast<float>(1.0 / readout.temperature);
  double score = 0.0;
  while (true) {
#pragma unroll
    for (int k = 0; k < kCellsAhead; ++k) {
      const float p = expf(cells.own[k] * scale - log_sum) + expf(cells.other[k] * scale - log_sum);
      if (!(p >= kNegligible)) continue;
      const int i = begin + k * CellBatch::kStep;
      const double* other = readout.midpoints + 2 * static_cast<std::size_t>(i);
      if (other[0] != other[0]) continue;
      const double theta = std::numbers::pi * (i / shape.rhos) / shape.thetas;
      score += static_cast<double>(p) * ea_from_parts(angle_between_normals(found.theta, theta),
                                                      {found.x, found.y}, {other[0], other[1]},
                                                      readout.frame);
    }
    begin += kCellsAhead * CellBatch::kStep;
    if (begin >= shape.thetas * shape.rhos) return score;
    cells.load(shape, logits, begin);
  }
}

// blockIdx.x: a share; blockIdx.y: an image.
__global__ void __launch_bounds__(kThreads, 2)
    lines_kernel(LineReadoutOnDevice readout, const float* logits, const double* partials,
                 int count, double* all_scores, unsigned* finished, LineOnDevice* lines) {
  __shared__ Found found;
  __shared__ double scores_of_warps[kThreads / kWarp];
  const int thread = static_cast<int>(threadIdx.x);
  const std::size_t image = blockIdx.y;
  const float* own_logits = logits + image * readout.shape.count();
  wait_for_previous();
  // The first cells arrive while the line is being found.
  const int begin = static_cast<int>(blockIdx.x) * kThreads + thread;
  CellBatch cells;
  cells.load(readout.shape, own_logits, begin);
  if (thread < kWarp) find_line(readout, partials + image * count * kPartial, count, found);
  __syncthreads();
  double score = found.visible ? score_of_thread(readout, own_logits, found, begin, cells) : 0.0;
  score = sum_of_warp(score);
  if (thread % kWarp == 0) scores_of_warps[thread / kWarp] = score;
  __syncthreads();
  if (thread >= kWarp) return;
  score = sum_of_warp(thread < kThreads / kWarp ? scores_of_warps[thread] : 0.0);
  if (thread != 0) return;
  volatile double* scores = all_scores + image * kShares;
  scores[blockIdx.x] = score;
  __threadfence();
  if (atomicAdd(finished + image, 1U) != kShares - 1) return;
  __threadfence();
  score = 0.0;
  for (int share = 0; share < kShares; ++share) score += scores[share];
  lines[image] = {{found.theta, found.rho}, score < 1.0 ? score : 1.0, found.log_sum};
}

}  // namespace

std::size_t line_readout_cuda_scratch(const CellShape& shape, std::int64_t batch) {
  return static_cast<std::size_t>(batch) * scratch_of_image(blocks_for(shape.rows(), kRows));
}

cudaError_t line_readout_cuda(const LineReadoutOnDevice& readout, const float* logits,
                              std::int64_t batch, double* scratch, LineOnDevice* lines,
                              cudaStream_t stream) {
  const unsigned slices = blocks_for(readout.shape.rows(), kRows);
  const auto images = static_cast<unsigned>(batch);
  const Scratch parts(scratch, batch, slices);
  if (const cudaError_t status =
          launch({dim3(slices, images), kWarp * kRows, stream, 0, Start::kEarly}, sums_kernel,
                 readout, logits, parts.partials, parts.finished);
      status != cudaSuccess)
    return status;
  return launch({dim3(kShares, images), kThreads, stream, 0, Start::kEarly}, lines_kernel, readout,
                logits, parts.partials, static_cast<int>(slices), parts.scores, parts.finished,
                lines);
}

}  // namespace vsmax
