// SPDX-License-Identifier: Apache-2.0
// The refinement network's backward pass on CUDA, in bfloat16 on tensor cores: what lies between
// the layers, and the weights by which it is multiplied, are bfloat16; sums are float. So are the
// logits' gradients, and the accumulators for the gradients of the first layer's weights.
// Deterministic on one kind of GPU: which sums are added first depends on its number of processors.
//
// The transpose of a layer is a layer whose taps run backwards, but for those along rho past the
// seam of the single cover: where rho is flipped, they run forwards again.
//
//   pack_refine_weights_cuda     the parameters, after every change
//   refine_net_with_maps_cuda    forwards, with the maps kept (refine_net_cuda.h)
//   refine_net_backward_cuda
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "vsmax/hough/cells.h"
#include "vsmax/refine/refine_net_cuda.h"

namespace vsmax {

// Layer by layer, on the device; weights are outputs x inputs x 3 x 3.
struct RefineParameters {
  const float* weights[6];
  const float* biases[6];
};

// All of them, and how they lie in an array of gradients: of each layer first the weights.
constexpr std::int64_t kRefineParameters = 37601;
std::int64_t refine_weights_at(int layer);
std::int64_t refine_biases_at(int layer);

// What the kernels read instead of the parameters.
struct PackedRefineWeights {
  RefineWeightsOnDevice forward;
  const std::uint32_t* transposed;

  // In refine_packed_bytes() of memory, aligned to 16 bytes.
  explicit PackedRefineWeights(const void* memory);
};
std::size_t refine_packed_bytes();
cudaError_t pack_refine_weights_cuda(const RefineParameters& parameters, void* memory,
                                     cudaStream_t stream);

// For the current device. 0 if there is none.
std::size_t refine_net_backward_scratch_bytes(const CellShape& shape, std::int64_t batch);

// `maps` are those of refine_net_with_maps_cuda for the same arguments. grad_logits: batch x rows x
// R. Writes kRefineParameters gradients and, unless it is null, grad_accumulators: batch x T x R.
// `scratch` is aligned to 16 bytes.
cudaError_t refine_net_backward_cuda(const PackedRefineWeights& weights, const CellShape& shape,
                                     const float* accumulators, float scale, std::int64_t batch,
                                     const void* maps, const float* grad_logits, void* scratch,
                                     float* grad_parameters, float* grad_accumulators,
                                     cudaStream_t stream);

}  // namespace vsmax
