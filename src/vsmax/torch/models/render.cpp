// SPDX-License-Identifier: Apache-2.0
#include "vsmax/torch/models/render.h"

#include <ATen/Parallel.h>

#include <span>

#include "vsmax/base/error.h"
#include "vsmax/data/synthetic.h"
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
  at::parallel_for(0, images.size(0), 1, [&](int64_t begin, int64_t end) {
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i)
      render_line(frame, samples[i].line, samples[i].sigma, samples[i].key,
                  std::span(pixels + i * frame.pixels(), frame.pixels()));
  });
}

#ifdef VSMAX_WITH_CUDA
void render_on_cuda(const ImageFrame& frame, const std::vector<LineSample>& samples,
                    torch::Tensor& images) {
  const auto bytes = static_cast<int64_t>(samples.size() * sizeof(SampleOnDevice));
  // Pinned, so that the copy does not wait for what the device is doing.
  const auto staged =
      torch::empty({bytes}, torch::TensorOptions().dtype(torch::kUInt8).pinned_memory(true));
  auto* to = reinterpret_cast<SampleOnDevice*>(staged.data_ptr<uint8_t>());
  for (const LineSample& sample : samples)
    *to++ = {line_ink(sample.line), sample.key, static_cast<float>(sample.sigma)};
  ops::launch_cuda(images, [&](cudaStream_t stream) {
    const auto on_device = staged.to(images.device(), /*non_blocking=*/true);
    return render_samples_cuda(
        reinterpret_cast<const SampleOnDevice*>(on_device.data_ptr<uint8_t>()), images.size(0),
        frame.width, frame.height, images.data_ptr<float>(), stream);
  });
}
#endif

}  // namespace

torch::Tensor render_samples(const ImageFrame& frame, const std::vector<LineSample>& samples,
                             torch::Device device) {
  if (frame.width < 1 || frame.height < 1)
    throw Error("an image of " + std::to_string(frame.width) + "x" + std::to_string(frame.height) +
                " pixels cannot be rendered");
  auto images = torch::empty({static_cast<int64_t>(samples.size()), frame.height, frame.width},
                             torch::TensorOptions().dtype(torch::kFloat).device(device));
  if (samples.empty()) return images;
#ifdef VSMAX_WITH_CUDA
  if (device.is_cuda()) {
    render_on_cuda(frame, samples, images);
    return images;
  }
#endif
  render_on_cpu(frame, samples, images);
  return images;
}

}  // namespace vsmax
