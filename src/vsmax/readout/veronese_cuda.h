// SPDX-License-Identifier: Apache-2.0
// Softmax and Veronese barycentre (Eq. 15, 17) and their derivative (Eq. 19) on CUDA;
// computed in double, deterministic.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace vsmax {

// The cells' coordinates, in device memory.
struct ReadoutTableOnDevice {
  int rows, rhos;
  const double* cosines;  // rows
  const double* sines;    // rows
  const double* offsets;  // R, in units of D
  const double* weights;  // R, embedding_weight(rho)
};

// logits: batch x rows x R; barycentres: batch x 6; log_sums: batch, log sum exp(a / tau). Value:
// float or double.
template <class Value>
cudaError_t veronese_readout_cuda(const ReadoutTableOnDevice& table, double temperature,
                                  const Value* logits, std::int64_t batch, Value* barycentres,
                                  double* log_sums, cudaStream_t stream);

// grads: batch x 6; grad_logits: batch x rows x R, overwritten.
template <class Value>
cudaError_t veronese_readout_backward_cuda(const ReadoutTableOnDevice& table, double temperature,
                                           const Value* grads, const Value* logits,
                                           const Value* barycentres, const double* log_sums,
                                           std::int64_t batch, Value* grad_logits,
                                           cudaStream_t stream);

}  // namespace vsmax
