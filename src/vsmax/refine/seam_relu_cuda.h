// SPDX-License-Identifier: Apache-2.0
// Between two convolutions of the refinement network on CUDA: bias, ReLU and the rows past the seam
// (Eq. 12, 13) in one pass over memory, and the derivative in another. Feature maps are
// channels-last: B x rows x R x C. Deterministic.
#pragma once

#include <cuda_bf16.h>
#include <cuda_runtime_api.h>

#include <cstdint>

namespace vsmax {

struct SeamShape {
  std::int64_t batch;
  int channels, rows, rhos;
  bool moebius;  // past the seam rho runs backwards
};

// input: B x rows x R x C; output: B x (rows + 2) x R x C.
cudaError_t seam_relu_cuda(const SeamShape& shape, const __nv_bfloat16* input, const float* bias,
                           __nv_bfloat16* output, cudaStream_t stream);
cudaError_t seam_relu_cuda(const SeamShape& shape, const float* input, const float* bias,
                           float* output, cudaStream_t stream);
cudaError_t seam_relu_cuda(const SeamShape& shape, const double* input, const double* bias,
                           double* output, cudaStream_t stream);

// How many partial sums of the bias' gradient there are, each `channels` numbers.
int seam_relu_partial_sums(const SeamShape& shape);

// grad, output: B x (rows + 2) x R x C; grad_input: B x rows x R x C; grad_bias: C; partial: memory
// for seam_relu_partial_sums x C numbers. channels must not exceed 1024.
cudaError_t seam_relu_backward_cuda(const SeamShape& shape, const __nv_bfloat16* grad,
                                    const __nv_bfloat16* output, __nv_bfloat16* grad_input,
                                    float* grad_bias, float* partial, cudaStream_t stream);
cudaError_t seam_relu_backward_cuda(const SeamShape& shape, const float* grad, const float* output,
                                    float* grad_input, float* grad_bias, float* partial,
                                    cudaStream_t stream);
cudaError_t seam_relu_backward_cuda(const SeamShape& shape, const double* grad,
                                    const double* output, double* grad_input, double* grad_bias,
                                    double* partial, cudaStream_t stream);

}  // namespace vsmax
