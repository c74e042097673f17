// SPDX-License-Identifier: Apache-2.0
// The refinement network's forward pass on CUDA: in bfloat16 on tensor cores or, for comparison,
// directly in float. Deterministic.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "vsmax/hough/cells.h"

namespace vsmax {

struct ConvLayer;

// kBfloat16: the weights of all layers but the first and the activations between layers are
// bfloat16; sums are float.
enum class RefinePrecision { kFloat, kBfloat16 };

// The weights of a RefineNet in the order in which the kernels read them.
struct RefineWeights {
  std::vector<float> values;             // per layer: 9 x inputs x outputs weights, then biases
  std::vector<std::uint32_t> fragments;  // of layers 1 to 5, as the lanes of a warp hold them

  explicit RefineWeights(std::span<const ConvLayer> layers);
};

// Copies of both in device memory, aligned to 16 bytes.
struct RefineWeightsOnDevice {
  const float* values;
  const std::uint32_t* fragments;
};

std::size_t refine_net_cuda_scratch_bytes(RefinePrecision precision, const CellShape& shape,
                                          std::int64_t batch);

// accumulators: batch x T x R, on the single cover whatever the cover of `shape`; logits: batch x
// rows x R on the cover of `shape`. `scale` multiplies the accumulators. `scratch` is aligned to 16
// bytes.
cudaError_t refine_net_cuda(RefinePrecision precision, const RefineWeightsOnDevice& weights,
                            const CellShape& shape, const float* accumulators, float scale,
                            std::int64_t batch, void* scratch, float* logits, cudaStream_t stream);

// The same in bfloat16, for training: also writes the outputs of layers 0 to 4 to `maps`, one after
// the other, each batch x rows x R cells of 32 bfloat16s. `maps` is aligned to 16 bytes.
std::size_t refine_net_maps_bytes(const CellShape& shape, std::int64_t batch);
cudaError_t refine_net_with_maps_cuda(const RefineWeightsOnDevice& weights, const CellShape& shape,
                                      const float* accumulators, float scale, std::int64_t batch,
                                      void* maps, float* logits, cudaStream_t stream);

}  // namespace vsmax
