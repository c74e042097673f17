// SPDX-License-Identifier: Apache-2.0
// What lies between two convolutions of the refinement network, on CUDA: bias, ReLU and padding
// across the seam (Eq. 12, 13) in one pass over memory, and the gradients in another. Feature maps
// are channels-last: B x rows x R x C. Deterministic.
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

// The type of the arithmetic: float for bfloat16, otherwise the type itself.
template <class Value>
struct WideOf {
  using type = Value;
};
template <>
struct WideOf<__nv_bfloat16> {
  using type = float;
};
template <class Value>
using Wide = typename WideOf<Value>::type;

// input: B x rows x R x C; output: B x (rows + 2) x R x C. Value: bfloat16, float or double.
template <class Value>
cudaError_t seam_relu_cuda(const SeamShape& shape, const Value* input, const Wide<Value>* bias,
                           Value* output, cudaStream_t stream);

// The number of partial sums of the bias gradient, each of `channels` numbers.
int seam_relu_partial_sums(const SeamShape& shape);

// grad, output: B x (rows + 2) x R x C; grad_input: B x rows x R x C; grad_bias: C; partial: memory
// for seam_relu_partial_sums x C numbers. Returns cudaErrorInvalidValue if a cell has more packets
// of channels (16 bytes, or one value where C or an address does not fit) than a block has threads.
template <class Value>
cudaError_t seam_relu_backward_cuda(const SeamShape& shape, const Value* grad, const Value* output,
                                    Value* grad_input, Wide<Value>* grad_bias, Wide<Value>* partial,
                                    cudaStream_t stream);

}  // namespace vsmax
