// SPDX-License-Identifier: Apache-2.0
// A block reads one image's logits twice: first for the maximum, then, one row of theta per warp at
// a time, for the three moments of every row (Eq. 18). Sums are added within lanes, then across
// lanes, then across warps, always in the same order.
#include "vsmax/base/cuda_launch.h"
#include "vsmax/readout/moments.h"
#include "vsmax/readout/veronese_cuda.h"

namespace vsmax {
namespace {

constexpr int kWarp = 32;
constexpr int kWarps = 16;
constexpr int kSums = 7;  // the denominator and six coordinates

template <class Value>
__global__ void __launch_bounds__(kWarp* kWarps)
    forward_kernel(ReadoutTableOnDevice table, double temperature, const Value* logits,
                   Value* barycentres, double* log_sums) {
  __shared__ double partial[kWarps][kSums];
  __shared__ double block_largest;
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  const int warp = static_cast<int>(threadIdx.x) / kWarp;
  const std::size_t image = blockIdx.x;
  const Value* a = logits + image * static_cast<std::size_t>(table.rows) * table.rhos;

  double largest = -INFINITY;
  for (int i = static_cast<int>(threadIdx.x); i < table.rows * table.rhos; i += kWarp * kWarps)
    largest = fmax(largest, static_cast<double>(a[i]));
  for (int step = kWarp / 2; step > 0; step /= 2)
    largest = fmax(largest, __shfl_xor_sync(0xFFFFFFFFU, largest, step));
  if (lane == 0) partial[warp][0] = largest;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int w = 1; w < kWarps; ++w) largest = fmax(largest, partial[w][0]);
    block_largest = largest;
  }
  __syncthreads();
  largest = block_largest;

  double mass = 0.0;
  LineEmbedding mean{};
  for (int t = warp; t < table.rows; t += kWarps) {
    RowMoments moments;
    for (int r = lane; r < table.rhos; r += kWarp) {
      const auto logit = static_cast<double>(a[static_cast<std::size_t>(t) * table.rhos + r]);
      moments.add(exp((logit - largest) / temperature), table.offsets[r], table.weights[r]);
    }
    mass += moments.mass;
    moments.add_to(mean, table.cosines[t], table.sines[t]);
  }
  double sums[kSums] = {mass, mean[0], mean[1], mean[2], mean[3], mean[4], mean[5]};
#pragma unroll
  for (int k = 0; k < kSums; ++k) {
    for (int step = kWarp / 2; step > 0; step /= 2)
      sums[k] += __shfl_xor_sync(0xFFFFFFFFU, sums[k], step);
    if (lane == 0) partial[warp][k] = sums[k];
  }
  __syncthreads();
  if (threadIdx.x >= kSums) return;
  // Each of these threads adds up the denominator itself.
  double total = 0.0;
  double mine = 0.0;
  for (int w = 0; w < kWarps; ++w) {
    total += partial[w][0];
    mine += partial[w][threadIdx.x];
  }
  if (threadIdx.x == 0)
    log_sums[image] = largest / temperature + log(total);
  else
    barycentres[image * 6 + threadIdx.x - 1] = static_cast<Value>(mine / total);
}

constexpr int kBackwardWarps = 8;

template <class Value>
__global__ void __launch_bounds__(kWarp* kBackwardWarps)
    backward_kernel(ReadoutTableOnDevice table, double temperature, const Value* grads,
                    const Value* logits, const Value* barycentres, const double* log_sums,
                    Value* grad_logits) {
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  const int t =
      static_cast<int>(blockIdx.y) * kBackwardWarps + static_cast<int>(threadIdx.x) / kWarp;
  if (t >= table.rows) return;
  const std::size_t image = blockIdx.x;
  LineEmbedding g{};
  double center = 0.0;
  for (int i = 0; i < 6; ++i) {
    g[i] = static_cast<double>(grads[image * 6 + i]);
    center += g[i] * static_cast<double>(barycentres[image * 6 + i]);
  }
  const RowGradient gradient(g, table.cosines[t], table.sines[t]);
  const double log_sum = log_sums[image];
  const std::size_t offset = (image * table.rows + t) * table.rhos;
  for (int r = lane; r < table.rhos; r += kWarp) {
    const double along = gradient.at(table.offsets[r], table.weights[r]);
    const double p = exp(static_cast<double>(logits[offset + r]) / temperature - log_sum);
    grad_logits[offset + r] = static_cast<Value>(p * (along - center) / temperature);
  }
}

}  // namespace

template <class Value>
cudaError_t veronese_readout_cuda(const ReadoutTableOnDevice& table, double temperature,
                                  const Value* logits, std::int64_t batch, Value* barycentres,
                                  double* log_sums, cudaStream_t stream) {
  return launch({static_cast<unsigned>(batch), kWarp * kWarps, stream}, forward_kernel<Value>,
                table, temperature, logits, barycentres, log_sums);
}

template <class Value>
cudaError_t veronese_readout_backward_cuda(const ReadoutTableOnDevice& table, double temperature,
                                           const Value* grads, const Value* logits,
                                           const Value* barycentres, const double* log_sums,
                                           std::int64_t batch, Value* grad_logits,
                                           cudaStream_t stream) {
  const dim3 blocks(static_cast<unsigned>(batch), blocks_for(table.rows, kBackwardWarps));
  return launch({blocks, kWarp * kBackwardWarps, stream}, backward_kernel<Value>, table,
                temperature, grads, logits, barycentres, log_sums, grad_logits);
}

template cudaError_t veronese_readout_cuda(const ReadoutTableOnDevice&, double, const float*,
                                           std::int64_t, float*, double*, cudaStream_t);
template cudaError_t veronese_readout_cuda(const ReadoutTableOnDevice&, double, const double*,
                                           std::int64_t, double*, double*, cudaStream_t);
template cudaError_t veronese_readout_backward_cuda(const ReadoutTableOnDevice&, double,
                                                    const float*, const float*, const float*,
                                                    const double*, std::int64_t, float*,
                                                    cudaStream_t);
template cudaError_t veronese_readout_backward_cuda(const ReadoutTableOnDevice&, double,
                                                    const double*, const double*, const double*,
                                                    const double*, std::int64_t, double*,
                                                    cudaStream_t);

}  // namespace vsmax
