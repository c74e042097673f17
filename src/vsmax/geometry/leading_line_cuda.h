// SPDX-License-Identifier: Apache-2.0
// The leading eigenvector of an embedding's matrix and its guarded derivative (Eq. 23) on CUDA: one
// thread an embedding, in double, by the same Jacobi rotations as symmetric_eigen.h.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace vsmax {

// embeddings: count x 6; lines: count x 3, the largest entry positive.
cudaError_t leading_line_cuda(const float* embeddings, std::int64_t count, float* lines,
                              cudaStream_t stream);
cudaError_t leading_line_cuda(const double* embeddings, std::int64_t count, double* lines,
                              cudaStream_t stream);

// grads: count x 3; grad_embeddings: count x 6, overwritten.
cudaError_t leading_line_backward_cuda(const float* grads, const float* embeddings, double guard,
                                       std::int64_t count, float* grad_embeddings,
                                       cudaStream_t stream);
cudaError_t leading_line_backward_cuda(const double* grads, const double* embeddings, double guard,
                                       std::int64_t count, double* grad_embeddings,
                                       cudaStream_t stream);

}  // namespace vsmax
