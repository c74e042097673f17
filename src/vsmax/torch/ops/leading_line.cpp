// SPDX-License-Identifier: Apache-2.0
// The leading eigenvector as an operator, with the core's solver and guarded derivative (Eq. 23).
#include <ATen/Dispatch.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

#include <algorithm>
#include <array>

#include "vsmax/geometry/embedded_line.h"
#include "vsmax/torch/ops/operator_support.h"
#include "vsmax/torch/ops/ops.h"
#ifdef VSMAX_WITH_CUDA
#include "vsmax/geometry/leading_line_cuda.h"
#include "vsmax/torch/ops/cuda_launch.h"
#endif

namespace vsmax::ops {
namespace {

constexpr const char* kLeadingLine = "vsmax::leading_line";

// Checks

Batch checked_embeddings(const torch::Tensor& embedding, double guard) {
  TORCH_CHECK(guard > 0.0, kLeadingLine, ": the guard must be positive, not ", guard);
  Batch batch = as_batch(embedding, 1, kLeadingLine);
  TORCH_CHECK(batch.data.size(1) == 6, kLeadingLine, ": an embedding has 6 coordinates, not ",
              batch.data.size(1));
  return batch;
}

// CPU

constexpr int64_t kMatricesPerThread = 256;  // fewer are not worth starting a thread

template <class Value>
SymmetricEigen<3> eigen_of(const Value* embedding) {
  LineEmbedding v{};
  std::copy_n(embedding, v.size(), v.begin());
  return symmetric_eigen(symmetric_from_veronese<3>(v));
}

struct LineOnCpu {
  static void forward(const torch::Tensor& embedding, torch::Tensor& line) {
    AT_DISPATCH_FLOATING_TYPES(embedding.scalar_type(), kLeadingLine, [&] {
      const auto* from = embedding.data_ptr<scalar_t>();
      auto* to = line.data_ptr<scalar_t>();
      for_each_in_batch(embedding.size(0), kMatricesPerThread, [&](int64_t b) {
        write_values(eigen_of(from + b * 6).leading(), to + b * 3);
      });
    });
  }

  static void backward(const torch::Tensor& grad, const torch::Tensor& embedding, double guard,
                       torch::Tensor& grad_embedding) {
    AT_DISPATCH_FLOATING_TYPES(embedding.scalar_type(), kLeadingLine, [&] {
      const auto* from = embedding.data_ptr<scalar_t>();
      const auto* pulls = grad.data_ptr<scalar_t>();
      auto* to = grad_embedding.data_ptr<scalar_t>();
      for_each_in_batch(embedding.size(0), kMatricesPerThread, [&](int64_t b) {
        std::array<double, 3> pull{};
        std::copy_n(pulls + b * 3, 3, pull.begin());
        // The weights make the embedding an isometry, so its adjoint is its inverse (Eq. 5).
        write_values(veronese_from_symmetric<3>(
                         leading_eigenvector_backward(eigen_of(from + b * 6), pull, guard)),
                     to + b * 6);
      });
    });
  }
};

// CUDA

#ifdef VSMAX_WITH_CUDA
struct LineOnCuda {
  static void forward(const torch::Tensor& embedding, torch::Tensor& line) {
    AT_DISPATCH_FLOATING_TYPES(embedding.scalar_type(), kLeadingLine, [&] {
      launch_cuda(embedding, [&](cudaStream_t stream) {
        return leading_line_cuda(embedding.data_ptr<scalar_t>(), embedding.size(0),
                                 line.data_ptr<scalar_t>(), stream);
      });
    });
  }

  static void backward(const torch::Tensor& grad, const torch::Tensor& embedding, double guard,
                       torch::Tensor& grad_embedding) {
    AT_DISPATCH_FLOATING_TYPES(embedding.scalar_type(), kLeadingLine, [&] {
      launch_cuda(embedding, [&](cudaStream_t stream) {
        return leading_line_backward_cuda(grad.data_ptr<scalar_t>(), embedding.data_ptr<scalar_t>(),
                                          guard, embedding.size(0),
                                          grad_embedding.data_ptr<scalar_t>(), stream);
      });
    });
  }
};
#endif

template <class Device>
torch::Tensor leading_line_on(const torch::Tensor& embedding, double guard) {
  const Batch batch = checked_embeddings(embedding, guard);
  auto line = new_result(embedding, 1, {3}, kLeadingLine);
  if (line.numel() != 0) Device::forward(batch.data, line);
  return line;
}

template <class Device>
torch::Tensor leading_line_backward_on(const torch::Tensor& grad, const torch::Tensor& embedding,
                                       double guard) {
  const Batch batch = checked_embeddings(embedding, guard);
  const Batch pulls = as_batch(grad.to(batch.data.scalar_type()), 1, kLeadingLine);
  TORCH_CHECK(pulls.leading == batch.leading && pulls.data.size(1) == 3, kLeadingLine,
              ": a gradient of shape ", grad.sizes(), " for embeddings of shape ",
              embedding.sizes());
  auto result = new_gradient(embedding, batch.data.scalar_type());
  if (result.numel() != 0) Device::backward(pulls.data, batch.data, guard, result);
  return result.to(embedding.scalar_type());
}

// Meta

torch::Tensor leading_line_meta(const torch::Tensor& embedding, double /*guard*/) {
  return new_result(embedding, 1, {3}, kLeadingLine);
}

torch::Tensor leading_line_backward_meta(const torch::Tensor& /*grad*/,
                                         const torch::Tensor& embedding, double /*guard*/) {
  return new_gradient(embedding, embedding.scalar_type());
}

// Autograd

struct LineFunction : torch::autograd::Function<LineFunction> {
  static torch::Tensor forward(torch::autograd::AutogradContext* context,
                               const torch::Tensor& embedding, double guard) {
    context->save_for_backward({embedding});
    context->saved_data["guard"] = guard;
    const at::AutoDispatchBelowADInplaceOrView below;
    return leading_line(embedding, guard);
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 const torch::autograd::variable_list& grads) {
    static const auto op =
        find_operator<decltype(leading_line_backward_meta)>("vsmax::leading_line_backward");
    require_first_order(kLeadingLine);
    const at::AutoDispatchBelowADInplaceOrView below;
    return {op.call(grads[0], context->get_saved_variables()[0],
                    context->saved_data["guard"].toDouble()),
            {}};
  }
};

torch::Tensor leading_line_autograd(const torch::Tensor& embedding, double guard) {
  return LineFunction::apply(embedding, guard);
}

}  // namespace

torch::Tensor leading_line(const torch::Tensor& embedding, double guard) {
  static const auto op = find_operator<decltype(leading_line)>(kLeadingLine);
  return op.call(embedding, guard);
}

TORCH_LIBRARY_FRAGMENT(vsmax, library) {
  library.def("leading_line(Tensor embedding, float guard) -> Tensor");
  library.def("leading_line_backward(Tensor grad, Tensor embedding, float guard) -> Tensor");
}
TORCH_LIBRARY_IMPL(vsmax, CPU, library) {
  library.impl("leading_line", TORCH_FN(leading_line_on<LineOnCpu>));
  library.impl("leading_line_backward", TORCH_FN(leading_line_backward_on<LineOnCpu>));
}
#ifdef VSMAX_WITH_CUDA
TORCH_LIBRARY_IMPL(vsmax, CUDA, library) {
  library.impl("leading_line", TORCH_FN(leading_line_on<LineOnCuda>));
  library.impl("leading_line_backward", TORCH_FN(leading_line_backward_on<LineOnCuda>));
}
#endif
TORCH_LIBRARY_IMPL(vsmax, Meta, library) {
  library.impl("leading_line", TORCH_FN(leading_line_meta));
  library.impl("leading_line_backward", TORCH_FN(leading_line_backward_meta));
}
TORCH_LIBRARY_IMPL(vsmax, Autograd, library) {
  library.impl("leading_line", TORCH_FN(leading_line_autograd));
}

}  // namespace vsmax::ops
