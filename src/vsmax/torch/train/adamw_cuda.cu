// SPDX-License-Identifier: Apache-2.0
#include "vsmax/base/cuda_launch.h"
#include "vsmax/torch/train/adamw_cuda.h"

namespace vsmax {
namespace {

constexpr unsigned kThreads = 256;

// The weights of the old and the new value in a running mean, each rounded from double.
struct Blend {
  float old_part, new_part;
};

Blend blend(double beta) { return {static_cast<float>(beta), static_cast<float>(1.0 - beta)}; }

// In float, as torch computes on the CPU.
__global__ void __launch_bounds__(kThreads)
    adamw_kernel(AdamWVectors vectors, Blend first, Blend second, const AdamWNumbers* numbers,
                 const float* clip) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (i >= vectors.length) return;
  const auto decay = static_cast<float>(numbers->decay);
  const auto rate = static_cast<float>(numbers->rate);
  const auto root = static_cast<float>(numbers->root);
  const float gradient = vectors.gradient[i] * (clip != nullptr ? *clip : 1.0F);
  const float mean = vectors.means[i] * first.old_part + gradient * first.new_part;
  const float square = vectors.squares[i] * second.old_part + gradient * gradient * second.new_part;
  vectors.means[i] = mean;
  vectors.squares[i] = square;
  const float scale = sqrtf(square) / root + static_cast<float>(kAdamWEpsilon);
  const float value = vectors.values[i] * decay - rate * mean / scale;
  vectors.values[i] = value;
  if (vectors.average == nullptr) return;
  const auto share = static_cast<float>(numbers->share);
  const float average = vectors.average[i];
  // From the nearer end, as torch's lerp does.
  vectors.average[i] = share < 0.5F ? average + share * (value - average)
                                    : value - (value - average) * (1.0F - share);
}

}  // namespace

cudaError_t adamw_cuda(const AdamWVectors& vectors, const AdamWSettings& settings,
                       const AdamWNumbers* numbers, const float* clip, cudaStream_t stream) {
  if (vectors.length == 0) return cudaSuccess;
  const unsigned blocks = blocks_for(vectors.length, static_cast<std::int64_t>(kThreads));
  return launch({blocks, kThreads, stream}, adamw_kernel, vectors, blend(settings.beta1),
                blend(settings.beta2), numbers, clip);
}

}  // namespace vsmax
