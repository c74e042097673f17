// SPDX-License-Identifier: Apache-2.0
// The leading eigenvector of an embedding's matrix and its guarded derivative (Eq. 23) on CUDA: one
// thread per embedding, in double precision (symmetric_eigen.h). Value: float or double.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace vsmax {

// embeddings: count x 6; lines: count x 3, the largest entry positive.
template <class Value>
cudaError_t leading_line_cuda(const Value* embeddings, std::int64_t count, Value* lines,
                              cudaStream_t stream);

// grads: count x 3; grad_embeddings: count x 6, overwritten.
template <class Value>
cudaError_t leading_line_backward_cuda(const Value* grads, const Value* embeddings, double guard,
                                       std::int64_t count, Value* grad_embeddings,
                                       cudaStream_t stream);

}  // namespace vsmax
