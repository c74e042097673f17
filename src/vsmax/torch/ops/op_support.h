// SPDX-License-Identifier: Apache-2.0
// Internal: what the operators share.
#pragma once

#include <ATen/core/grad_mode.h>
#include <torch/types.h>

#include <utility>
#include <vector>

namespace vsmax::ops {

// A tensor [..., tail] as [batch, tail], contiguous, in the type an operator computes in: float for
// the halves, else its own.
struct Batch {
  torch::Tensor data;
  std::vector<int64_t> leading;

  std::vector<int64_t> shape(std::initializer_list<int64_t> tail) const {
    std::vector<int64_t> sizes = leading;
    sizes.insert(sizes.end(), tail);
    return sizes;
  }
};

inline torch::ScalarType compute_type(torch::ScalarType type) {
  return type == torch::kHalf || type == torch::kBFloat16 ? torch::kFloat : type;
}

inline Batch as_batch(const torch::Tensor& tensor, int64_t tail_dims, const char* op) {
  TORCH_CHECK(tensor.is_floating_point(), op, ": needs floating-point values, not ",
              tensor.scalar_type());
  TORCH_CHECK(tensor.dim() >= tail_dims, op, ": needs at least ", tail_dims,
              " dimensions, not the shape ", tensor.sizes());
  const auto split = tensor.sizes().end() - tail_dims;
  Batch batch;
  batch.leading.assign(tensor.sizes().begin(), split);
  int64_t count = 1;
  for (const int64_t extent : batch.leading) count *= extent;
  std::vector<int64_t> flat{count};
  flat.insert(flat.end(), split, tensor.sizes().end());
  batch.data = tensor.to(compute_type(tensor.scalar_type())).contiguous().view(flat);
  return batch;
}

// The kernels of the tensor's device.
template <class Kernels>
const Kernels& kernels_for(const torch::Tensor& tensor, const Kernels& cpu, const Kernels& cuda) {
#ifdef VSMAX_WITH_CUDA
  if (tensor.is_cuda()) return cuda;
#else
  static_cast<void>(cuda);
#endif
  TORCH_CHECK(tensor.is_cpu(), "this build of vsmax has no kernels for ", tensor.device());
  return cpu;
}

// For the backward pass of an operator whose derivative has none itself.
inline void require_first_order(const char* op) {
  TORCH_CHECK(!at::GradMode::is_enabled(), op,
              " is differentiable once; create_graph asks for more");
}

}  // namespace vsmax::ops
