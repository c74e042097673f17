// SPDX-License-Identifier: Apache-2.0
#include "vsmax/torch/models/render.h"

#include <ATen/Parallel.h>

#include "vsmax/base/error.h"
#include "vsmax/data/synthetic.h"
#include "vsmax/torch/models/render_cuda.h"

namespace vsmax {

torch::Tensor render_samples(const ImageFrame& frame, const std::vector<LineSample>& samples,
                             torch::Device device) {
  const auto count = static_cast<int64_t>(samples.size());
  if (frame.width < 1 || frame.height < 1)
    throw Error("an image of " + std::to_string(frame.width) + "x" + std::to_string(frame.height) +
                " pixels cannot be rendered");
  auto images = torch::empty({count, frame.height, frame.width},
                             torch::TensorOptions().dtype(torch::kFloat).device(device));
  if (samples.empty()) return images;
  if (device.is_cuda()) {
    render_samples_cuda(frame, samples, images);
    return images;
  }
  float* pixels = images.data_ptr<float>();
  const int64_t size = static_cast<int64_t>(frame.width) * frame.height;
  at::parallel_for(0, count, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const LineSample& sample = samples[static_cast<std::size_t>(i)];
      render_line(frame, sample.line, sample.sigma, sample.key, pixels + i * size);
    }
  });
  return images;
}

#ifndef VSMAX_WITH_CUDA
void render_samples_cuda(const ImageFrame&, const std::vector<LineSample>&, torch::Tensor&) {
  throw Error("this build of vsmax has no CUDA kernels");
}
#endif

}  // namespace vsmax
