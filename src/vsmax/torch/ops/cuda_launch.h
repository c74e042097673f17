// SPDX-License-Identifier: Apache-2.0
// Internal: starts a CUDA kernel on torch's current stream and checks that it started.
#pragma once

#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <torch/types.h>

namespace vsmax::ops {

// launch(stream) returns a cudaError_t; it runs on the device of `tensor`.
template <class Launch>
void launch_cuda(const torch::Tensor& tensor, const Launch& launch) {
  const c10::cuda::CUDAGuard guard(tensor.device());
  C10_CUDA_CHECK(launch(at::cuda::getCurrentCUDAStream().stream()));
}

}  // namespace vsmax::ops
