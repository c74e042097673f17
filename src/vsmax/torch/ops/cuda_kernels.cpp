// SPDX-License-Identifier: Apache-2.0
// The CUDA kernels behind the operators: tables brought to the device once, then raw pointers on
// the current stream. Every launch is checked.
#include <ATen/Dispatch.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>

#include "vsmax/data/synthetic.h"
#include "vsmax/data/synthetic_cuda.h"
#include "vsmax/geometry/leading_line_cuda.h"
#include "vsmax/refine/seam_relu_cuda.h"
#include "vsmax/torch/models/render_cuda.h"
#include "vsmax/torch/ops/cuda_tables.h"
#include "vsmax/torch/ops/op_kernels.h"

namespace vsmax {

namespace ops {

namespace {

using c10::cuda::CUDAGuard;

cudaStream_t stream() { return at::cuda::getCurrentCUDAStream().stream(); }

void hough_forward(const HoughGrid& grid, const torch::Tensor& images,
                   torch::Tensor& accumulators) {
  const CUDAGuard guard(images.device());
  const auto most = static_cast<int64_t>(hough_cuda_most_columns(images.element_size()));
  TORCH_CHECK(images.size(2) <= most, "vsmax::hough: on CUDA an image of ", images.scalar_type(),
              " may have ", most, " columns, not ", images.size(2));
  const auto& table = hough_table(grid, images.device());
  AT_DISPATCH_FLOATING_TYPES(images.scalar_type(), "hough", [&] {
    C10_CUDA_CHECK(hough_forward_cuda(table.view, images.data_ptr<scalar_t>(),
                                      accumulators.data_ptr<scalar_t>(), images.size(0), stream()));
  });
}

void hough_adjoint(const HoughGrid& grid, const torch::Tensor& accumulators,
                   torch::Tensor& images) {
  const CUDAGuard guard(images.device());
  TORCH_CHECK(images.size(-1) * images.size(-2) <= INT32_MAX,
              "vsmax::hough_adjoint: on CUDA an image may have 2^31 - 1 pixels, not ",
              images.size(-1) * images.size(-2));
  const auto& table = hough_table(grid, images.device());
  AT_DISPATCH_FLOATING_TYPES(images.scalar_type(), "hough_adjoint", [&] {
    C10_CUDA_CHECK(hough_adjoint_cuda(table.view, accumulators.data_ptr<scalar_t>(),
                                      images.data_ptr<scalar_t>(), accumulators.size(0), stream()));
  });
}

void readout_forward(const ReadoutShape& shape, double temperature, const torch::Tensor& logits,
                     torch::Tensor& barycentre, torch::Tensor& log_sum) {
  const CUDAGuard guard(logits.device());
  const auto& table = readout_table(shape, logits.device());
  AT_DISPATCH_FLOATING_TYPES(logits.scalar_type(), "veronese_readout", [&] {
    C10_CUDA_CHECK(veronese_readout_cuda(table.view, temperature, logits.data_ptr<scalar_t>(),
                                         logits.size(0), barycentre.data_ptr<scalar_t>(),
                                         log_sum.data_ptr<double>(), stream()));
  });
}

void readout_backward(const ReadoutShape& shape, double temperature, const torch::Tensor& grad,
                      const torch::Tensor& logits, const torch::Tensor& barycentre,
                      const torch::Tensor& log_sum, torch::Tensor& grad_logits) {
  const CUDAGuard guard(logits.device());
  const auto& table = readout_table(shape, logits.device());
  AT_DISPATCH_FLOATING_TYPES(logits.scalar_type(), "veronese_readout", [&] {
    C10_CUDA_CHECK(veronese_readout_backward_cuda(
        table.view, temperature, grad.data_ptr<scalar_t>(), logits.data_ptr<scalar_t>(),
        barycentre.data_ptr<scalar_t>(), log_sum.data_ptr<double>(), logits.size(0),
        grad_logits.data_ptr<scalar_t>(), stream()));
  });
}

void line_forward(const torch::Tensor& embedding, torch::Tensor& line) {
  const CUDAGuard guard(embedding.device());
  AT_DISPATCH_FLOATING_TYPES(embedding.scalar_type(), "leading_line", [&] {
    C10_CUDA_CHECK(leading_line_cuda(embedding.data_ptr<scalar_t>(), embedding.size(0),
                                     line.data_ptr<scalar_t>(), stream()));
  });
}

void line_backward(const torch::Tensor& grad, const torch::Tensor& embedding, double guard_value,
                   torch::Tensor& grad_embedding) {
  const CUDAGuard guard(embedding.device());
  AT_DISPATCH_FLOATING_TYPES(embedding.scalar_type(), "leading_line", [&] {
    C10_CUDA_CHECK(leading_line_backward_cuda(
        grad.data_ptr<scalar_t>(), embedding.data_ptr<scalar_t>(), guard_value, embedding.size(0),
        grad_embedding.data_ptr<scalar_t>(), stream()));
  });
}

SeamShape seam_shape(const torch::Tensor& unpadded, bool moebius) {
  TORCH_CHECK(unpadded.size(1) <= 256, "vsmax::seam_relu: on CUDA there may be 256 channels, not ",
              unpadded.size(1));
  return {unpadded.size(0), static_cast<int>(unpadded.size(1)), static_cast<int>(unpadded.size(2)),
          static_cast<int>(unpadded.size(3)), moebius};
}

// torch's bfloat16 and CUDA's are the same 16 bits under two names.
template <class Value>
struct CudaType {
  using type = Value;
};
template <>
struct CudaType<c10::BFloat16> {
  using type = __nv_bfloat16;
};
template <class Value>
auto* cuda_pointer(const torch::Tensor& tensor) {
  return reinterpret_cast<typename CudaType<Value>::type*>(tensor.data_ptr<Value>());
}

void seam_forward(const torch::Tensor& input, const torch::Tensor& bias, bool moebius,
                  torch::Tensor& output) {
  const CUDAGuard guard(input.device());
  const SeamShape shape = seam_shape(input, moebius);
  AT_DISPATCH_FLOATING_TYPES_AND(torch::kBFloat16, input.scalar_type(), "seam_relu", [&] {
    using Sum = std::conditional_t<std::is_same_v<scalar_t, double>, double, float>;
    C10_CUDA_CHECK(seam_relu_cuda(shape, cuda_pointer<scalar_t>(input), bias.data_ptr<Sum>(),
                                  cuda_pointer<scalar_t>(output), stream()));
  });
}

void seam_backward(const torch::Tensor& grad, const torch::Tensor& output, bool moebius,
                   torch::Tensor& grad_input, torch::Tensor& grad_bias) {
  const CUDAGuard guard(grad.device());
  const SeamShape shape = seam_shape(grad_input, moebius);
  const auto partial =
      torch::empty({seam_relu_partial_sums(shape), shape.channels}, grad_bias.options());
  AT_DISPATCH_FLOATING_TYPES_AND(torch::kBFloat16, grad.scalar_type(), "seam_relu", [&] {
    using Sum = std::conditional_t<std::is_same_v<scalar_t, double>, double, float>;
    C10_CUDA_CHECK(
        seam_relu_backward_cuda(shape, cuda_pointer<scalar_t>(grad), cuda_pointer<scalar_t>(output),
                                cuda_pointer<scalar_t>(grad_input), grad_bias.data_ptr<Sum>(),
                                partial.data_ptr<Sum>(), stream()));
  });
}

}  // namespace

const HoughKernels kHoughCuda{hough_forward, hough_adjoint};
const ReadoutKernels kReadoutCuda{readout_forward, readout_backward};
const LineKernels kLineCuda{line_forward, line_backward};
const SeamKernels kSeamCuda{seam_forward, seam_backward};

}  // namespace ops

void render_samples_cuda(const ImageFrame& frame, const std::vector<LineSample>& samples,
                         torch::Tensor& images) {
  const c10::cuda::CUDAGuard guard(images.device());
  const auto bytes = static_cast<int64_t>(samples.size() * sizeof(SampleOnDevice));
  // Pinned, so that the copy does not wait for what the device is doing.
  const auto staged =
      torch::empty({bytes}, torch::TensorOptions().dtype(torch::kUInt8).pinned_memory(true));
  auto* to = reinterpret_cast<SampleOnDevice*>(staged.data_ptr<uint8_t>());
  for (const LineSample& sample : samples)
    *to++ = {line_ink(sample.line), sample.key, static_cast<float>(sample.sigma)};
  const auto on_device = staged.to(images.device(), /*non_blocking=*/true);
  C10_CUDA_CHECK(
      render_samples_cuda(reinterpret_cast<const SampleOnDevice*>(on_device.data_ptr<uint8_t>()),
                          static_cast<int64_t>(samples.size()), frame.width, frame.height,
                          images.data_ptr<float>(), at::cuda::getCurrentCUDAStream().stream()));
}

}  // namespace vsmax
