// SPDX-License-Identifier: Apache-2.0
// Bias, ReLU and the rows past the seam as one operator. Feature maps keep their layout. The CUDA
// kernels work on channels-last memory, which cuDNN's convolutions prefer, and keep bfloat16; maps
// in another layout are copied.
#include <ATen/Dispatch.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

#include <type_traits>

#include "vsmax/torch/ops/operator_support.h"
#include "vsmax/torch/ops/ops.h"
#ifdef VSMAX_WITH_CUDA
#include "vsmax/refine/seam_relu_cuda.h"
#include "vsmax/torch/ops/cuda_launch.h"
#endif

namespace vsmax::ops {
namespace {

constexpr const char* kSeamRelu = "vsmax::seam_relu";

// Checks

void check_features(const torch::Tensor& input, const torch::Tensor& bias) {
  TORCH_CHECK(input.dim() == 4 && input.size(2) >= 1 && input.size(3) >= 1, kSeamRelu,
              ": needs the shape [B, C, T, R], not ", input.sizes());
  TORCH_CHECK(bias.dim() == 1 && bias.size(0) == input.size(1), kSeamRelu, ": a bias of shape ",
              bias.sizes(), " for ", input.size(1), " channels");
  TORCH_CHECK(bias.device() == input.device(), kSeamRelu, ": a bias on ", bias.device(),
              " for an input on ", input.device());
}

// CPU: torch's own operators, because the convolutions around them take nearly all of the time

struct SeamOnCpu {
  static torch::ScalarType kernel_type(torch::ScalarType type) { return compute_type(type); }

  static void forward(const torch::Tensor& input, const torch::Tensor& bias, bool moebius,
                      torch::Tensor& output) {
    const auto body = torch::relu(input + bias.view({-1, 1, 1}));
    const auto edge = moebius ? body.flip({3}) : body;
    torch::cat_out(output, {edge.narrow(2, input.size(2) - 1, 1), body, edge.narrow(2, 0, 1)}, 2);
  }

  static void backward(const torch::Tensor& grad, const torch::Tensor& output, bool moebius,
                       torch::Tensor& grad_input, torch::Tensor& grad_bias) {
    const int64_t rows = grad_input.size(2);
    const auto edge = moebius ? grad.flip({3}) : grad;
    grad_input.copy_(grad.narrow(2, 1, rows));
    grad_input.narrow(2, rows - 1, 1).add_(edge.narrow(2, 0, 1));
    grad_input.narrow(2, 0, 1).add_(edge.narrow(2, rows + 1, 1));
    grad_input.masked_fill_((output.narrow(2, 1, rows) > 0).logical_not(), 0);
    torch::sum_out(grad_bias, grad_input, {0, 2, 3});
  }
};

// CUDA

#ifdef VSMAX_WITH_CUDA
// torch's bfloat16 and CUDA's are the same 16 bits under two names.
template <class Value>
auto* cuda_pointer(const torch::Tensor& tensor) {
  using CudaValue = std::conditional_t<std::is_same_v<Value, c10::BFloat16>, __nv_bfloat16, Value>;
  return reinterpret_cast<CudaValue*>(tensor.data_ptr<Value>());
}

struct SeamOnCuda {
  static constexpr auto kLayout = torch::MemoryFormat::ChannelsLast;

  // Fills the features by kernel(memory), through a channels-last copy if their layout differs.
  template <class Kernel>
  static void fill_features(torch::Tensor& features, const Kernel& kernel) {
    if (features.is_contiguous(kLayout)) return kernel(features);
    const auto memory = torch::empty_like(features, features.options(), kLayout);
    kernel(memory);
    features.copy_(memory);
  }

  // The kernels are memory-bound, so they keep bfloat16.
  static torch::ScalarType kernel_type(torch::ScalarType type) {
    return type == torch::kBFloat16 ? type : compute_type(type);
  }

  static SeamShape shape_of(const torch::Tensor& unpadded, bool moebius) {
    TORCH_CHECK(unpadded.size(1) <= 256, kSeamRelu,
                ": on CUDA there may be at most 256 channels, not ", unpadded.size(1));
    return {unpadded.size(0), static_cast<int>(unpadded.size(1)),
            static_cast<int>(unpadded.size(2)), static_cast<int>(unpadded.size(3)), moebius};
  }

  static void forward(const torch::Tensor& input, const torch::Tensor& bias, bool moebius,
                      torch::Tensor& output) {
    const SeamShape shape = shape_of(input, moebius);
    const auto from = input.contiguous(kLayout);
    fill_features(output, [&](const torch::Tensor& to) {
      AT_DISPATCH_FLOATING_TYPES_AND(torch::kBFloat16, from.scalar_type(), kSeamRelu, [&] {
        using Sum = std::conditional_t<std::is_same_v<scalar_t, double>, double, float>;
        launch_cuda(from, [&](cudaStream_t stream) {
          return seam_relu_cuda(shape, cuda_pointer<scalar_t>(from), bias.data_ptr<Sum>(),
                                cuda_pointer<scalar_t>(to), stream);
        });
      });
    });
  }

  static void backward(const torch::Tensor& grad, const torch::Tensor& output, bool moebius,
                       torch::Tensor& grad_input, torch::Tensor& grad_bias) {
    const SeamShape shape = shape_of(grad_input, moebius);
    const auto partial =
        torch::empty({seam_relu_partial_sums(shape), shape.channels}, grad_bias.options());
    const auto pull = grad.contiguous(kLayout);
    const auto value = output.contiguous(kLayout);
    fill_features(grad_input, [&](const torch::Tensor& to) {
      AT_DISPATCH_FLOATING_TYPES_AND(torch::kBFloat16, pull.scalar_type(), kSeamRelu, [&] {
        using Sum = std::conditional_t<std::is_same_v<scalar_t, double>, double, float>;
        launch_cuda(pull, [&](cudaStream_t stream) {
          return seam_relu_backward_cuda(shape, cuda_pointer<scalar_t>(pull),
                                         cuda_pointer<scalar_t>(value), cuda_pointer<scalar_t>(to),
                                         grad_bias.data_ptr<Sum>(), partial.data_ptr<Sum>(),
                                         stream);
        });
      });
    });
  }
};
#endif

using InputAndBias = std::tuple<torch::Tensor, torch::Tensor>;

template <class Device>
torch::Tensor seam_relu_on(const torch::Tensor& input, const torch::Tensor& bias, bool moebius) {
  check_features(input, bias);
  require_values(input, 4, kSeamRelu);
  const auto type = Device::kernel_type(input.scalar_type());
  auto output = new_features(input, 2, type);
  if (output.numel() != 0)
    Device::forward(input.to(type), bias.to(compute_type(type)).contiguous(), moebius, output);
  return output.to(input.scalar_type());
}

template <class Device>
InputAndBias seam_relu_backward_on(const torch::Tensor& grad, const torch::Tensor& output,
                                   bool moebius) {
  TORCH_CHECK(grad.sizes() == output.sizes() && grad.scalar_type() == output.scalar_type(),
              kSeamRelu, ": a gradient of shape ", grad.sizes(), " for an output of shape ",
              output.sizes());
  require_values(grad, 4, kSeamRelu);
  const auto type = Device::kernel_type(grad.scalar_type());
  auto grad_input = new_features(output, -2, type);
  auto grad_bias = torch::zeros({grad.size(1)}, grad.options().dtype(compute_type(type)));
  if (grad_input.numel() != 0)
    Device::backward(grad.to(type), output.to(type), moebius, grad_input, grad_bias);
  return {grad_input.to(grad.scalar_type()), grad_bias};
}

// Meta

torch::Tensor seam_relu_meta(const torch::Tensor& input, const torch::Tensor& /*bias*/,
                             bool /*moebius*/) {
  TORCH_CHECK(input.dim() == 4, kSeamRelu, ": needs the shape [B, C, T, R], not ", input.dim(),
              " dimensions");
  return new_features(input, 2, input.scalar_type());
}

InputAndBias seam_relu_backward_meta(const torch::Tensor& grad, const torch::Tensor& output,
                                     bool /*moebius*/) {
  return {new_features(output, -2, grad.scalar_type()),
          torch::empty_symint({grad.sym_size(1)},
                              grad.options().dtype(compute_type(grad.scalar_type())))};
}

// Autograd

struct SeamFunction : torch::autograd::Function<SeamFunction> {
  static torch::Tensor forward(torch::autograd::AutogradContext* context,
                               const torch::Tensor& input, const torch::Tensor& bias,
                               bool moebius) {
    context->saved_data["moebius"] = moebius;
    context->saved_data["bias_type"] = static_cast<int64_t>(bias.scalar_type());
    const at::AutoDispatchBelowADInplaceOrView below;
    auto output = seam_relu(input, bias, moebius);
    context->save_for_backward({output});
    return output;
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 const torch::autograd::variable_list& grads) {
    static const auto op =
        find_operator<decltype(seam_relu_backward_meta)>("vsmax::seam_relu_backward");
    require_first_order(kSeamRelu);
    const at::AutoDispatchBelowADInplaceOrView below;
    auto [grad_input, grad_bias] = op.call(grads[0], context->get_saved_variables()[0],
                                           context->saved_data["moebius"].toBool());
    const auto type = static_cast<torch::ScalarType>(context->saved_data["bias_type"].toInt());
    return {grad_input, grad_bias.to(type), {}};
  }
};

torch::Tensor seam_relu_autograd(const torch::Tensor& input, const torch::Tensor& bias,
                                 bool moebius) {
  return SeamFunction::apply(input, bias, moebius);
}

}  // namespace

torch::Tensor seam_relu(const torch::Tensor& input, const torch::Tensor& bias, bool moebius) {
  static const auto op = find_operator<decltype(seam_relu)>(kSeamRelu);
  return op.call(input, bias, moebius);
}

TORCH_LIBRARY_FRAGMENT(vsmax, library) {
  library.def("seam_relu(Tensor input, Tensor bias, bool moebius) -> Tensor");
  library.def(
      "seam_relu_backward(Tensor grad, Tensor output, bool moebius)"
      " -> (Tensor grad_input, Tensor grad_bias)");
}
TORCH_LIBRARY_IMPL(vsmax, CPU, library) {
  library.impl("seam_relu", TORCH_FN(seam_relu_on<SeamOnCpu>));
  library.impl("seam_relu_backward", TORCH_FN(seam_relu_backward_on<SeamOnCpu>));
}
#ifdef VSMAX_WITH_CUDA
TORCH_LIBRARY_IMPL(vsmax, CUDA, library) {
  library.impl("seam_relu", TORCH_FN(seam_relu_on<SeamOnCuda>));
  library.impl("seam_relu_backward", TORCH_FN(seam_relu_backward_on<SeamOnCuda>));
}
#endif
TORCH_LIBRARY_IMPL(vsmax, Meta, library) {
  library.impl("seam_relu", TORCH_FN(seam_relu_meta));
  library.impl("seam_relu_backward", TORCH_FN(seam_relu_backward_meta));
}
TORCH_LIBRARY_IMPL(vsmax, Autograd, library) {
  library.impl("seam_relu", TORCH_FN(seam_relu_autograd));
}

}  // namespace vsmax::ops
