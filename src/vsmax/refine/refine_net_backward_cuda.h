// SPDX-License-Identifier: Apache-2.0
// The refinement network's backward pass on CUDA, on tensor cores: activations, their gradients,
// weights and the scalar inputs of the first and last layers are multiplied in bfloat16; sums are
// float. Deterministic on one GPU model: the order of summation depends on the number of
// multiprocessors.
//
// The transpose of a layer is a layer whose taps run backwards, except along rho past the seam of
// the single cover: where rho is flipped, they run forwards again.
//
//   pack_refine_weights_cuda     packs the parameters; call it after every change
//   refine_net_with_maps_cuda    the forward pass, which keeps the maps (refine_net_cuda.h)
//   refine_net_backward_cuda     the backward pass
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

// Their number, and their layout in an array of gradients: for each layer the weights, then the
// biases.
constexpr std::int64_t kRefineParameters = 37601;
std::int64_t refine_weights_at(int layer);
std::int64_t refine_biases_at(int layer);

// What the kernels read instead of the parameters.
struct PackedRefineWeights {
  RefineWeightsOnDevice forward;
  const std::uint32_t* transposed;

  // `memory`: refine_packed_bytes(), aligned to 16 bytes.
  explicit PackedRefineWeights(const void* memory);
};
std::size_t refine_packed_bytes();
cudaError_t pack_refine_weights_cuda(const RefineParameters& parameters, void* memory,
                                     cudaStream_t stream);

// For the current device; 0 if it cannot be queried.
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
