// SPDX-License-Identifier: Apache-2.0
// Bias, ReLU and the rows past the seam as one operator. On the CPU a plane of plain NCHW memory at
// a time; on CUDA channels-last, as the convolutions like it there.
#include <ATen/Dispatch.h>
#include <ATen/Parallel.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>

#include "vsmax/torch/ops/op_functions.h"
#include "vsmax/torch/ops/op_kernels.h"
#include "vsmax/torch/ops/op_support.h"
#include "vsmax/torch/ops/ops.h"

namespace vsmax::ops {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

constexpr const char* kName = "vsmax::seam_relu";

torch::MemoryFormat layout_of(const torch::Tensor& tensor) {
  return tensor.is_cuda() ? torch::MemoryFormat::ChannelsLast : torch::MemoryFormat::Contiguous;
}

void forward(const torch::Tensor& input, const torch::Tensor& bias, bool moebius,
             torch::Tensor& output) {
  const int64_t channels = input.size(1);
  const int64_t rows = input.size(2);
  const int64_t rhos = input.size(3);
  AT_DISPATCH_FLOATING_TYPES(input.scalar_type(), kName, [&] {
    const auto* from = input.data_ptr<scalar_t>();
    const auto* biases = bias.data_ptr<scalar_t>();
    auto* to = output.data_ptr<scalar_t>();
    at::parallel_for(0, input.size(0) * channels, 1, [&](int64_t begin, int64_t end) {
      for (int64_t plane = begin; plane < end; ++plane) {
        const scalar_t add = biases[plane % channels];
        const scalar_t* source = from + plane * rows * rhos;
        scalar_t* first = to + plane * (rows + 2) * rhos;
        scalar_t* body = first + rhos;
        scalar_t* past = body + rows * rhos;
        std::transform(source, source + rows * rhos, body,
                       [add](scalar_t x) { return std::max(x + add, scalar_t{0}); });
        const auto wrap = [&](const scalar_t* row, scalar_t* copy) {
          if (moebius)
            std::reverse_copy(row, row + rhos, copy);
          else
            std::copy(row, row + rhos, copy);
        };
        wrap(past - rhos, first);
        wrap(body, past);
      }
    });
  });
}

void backward(const torch::Tensor& grad, const torch::Tensor& output, bool moebius,
              torch::Tensor& grad_input, torch::Tensor& grad_bias) {
  const int64_t channels = grad_input.size(1);
  const int64_t rows = grad_input.size(2);
  const int64_t rhos = grad_input.size(3);
  auto sums = torch::empty({grad_input.size(0), channels}, grad_bias.options());
  AT_DISPATCH_FLOATING_TYPES(grad.scalar_type(), kName, [&] {
    const auto* pulls = grad.data_ptr<scalar_t>();
    const auto* values = output.data_ptr<scalar_t>();
    auto* to = grad_input.data_ptr<scalar_t>();
    auto* plane_sums = sums.data_ptr<scalar_t>();
    at::parallel_for(0, grad_input.size(0) * channels, 1, [&](int64_t begin, int64_t end) {
      for (int64_t plane = begin; plane < end; ++plane) {
        const scalar_t* pull = pulls + plane * (rows + 2) * rhos;
        const scalar_t* value = values + plane * (rows + 2) * rhos + rhos;
        scalar_t* result = to + plane * rows * rhos;
        std::copy(pull + rhos, pull + (rows + 1) * rhos, result);
        const auto fold = [&](const scalar_t* row, scalar_t* target) {
          for (int64_t r = 0; r < rhos; ++r) target[r] += row[moebius ? rhos - 1 - r : r];
        };
        fold(pull, result + (rows - 1) * rhos);
        fold(pull + (rows + 1) * rhos, result);
        double sum = 0.0;
        for (int64_t i = 0; i < rows * rhos; ++i) {
          if (!(value[i] > 0)) result[i] = 0;
          sum += static_cast<double>(result[i]);
        }
        plane_sums[plane] = static_cast<scalar_t>(sum);
      }
    });
  });
  torch::sum_out(grad_bias, sums, 0);
}

struct SeamFunction : torch::autograd::Function<SeamFunction> {
  static torch::Tensor forward(AutogradContext* context, const torch::Tensor& input,
                               const torch::Tensor& bias, bool moebius) {
    context->saved_data["moebius"] = moebius;
    context->saved_data["bias_type"] = static_cast<int64_t>(bias.scalar_type());
    const at::AutoDispatchBelowADInplaceOrView below;
    auto output = ops::seam_relu(input, bias, moebius);
    context->save_for_backward({output});
    return output;
  }

  static variable_list backward(AutogradContext* context, variable_list grads) {
    require_first_order(kName);
    const at::AutoDispatchBelowADInplaceOrView below;
    auto [grad_input, grad_bias] = dispatch::seam_relu_backward(
        grads[0], context->get_saved_variables()[0], context->saved_data["moebius"].toBool());
    const auto type = static_cast<torch::ScalarType>(context->saved_data["bias_type"].toInt());
    return {grad_input, grad_bias.to(type), {}};
  }
};

// The type the kernels compute in: bfloat16 where they are memory-bound, on CUDA.
torch::ScalarType kernel_type(const torch::Tensor& tensor) {
  TORCH_CHECK(tensor.is_floating_point(), kName, ": needs floating-point values, not ",
              tensor.scalar_type());
  const bool narrow = tensor.scalar_type() == torch::kBFloat16 && tensor.is_cuda();
  return narrow ? torch::kBFloat16 : compute_type(tensor.scalar_type());
}

}  // namespace

const SeamKernels kSeamCpu{forward, backward};

namespace backend {

torch::Tensor seam_relu(const torch::Tensor& input, const torch::Tensor& bias, bool moebius) {
  TORCH_CHECK(input.dim() == 4 && input.size(2) >= 1 && input.size(3) >= 1, kName,
              ": needs the shape [B, C, T, R], not ", input.sizes());
  TORCH_CHECK(bias.dim() == 1 && bias.size(0) == input.size(1), kName, ": a bias of shape ",
              bias.sizes(), " for ", input.size(1), " channels");
  const auto type = kernel_type(input);
  auto output = torch::empty({input.size(0), input.size(1), input.size(2) + 2, input.size(3)},
                             input.options().dtype(type), layout_of(input));
  const auto& kernels = kernels_for(input, kSeamCpu, kSeamCuda);
  if (output.numel() != 0)
    kernels.forward(input.to(type).contiguous(layout_of(input)),
                    bias.to(compute_type(type)).contiguous(), moebius, output);
  return output.to(input.scalar_type());
}

std::tuple<torch::Tensor, torch::Tensor> seam_relu_backward(const torch::Tensor& grad,
                                                            const torch::Tensor& output,
                                                            bool moebius) {
  TORCH_CHECK(grad.sizes() == output.sizes() && grad.scalar_type() == output.scalar_type(), kName,
              ": a gradient of shape ", grad.sizes(), " for an output of shape ", output.sizes());
  const auto type = kernel_type(grad);
  auto grad_input = torch::empty({grad.size(0), grad.size(1), grad.size(2) - 2, grad.size(3)},
                                 grad.options().dtype(type), layout_of(grad));
  auto grad_bias = torch::zeros({grad.size(1)}, grad.options().dtype(compute_type(type)));
  const auto& kernels = kernels_for(grad, kSeamCpu, kSeamCuda);
  if (grad_input.numel() != 0)
    kernels.backward(grad.to(type).contiguous(layout_of(grad)),
                     output.to(type).contiguous(layout_of(grad)), moebius, grad_input, grad_bias);
  return {grad_input.to(grad.scalar_type()), grad_bias};
}

}  // namespace backend

namespace autograd {

torch::Tensor seam_relu(const torch::Tensor& input, const torch::Tensor& bias, bool moebius) {
  return SeamFunction::apply(input, bias, moebius);
}

}  // namespace autograd

}  // namespace vsmax::ops
