// SPDX-License-Identifier: Apache-2.0
// The Hough transform and its adjoint as operators: each is the other's derivative, so they can be
// differentiated any number of times.
#include <ATen/core/LegacyTypeDispatch.h>
#include <torch/csrc/autograd/custom_function.h>

#include "vsmax/base/error.h"
#include "vsmax/torch/ops/op_functions.h"
#include "vsmax/torch/ops/op_kernels.h"
#include "vsmax/torch/ops/op_support.h"
#include "vsmax/torch/ops/ops.h"

namespace vsmax::ops {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

int as_extent(int64_t value, const char* what, const char* op) {
  TORCH_CHECK(value >= 0 && value <= INT32_MAX, op, ": ", what, " is ", value);
  return static_cast<int>(value);
}

HoughGrid make_grid(int64_t width, int64_t height, int64_t thetas, int64_t rhos, const char* op) {
  try {
    return {{as_extent(width, "the width", op), as_extent(height, "the height", op)},
            as_extent(thetas, "the number of angles T", op),
            as_extent(rhos, "the number of offsets R", op)};
  } catch (const Error& error) {
    TORCH_CHECK(false, op, ": ", error.what());
  }
}

// 0 for a dimension that is not there: the kernel will say so.
c10::SymInt extent(const torch::Tensor& tensor, int64_t dim) {
  return tensor.dim() < -dim ? c10::SymInt(0) : tensor.sym_size(dim);
}

struct HoughFunction : torch::autograd::Function<HoughFunction> {
  static torch::Tensor forward(AutogradContext* context, const torch::Tensor& images,
                               c10::SymInt thetas, c10::SymInt rhos) {
    context->saved_data["width"] = extent(images, -1);
    context->saved_data["height"] = extent(images, -2);
    context->saved_data["type"] = static_cast<int64_t>(images.scalar_type());
    const at::AutoDispatchBelowADInplaceOrView below;
    return dispatch::hough(images, thetas, rhos);
  }

  static variable_list backward(AutogradContext* context, variable_list grads) {
    const auto type = static_cast<torch::ScalarType>(context->saved_data["type"].toInt());
    return {dispatch::hough_adjoint(grads[0], context->saved_data["width"].toSymInt(),
                                    context->saved_data["height"].toSymInt())
                .to(type),
            {},
            {}};
  }
};

struct HoughAdjointFunction : torch::autograd::Function<HoughAdjointFunction> {
  static torch::Tensor forward(AutogradContext* context, const torch::Tensor& accumulators,
                               c10::SymInt width, c10::SymInt height) {
    context->saved_data["thetas"] = extent(accumulators, -2);
    context->saved_data["rhos"] = extent(accumulators, -1);
    context->saved_data["type"] = static_cast<int64_t>(accumulators.scalar_type());
    const at::AutoDispatchBelowADInplaceOrView below;
    return dispatch::hough_adjoint(accumulators, width, height);
  }

  static variable_list backward(AutogradContext* context, variable_list grads) {
    const auto type = static_cast<torch::ScalarType>(context->saved_data["type"].toInt());
    return {dispatch::hough(grads[0], context->saved_data["thetas"].toSymInt(),
                            context->saved_data["rhos"].toSymInt())
                .to(type),
            {},
            {}};
  }
};

}  // namespace

namespace backend {

torch::Tensor hough(const torch::Tensor& images, int64_t thetas, int64_t rhos) {
  const Batch batch = as_batch(images, 2, "vsmax::hough");
  const HoughGrid grid =
      make_grid(batch.data.size(2), batch.data.size(1), thetas, rhos, "vsmax::hough");
  auto accumulators = torch::empty(batch.shape({thetas, rhos}), batch.data.options());
  const auto& kernels = kernels_for(images, kHoughCpu, kHoughCuda);
  if (accumulators.numel() == 0) return accumulators;
  kernels.forward(grid, batch.data, accumulators);
  return accumulators;
}

torch::Tensor hough_adjoint(const torch::Tensor& accumulators, int64_t width, int64_t height) {
  const Batch batch = as_batch(accumulators, 2, "vsmax::hough_adjoint");
  const HoughGrid grid =
      make_grid(width, height, batch.data.size(1), batch.data.size(2), "vsmax::hough_adjoint");
  auto images = torch::empty(batch.shape({height, width}), batch.data.options());
  const auto& kernels = kernels_for(accumulators, kHoughCpu, kHoughCuda);
  if (images.numel() == 0) return images;
  kernels.adjoint(grid, batch.data, images);
  return images;
}

}  // namespace backend

namespace autograd {

torch::Tensor hough(const torch::Tensor& images, c10::SymInt thetas, c10::SymInt rhos) {
  return HoughFunction::apply(images, thetas, rhos);
}

torch::Tensor hough_adjoint(const torch::Tensor& accumulators, c10::SymInt width,
                            c10::SymInt height) {
  return HoughAdjointFunction::apply(accumulators, width, height);
}

}  // namespace autograd

}  // namespace vsmax::ops
