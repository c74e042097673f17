// SPDX-License-Identifier: Apache-2.0
#include "vsmax/torch/models/max_pool.h"

#include <torch/types.h>
#ifdef VSMAX_WITH_CUDA
#include <torch/csrc/autograd/custom_function.h>

#include <type_traits>

#include "vsmax/conv/max_pool_cuda.h"
#include "vsmax/torch/ops/cuda_launch.h"
#endif

namespace vsmax {
namespace {

#ifdef VSMAX_WITH_CUDA

constexpr auto kLayout = torch::MemoryFormat::ChannelsLast;

PoolShape shape_of(torch::IntArrayRef sizes) {
  return {sizes[0], static_cast<int>(sizes[2]), static_cast<int>(sizes[3]),
          static_cast<int>(sizes[1])};
}

// torch's bfloat16 and CUDA's are the same 16 bits under two names.
template <class Value>
Value* pointer(const torch::Tensor& tensor) {
  return static_cast<Value*>(tensor.data_ptr());
}

// Calls body with a value of the type that the kernels know the tensor's numbers by.
template <class Body>
void with_type_of(const torch::Tensor& tensor, const Body& body) {
  if (tensor.scalar_type() == torch::kBFloat16)
    body(__nv_bfloat16());
  else
    body(float());
}

struct MaxPool : torch::autograd::Function<MaxPool> {
  static torch::Tensor forward(torch::autograd::AutogradContext* context, const torch::Tensor& x) {
    const auto input = x.contiguous(kLayout);
    const PoolShape shape = shape_of(x.sizes());
    auto output = torch::empty({x.size(0), x.size(1), shape.pooled_rows(), shape.pooled_columns()},
                               x.options(), kLayout);
    const auto places = torch::empty_like(output, x.options().dtype(torch::kUInt8));
    with_type_of(input, [&](auto value) {
      using Value = decltype(value);
      ops::launch_cuda(input, [&](cudaStream_t stream) {
        return max_pool_cuda(shape, pointer<Value>(input), pointer<Value>(output),
                             pointer<std::uint8_t>(places), stream);
      });
    });
    context->save_for_backward({places});
    context->saved_data["sizes"] = x.sizes();
    return output;
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 const torch::autograd::variable_list& grads) {
    const auto grad = grads[0].contiguous(kLayout);
    const auto places = context->get_saved_variables()[0];
    const auto sizes = context->saved_data["sizes"].toIntVector();
    auto grad_input = torch::empty(sizes, grad.options(), kLayout);
    with_type_of(grad, [&](auto value) {
      using Value = decltype(value);
      ops::launch_cuda(grad, [&](cudaStream_t stream) {
        return max_pool_backward_cuda(shape_of(sizes), pointer<Value>(grad),
                                      pointer<std::uint8_t>(places), pointer<Value>(grad_input),
                                      stream);
      });
    });
    return {grad_input};
  }
};

#endif

}  // namespace

torch::Tensor max_pool(const torch::Tensor& x) {
#ifdef VSMAX_WITH_CUDA
  const auto type = x.scalar_type();
  if (x.is_cuda() && (type == torch::kBFloat16 || type == torch::kFloat)) return MaxPool::apply(x);
#endif
  // On contiguous memory, because on CUDA torch's backward pass on channels-last memory adds up in
  // no fixed order.
  return torch::max_pool2d(x.contiguous(), 3, 2, 1).contiguous(x.suggest_memory_format());
}

}  // namespace vsmax
