// SPDX-License-Identifier: Apache-2.0
// Each thread draws one block of four random words and renders the four pixels that use it.
// Compiled without fused multiply-add, so that a line covers the same pixels as on the CPU.
#include "vsmax/base/cuda_launch.h"
#include "vsmax/data/synthetic_cuda.h"

namespace vsmax {
namespace {

constexpr unsigned kThreads = 256;

__global__ void render_kernel(const SampleOnDevice* samples, int width, int height, float* images) {
  const SampleOnDevice sample = samples[blockIdx.x];
  const auto pixels = static_cast<std::int64_t>(width) * height;
  const std::int64_t block = static_cast<std::int64_t>(blockIdx.y) * kThreads + threadIdx.x;
  if (4 * block >= pixels) return;
  const double half_width = 0.5 * (width - 1);
  const double half_height = 0.5 * (height - 1);
  NormalBlock normal{};
  if (sample.sigma != 0.0F)
    normal = normal_block(draw(sample.key, Stream::kNoise, static_cast<std::uint32_t>(block)));
  float* image = images + static_cast<std::int64_t>(blockIdx.x) * pixels;
  for (int i = 0; i < 4; ++i) {
    const std::int64_t pixel = 4 * block + i;
    if (pixel >= pixels) break;
    const double x = static_cast<double>(pixel % width) - half_width;
    const double y = static_cast<double>(pixel / width) - half_height;
    const bool ink = sample.ink.covers(x, y);
    image[pixel] = sample.sigma == 0.0F ? (ink ? 1.0F : 0.0F)
                                        : noisy_pixel(ink, sample.sigma, normal.value[i]);
  }
}

}  // namespace

cudaError_t render_samples_cuda(const SampleOnDevice* samples, std::int64_t count, int width,
                                int height, float* images, cudaStream_t stream) {
  const std::int64_t threads = (static_cast<std::int64_t>(width) * height + 3) / 4;
  const dim3 blocks(static_cast<unsigned>(count),
                    static_cast<unsigned>((threads + kThreads - 1) / kThreads));
  return launch({blocks, kThreads, stream}, render_kernel, samples, width, height, images);
}

}  // namespace vsmax
