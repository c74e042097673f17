// SPDX-License-Identifier: Apache-2.0
#include "vsmax/torch/models/render.h"

#include <span>

#include "vsmax/base/error.h"
#include "vsmax/data/synthetic.h"
#include "vsmax/torch/ops/parallel_ranges.h"
#ifdef VSMAX_WITH_CUDA
#include "vsmax/data/synthetic_cuda.h"
#include "vsmax/torch/ops/cuda_launch.h"
#endif

namespace vsmax {
namespace {

// images: samples x H x W, contiguous float32; at least one sample.
void render_on_cpu(const ImageFrame& frame, const std::vector<LineSample>& samples,
                   torch::Tensor& images) {
  auto* pixels = images.data_ptr<float>();
  ops::parallel_ranges(images.size(0), 1, [&](int64_t begin, int64_t end) {
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i)
      render_line(frame, samples[i].line, samples[i].sigma, samples[i].key,
                  std::span(pixels + i * frame.pixels(), frame.pixels()));
  });
}

torch::Tensor new_images(const ImageFrame& frame, int64_t count, torch::Device device) {
  return torch::empty({count, frame.height, frame.width},
                      torch::TensorOptions().dtype(torch::kFloat).device(device));
}

}  // namespace

#ifdef VSMAX_WITH_CUDA
std::size_t staged_sample_bytes() { return sizeof(SampleOnDevice); }

void stage_samples(const std::vector<LineSample>& samples, std::uint8_t* to) {
  auto* staged = reinterpret_cast<SampleOnDevice*>(to);
  for (const LineSample& sample : samples)
    *staged++ = {line_ink(sample.line), sample.key, static_cast<float>(sample.sigma)};
}

torch::Tensor render_staged(const ImageFrame& frame, const torch::Tensor& staged, int64_t count) {
  auto images = new_images(frame, count, staged.device());
  ops::launch_cuda(images, [&](cudaStream_t stream) {
    return render_samples_cuda(reinterpret_cast<const SampleOnDevice*>(staged.data_ptr<uint8_t>()),
                               count, frame.width, frame.height, images.data_ptr<float>(), stream);
  });
  return images;
}
#else
std::size_t staged_sample_bytes() { return 0; }
void stage_samples(const std::vector<LineSample>& /*samples*/, std::uint8_t* /*to*/) {}
torch::Tensor render_staged(const ImageFrame& /*frame*/, const torch::Tensor& /*staged*/,
                            int64_t /*count*/) {
  throw Error("images cannot be rendered on CUDA in a build without it");
}
#endif

torch::Tensor render_samples(const ImageFrame& frame, const std::vector<LineSample>& samples,
                             torch::Device device) {
  if (frame.width < 1 || frame.height < 1)
    throw Error("an image of " + std::to_string(frame.width) + "x" + std::to_string(frame.height) +
                " pixels cannot be rendered");
  const auto count = static_cast<int64_t>(samples.size());
  if (device.is_cuda() && count > 0) {
    // Pinned, so that the copy does not wait for work in flight on the device.
    const auto staged =
        torch::empty({count * static_cast<int64_t>(staged_sample_bytes())},
                     torch::TensorOptions().dtype(torch::kUInt8).pinned_memory(true));
    stage_samples(samples, staged.data_ptr<uint8_t>());
    return render_staged(frame, staged.to(device, /*non_blocking=*/true), count);
  }
  auto images = new_images(frame, count, device);
  if (count > 0) render_on_cpu(frame, samples, images);
  return images;
}

}  // namespace vsmax
