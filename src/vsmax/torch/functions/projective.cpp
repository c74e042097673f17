// SPDX-License-Identifier: Apache-2.0
#include "vsmax/torch/functions/projective.h"

#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

#include <numbers>
#include <vector>

#include "vsmax/torch/functions/checks.h"
#include "vsmax/torch/ops/operator_support.h"
#include "vsmax/torch/ops/ops.h"

namespace vsmax::nn {
namespace {

constexpr double kInverseRoot2 = std::numbers::sqrt2 / 2.0;

// The number of components M of a point whose embedding has M (M + 1) / 2 coordinates.
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
      const auto product = entries[next++] * kInverseRoot2;
      rows[static_cast<std::size_t>(i * size + j)] = product;
      rows[static_cast<std::size_t>(j * size + i)] = product;
    }
  }
  auto shape = embedding.sym_sizes().vec();
  shape.back() = size;
  shape.emplace_back(size);
  return torch::stack(rows, -1).reshape_symint(shape);
}

// W vech of the symmetric part of a b': a, b [..., M] -> [..., d].
torch::Tensor embedding_of_product(const torch::Tensor& a, const torch::Tensor& b) {
  const auto left = a.unbind(-1);
  const auto right = b.unbind(-1);
  std::vector<torch::Tensor> entries;
  for (std::size_t i = 0; i < left.size(); ++i) entries.push_back(left[i] * right[i]);
  for (std::size_t i = 0; i < left.size(); ++i)
    for (std::size_t j = i + 1; j < left.size(); ++j)
      entries.push_back((left[i] * right[j] + left[j] * right[i]) * kInverseRoot2);
  return torch::stack(entries, -1);
}

// torch's eigensolver with the guarded derivative of leading_line, the operator for n = 2.
struct PointFunction : torch::autograd::Function<PointFunction> {
  static torch::Tensor forward(torch::autograd::AutogradContext* context,
                               const torch::Tensor& embedding, double guard) {
    const auto wide = embedding.to(ops::compute_type(embedding.scalar_type()));
    const auto [values, columns] = torch::linalg_eigh(symmetric_from_embedding(wide));
    const auto vectors = columns.transpose(-1, -2);  // rows, by ascending eigenvalue
    const auto last = vectors.select(-2, -1);
    const auto largest = last.gather(-1, last.abs().argmax(-1, true));
    auto point = torch::where(largest < 0, -last, last);
    context->save_for_backward({values, vectors, point});
    context->saved_data["guard"] = guard;
    context->saved_data["type"] = static_cast<int64_t>(embedding.scalar_type());
    return point;
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 const torch::autograd::variable_list& grads) {
    ops::require_first_order("vsmax::leading_point");
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
  require_positive_temperature(temperature);
  TORCH_CHECK(logits.dim() >= 1 && extent(logits, -1) == extent(embeddings, 0),
              logits.dim() < 1 ? 0 : extent(logits, -1), " logits for ", extent(embeddings, 0),
              " points");
  // Autocast would compute the product, and so the mean, in half precision.
  const c10::impl::ExcludeDispatchKeyGuard no_autocast(c10::autocast_dispatch_keyset);
  const auto wide = logits.to(ops::compute_type(logits.scalar_type()));
  const auto p = torch::softmax(wide / temperature, -1);
  return torch::matmul(p, embeddings.to(p.scalar_type()));
}

torch::Tensor leading_point(const torch::Tensor& embedding, double guard) {
  TORCH_CHECK(guard > 0.0, "the guard must be positive, not ", guard);
  TORCH_CHECK(embedding.dim() >= 1, "an embedding has 3, 6, 10, ... coordinates, not 0");
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

TORCH_LIBRARY_FRAGMENT(vsmax, library) {
  library.def("veronese_from_points(Tensor points) -> Tensor", TORCH_FN(veronese_from_points));
  library.def("projective_readout(Tensor logits, Tensor embeddings, float temperature) -> Tensor",
              TORCH_FN(projective_readout));
  library.def("leading_point(Tensor embedding, float guard) -> Tensor", TORCH_FN(leading_point));
  library.def("chordal_loss(Tensor embedding, Tensor points) -> Tensor", TORCH_FN(chordal_loss));
}

}  // namespace vsmax::nn
