// SPDX-License-Identifier: Apache-2.0
// Internal: what the operators share.
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/grad_mode.h>
#include <torch/types.h>

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <vector>

#include "vsmax/torch/ops/parallel_ranges.h"

namespace vsmax::ops {

// The type an operator computes in: float for half and bfloat16, otherwise the input's own.
inline torch::ScalarType compute_type(torch::ScalarType type) {
  return type == torch::kHalf || type == torch::kBFloat16 ? torch::kFloat : type;
}

inline void require_values(const torch::Tensor& tensor, int64_t dims, const char* op) {
  TORCH_CHECK(tensor.is_floating_point(), op, ": needs floating-point values, not ",
              tensor.scalar_type());
  TORCH_CHECK(tensor.dim() >= dims, op, ": needs at least ", dims, " dimensions, not ",
              tensor.dim());
}

// A tensor [..., tail] as [batch, tail], contiguous and in the type an operator computes in.
struct Batch {
  torch::Tensor data;
  std::vector<int64_t> leading;
};

inline Batch as_batch(const torch::Tensor& tensor, int64_t tail_dims, const char* op) {
  require_values(tensor, tail_dims, op);
  const auto split = tensor.sizes().end() - tail_dims;
  Batch batch;
  batch.leading.assign(tensor.sizes().begin(), split);
  std::vector<int64_t> flat{c10::multiply_integers(batch.leading)};
  flat.insert(flat.end(), split, tensor.sizes().end());
  batch.data = tensor.to(compute_type(tensor.scalar_type())).contiguous().view(flat);
  return batch;
}

// Calls body(b) for all b below `count` in parallel, at least `grain` of them per thread.
template <class Body>
void for_each_in_batch(int64_t count, int64_t grain, const Body& body) {
  parallel_ranges(count, grain, [&](int64_t begin, int64_t end) {
    for (int64_t b = begin; b < end; ++b) body(b);
  });
}

// Writes doubles in a tensor's own type.
template <class Values, class Value>
void write_values(const Values& values, Value* to) {
  std::transform(values.begin(), values.end(), to, [](double x) { return static_cast<Value>(x); });
}

// torch.compile relies on what the Meta kernels say about a result, strides included. All other
// kernels therefore allocate their results with the same functions, those below. Extents may be
// symbolic, so nothing here asks for their values.

// A result with the shape of the input, its last `dropped` extents replaced by `tail`, by default
// in the type an operator computes in. Contiguous, whatever the layout of the input.
inline torch::Tensor new_result(const torch::Tensor& input, int64_t dropped,
                                std::initializer_list<c10::SymInt> tail, const char* op,
                                std::optional<torch::ScalarType> type = {}) {
  require_values(input, dropped, op);
  std::vector<c10::SymInt> shape = input.sym_sizes().vec();
  shape.resize(shape.size() - static_cast<std::size_t>(dropped));
  shape.insert(shape.end(), tail);
  return torch::empty_symint(
      shape, input.options().dtype(type.value_or(compute_type(input.scalar_type()))));
}

// The gradient for an input, also contiguous.
inline torch::Tensor new_gradient(const torch::Tensor& input, torch::ScalarType type) {
  return torch::empty_symint(input.sym_sizes(), input.options().dtype(type));
}

// Feature maps [B, C, rows + more, R] for `like` [B, C, rows, R], in the layout of `like`
// (channels-last or contiguous), which torch's convolutions keep as well.
inline torch::Tensor new_features(const torch::Tensor& like, int64_t more, torch::ScalarType type) {
  return torch::empty_symint(
      {like.sym_size(0), like.sym_size(1), like.sym_size(2) + more, like.sym_size(3)},
      like.options().dtype(type), like.suggest_memory_format());
}

// A registered operator, to be called through the dispatcher.
template <class Signature>
auto find_operator(const char* name) {
  return c10::Dispatcher::singleton().findSchemaOrThrow(name, "").template typed<Signature>();
}

// For the backward pass of an operator whose derivative has none itself.
inline void require_first_order(const char* op) {
  TORCH_CHECK(!at::GradMode::is_enabled(), op,
              " is differentiable once; create_graph asks for more");
}

}  // namespace vsmax::ops
