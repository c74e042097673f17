// SPDX-License-Identifier: Apache-2.0
#include "vsmax/torch/ops/projective.h"

#include <ATen/core/LegacyTypeDispatch.h>
#include <torch/csrc/autograd/custom_function.h>

#include <cmath>
#include <vector>

#include "vsmax/torch/ops/op_support.h"
#include "vsmax/torch/ops/ops.h"

namespace vsmax::nn {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

int64_t extent(const torch::Tensor& tensor, int64_t dim) {
  return tensor.sym_size(dim).guard_int(__FILE__, __LINE__);
}

// The number of components M of a point from the d = M (M + 1) / 2 of its embedding.
int64_t components_of(int64_t coordinates) {
  int64_t components = 2;
  while (components * (components + 1) / 2 < coordinates) ++components;
  TORCH_CHECK(components * (components + 1) / 2 == coordinates, "an embedding has 3, 6, 10, ... ",
              "coordinates, not ", coordinates);
  return components;
}

// vech^-1(W^-1 v): [..., d] -> [..., M, M] (Eq. 20).
torch::Tensor symmetric_from_embedding(const torch::Tensor& embedding) {
  const int64_t size = components_of(extent(embedding, -1));
  const auto entries = embedding.unbind(-1);
  std::vector<torch::Tensor> rows(static_cast<std::size_t>(size * size));
  auto next = static_cast<std::size_t>(size);
  for (int64_t i = 0; i < size; ++i) {
    rows[static_cast<std::size_t>(i * size + i)] = entries[static_cast<std::size_t>(i)];
    for (int64_t j = i + 1; j < size; ++j) {
      const auto product = entries[next++] * M_SQRT1_2;
      rows[static_cast<std::size_t>(i * size + j)] = product;
      rows[static_cast<std::size_t>(j * size + i)] = product;
    }
  }
  auto shape = embedding.sym_sizes().vec();
  shape.back() = size;
  shape.emplace_back(size);
  return torch::stack(rows, -1).reshape_symint(shape);
}

// W vech of the symmetric part of a b': twice [..., M] -> [..., d].
torch::Tensor embedding_of_product(const torch::Tensor& a, const torch::Tensor& b) {
  const auto left = a.unbind(-1);
  const auto right = b.unbind(-1);
  std::vector<torch::Tensor> entries;
  for (std::size_t i = 0; i < left.size(); ++i) entries.push_back(left[i] * right[i]);
  for (std::size_t i = 0; i < left.size(); ++i)
    for (std::size_t j = i + 1; j < left.size(); ++j)
      entries.push_back((left[i] * right[j] + left[j] * right[i]) * M_SQRT1_2);
  return torch::stack(entries, -1);
}

// For n = 2 there is an operator with a kernel of its own; this one is torch's solver with the
// same guard.
struct PointFunction : torch::autograd::Function<PointFunction> {
  static torch::Tensor forward(AutogradContext* context, const torch::Tensor& embedding,
                               double guard) {
    const at::AutoDispatchBelowADInplaceOrView below;
    const auto wide = embedding.to(ops::compute_type(embedding.scalar_type()));
    const auto [values, columns] = torch::linalg_eigh(symmetric_from_embedding(wide));
    const auto vectors = columns.transpose(-1, -2);  // rows, their eigenvalues ascending
    const auto last = vectors.select(-2, -1);
    const auto largest = last.gather(-1, last.abs().argmax(-1, true));
    const auto point = torch::where(largest < 0, -last, last);
    context->save_for_backward({values, vectors, point});
    context->saved_data["guard"] = guard;
    context->saved_data["type"] = static_cast<int64_t>(embedding.scalar_type());
    return point;
  }

  static variable_list backward(AutogradContext* context, variable_list grads) {
    ops::require_first_order("vsmax::leading_point");
    const at::AutoDispatchBelowADInplaceOrView below;
    const auto saved = context->get_saved_variables();
    const double guard = context->saved_data["guard"].toDouble();
    const auto type = static_cast<torch::ScalarType>(context->saved_data["type"].toInt());
    const auto gaps = saved[0].narrow(-1, -1, 1) - saved[0];  // 0 for the point itself
    const auto shares =
        (saved[1] * grads[0].unsqueeze(-2)).sum(-1) * gaps / (gaps.square() + guard * guard);
    const auto pulled = (saved[1] * shares.unsqueeze(-1)).sum(-2);
    return {embedding_of_product(pulled, saved[2]).to(type), {}};
  }
};

}  // namespace

torch::Tensor veronese_from_points(const torch::Tensor& points) {
  TORCH_CHECK(points.dim() >= 1 && extent(points, -1) >= 2,
              "a projective point has at least 2 components");
  return embedding_of_product(points, points);
}

torch::Tensor projective_readout(const torch::Tensor& logits, const torch::Tensor& embeddings,
                                 double temperature) {
  TORCH_CHECK(temperature > 0.0, "the temperature must be positive, not ", temperature);
  TORCH_CHECK(logits.dim() >= 1 && extent(logits, -1) == extent(embeddings, 0),
              logits.dim() < 1 ? 0 : extent(logits, -1), " logits for ", extent(embeddings, 0),
              " points");
  // Autocast would take the product to half precision, and with it the mean.
  const c10::impl::ExcludeDispatchKeyGuard no_autocast(c10::autocast_dispatch_keyset);
  const auto wide = logits.to(ops::compute_type(logits.scalar_type()));
  const auto p = torch::softmax(wide / temperature, -1);
  return torch::matmul(p, embeddings.to(p.scalar_type()));
}

torch::Tensor leading_point(const torch::Tensor& embedding, double guard) {
  TORCH_CHECK(guard > 0.0, "the guard must be positive, not ", guard);
  TORCH_CHECK(embedding.dim() >= 1, "an embedding has 3, 6, 10, ... coordinates, not none");
  if (components_of(extent(embedding, -1)) == 3) return ops::leading_line(embedding, guard);
  return PointFunction::apply(embedding, guard);
}

torch::Tensor chordal_loss(const torch::Tensor& embedding, const torch::Tensor& points) {
  const auto target = veronese_from_points(points);
  TORCH_CHECK(embedding.dim() == target.dim() && extent(embedding, -1) == extent(target, -1),
              "embeddings of ", extent(embedding, -1), " coordinates for points of ",
              extent(points, -1), " components");
  for (int64_t dim = 0; dim + 1 < embedding.dim(); ++dim)
    TORCH_CHECK(embedding.sym_size(dim) == points.sym_size(dim), "embeddings of the shape ",
                embedding.sym_sizes(), " for points of the shape ", points.sym_sizes());
  return (embedding - target).square().sum(-1).mean();
}

}  // namespace vsmax::nn
