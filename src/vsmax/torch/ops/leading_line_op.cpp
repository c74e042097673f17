// SPDX-License-Identifier: Apache-2.0
// The leading eigenvector as an operator, with the core's solver and guarded derivative (Eq. 23).
#include <ATen/Dispatch.h>
#include <ATen/Parallel.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <torch/csrc/autograd/custom_function.h>

#include "vsmax/geometry/symmetric_eigen.h"
#include "vsmax/torch/ops/op_functions.h"
#include "vsmax/torch/ops/op_kernels.h"
#include "vsmax/torch/ops/op_support.h"
#include "vsmax/torch/ops/ops.h"

namespace vsmax::ops {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

constexpr const char* kName = "vsmax::leading_line";
constexpr int64_t kGrain = 256;  // matrices a thread should have to be worth waking

template <class Value>
SymmetricEigen<3> eigen_of(const Value* embedding) {
  VeroneseVector<3> v{};
  std::copy_n(embedding, v.size(), v.begin());
  return symmetric_eigen(symmetric_from_veronese<3>(v));
}

void forward(const torch::Tensor& embedding, torch::Tensor& line) {
  AT_DISPATCH_FLOATING_TYPES(embedding.scalar_type(), kName, [&] {
    const auto* from = embedding.data_ptr<scalar_t>();
    auto* to = line.data_ptr<scalar_t>();
    at::parallel_for(0, embedding.size(0), kGrain, [&](int64_t begin, int64_t end) {
      for (int64_t b = begin; b < end; ++b) {
        const auto u = eigen_of(from + b * 6).leading();
        for (std::size_t i = 0; i < 3; ++i)
          to[static_cast<std::size_t>(b) * 3 + i] = static_cast<scalar_t>(u[i]);
      }
    });
  });
}

void backward(const torch::Tensor& grad, const torch::Tensor& embedding, double guard,
              torch::Tensor& grad_embedding) {
  AT_DISPATCH_FLOATING_TYPES(embedding.scalar_type(), kName, [&] {
    const auto* from = embedding.data_ptr<scalar_t>();
    const auto* pulls = grad.data_ptr<scalar_t>();
    auto* to = grad_embedding.data_ptr<scalar_t>();
    at::parallel_for(0, embedding.size(0), kGrain, [&](int64_t begin, int64_t end) {
      for (int64_t b = begin; b < end; ++b) {
        std::array<double, 3> pull{};
        std::copy_n(pulls + b * 3, 3, pull.begin());
        // The weights make the embedding an isometry, so its adjoint is its inverse (Eq. 5).
        const auto result = veronese_from_symmetric<3>(
            leading_eigenvector_backward(eigen_of(from + b * 6), pull, guard));
        for (std::size_t i = 0; i < 6; ++i)
          to[static_cast<std::size_t>(b) * 6 + i] = static_cast<scalar_t>(result[i]);
      }
    });
  });
}

Batch checked_batch(const torch::Tensor& embedding, double guard) {
  TORCH_CHECK(guard > 0.0, kName, ": the guard must be positive, not ", guard);
  Batch batch = as_batch(embedding, 1, kName);
  TORCH_CHECK(batch.data.size(1) == 6, kName, ": an embedding has 6 coordinates, not ",
              batch.data.size(1));
  return batch;
}

struct LineFunction : torch::autograd::Function<LineFunction> {
  static torch::Tensor forward(AutogradContext* context, const torch::Tensor& embedding,
                               double guard) {
    context->save_for_backward({embedding});
    context->saved_data["guard"] = guard;
    const at::AutoDispatchBelowADInplaceOrView below;
    return ops::leading_line(embedding, guard);
  }

  static variable_list backward(AutogradContext* context, variable_list grads) {
    require_first_order(kName);
    const at::AutoDispatchBelowADInplaceOrView below;
    return {dispatch::leading_line_backward(grads[0], context->get_saved_variables()[0],
                                            context->saved_data["guard"].toDouble()),
            {}};
  }
};

}  // namespace

const LineKernels kLineCpu{forward, backward};

namespace backend {

torch::Tensor leading_line(const torch::Tensor& embedding, double guard) {
  const Batch batch = checked_batch(embedding, guard);
  auto line = torch::empty(batch.shape({3}), batch.data.options());
  const auto& kernels = kernels_for(embedding, kLineCpu, kLineCuda);
  if (line.numel() != 0) kernels.forward(batch.data, line);
  return line;
}

torch::Tensor leading_line_backward(const torch::Tensor& grad, const torch::Tensor& embedding,
                                    double guard) {
  const Batch batch = checked_batch(embedding, guard);
  const Batch pulls = as_batch(grad.to(batch.data.scalar_type()), 1, kName);
  TORCH_CHECK(pulls.leading == batch.leading && pulls.data.size(1) == 3, kName,
              ": a gradient of shape ", grad.sizes(), " for embeddings of shape ",
              embedding.sizes());
  auto result = torch::empty_like(batch.data);
  const auto& kernels = kernels_for(embedding, kLineCpu, kLineCuda);
  if (result.numel() != 0) kernels.backward(pulls.data, batch.data, guard, result);
  return result.view(embedding.sizes()).to(embedding.scalar_type());
}

}  // namespace backend

namespace autograd {

torch::Tensor leading_line(const torch::Tensor& embedding, double guard) {
  return LineFunction::apply(embedding, guard);
}

}  // namespace autograd

}  // namespace vsmax::ops
