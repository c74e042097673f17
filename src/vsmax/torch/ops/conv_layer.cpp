// SPDX-License-Identifier: Apache-2.0
// A layer of the networks on the core's kernels, for training on the CPU. Feature maps are
// channels-last; maps in another layout are copied. Each thread takes whole images.
#include <ATen/core/LegacyTypeDispatch.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

#include <vector>

#include "vsmax/base/aligned_floats.h"
#include "vsmax/conv/trained_layer.h"
#include "vsmax/torch/ops/operator_support.h"
#include "vsmax/torch/ops/ops.h"

namespace vsmax::ops {
namespace {

constexpr const char* kConvLayer = "vsmax::conv_layer";
constexpr auto kLayout = torch::MemoryFormat::ChannelsLast;

using Gradients = std::tuple<torch::Tensor, torch::Tensor, torch::Tensor>;

// Feature maps with the extents of `like` but their own number of channels.
torch::Tensor new_maps(const torch::Tensor& like, c10::SymInt channels) {
  return torch::empty_symint(
      {like.sym_size(0), std::move(channels), like.sym_size(2), like.sym_size(3)},
      like.options().dtype(torch::kFloat), kLayout);
}

void check_arguments(const torch::Tensor& maps, const torch::Tensor& weight,
                     const torch::Tensor& bias, int64_t cover) {
  TORCH_CHECK(maps.dim() == 4 && maps.size(2) >= 1 && maps.size(3) >= 1, kConvLayer,
              ": needs feature maps [B, C, H, W], not ", maps.sizes());
  TORCH_CHECK(is_conv_layer(weight) && weight.size(1) == maps.size(1), kConvLayer,
              ": weights of shape ", weight.sizes(), " for ", maps.size(1),
              " channels; it takes [32, C, 3, 3] up to C = 32, and [1, 32, 3, 3]");
  TORCH_CHECK(bias.dim() == 1 && bias.size(0) == weight.size(0), kConvLayer, ": a bias of shape ",
              bias.sizes(), " for ", weight.size(0), " outputs");
  for (const auto& tensor : {maps, weight, bias})
    TORCH_CHECK(tensor.scalar_type() == torch::kFloat, kConvLayer, ": needs float32, not ",
                tensor.scalar_type());
  TORCH_CHECK(cover >= 0 && cover <= 2, kConvLayer,
              ": cover is 0 (an image), 1 (single) or 2 (double), not ", cover);
}

TrainedLayer trained_layer(const torch::Tensor& weight, const torch::Tensor& bias) {
  const auto values = [](const torch::Tensor& tensor) {
    const auto memory = tensor.contiguous();
    const auto* from = memory.data_ptr<float>();
    return std::vector<float>(from, from + memory.numel());
  };
  return TrainedLayer({static_cast<std::size_t>(weight.size(1)),
                       static_cast<std::size_t>(weight.size(0)), values(weight), values(bias)});
}

FeatureShape shape_of(const torch::Tensor& maps, int64_t cover) {
  FeatureShape shape{
      static_cast<std::size_t>(maps.size(2)), static_cast<std::size_t>(maps.size(3)), {}};
  if (cover > 0) shape.cover = cover == 1 ? Cover::kSingle : Cover::kDouble;
  return shape;
}

// Calls body(image, workspace) for all images.
template <class Body>
void for_each_image(int64_t images, std::size_t workspace_size, const Body& body) {
  parallel_ranges(images, 1, [&](int64_t begin, int64_t end) {
    AlignedFloats workspace(workspace_size);
    for (int64_t image = begin; image < end; ++image) body(image, workspace.data());
  });
}

float* image_of(const torch::Tensor& batch, int64_t image) {
  return batch.data_ptr<float>() + image * batch.stride(0);
}

// CPU

torch::Tensor conv_layer_cpu(const torch::Tensor& maps, const torch::Tensor& weight,
                             const torch::Tensor& bias, int64_t cover) {
  check_arguments(maps, weight, bias, cover);
  const TrainedLayer layer = trained_layer(weight, bias);
  const FeatureShape shape = shape_of(maps, cover);
  const auto input = maps.contiguous(kLayout);
  auto output = new_maps(maps, weight.size(0));
  for_each_image(maps.size(0), layer.workspace_size(shape), [&](int64_t image, float* workspace) {
    layer.forward(shape, image_of(input, image), image_of(output, image), workspace);
  });
  return output;
}

Gradients conv_layer_backward_cpu(const torch::Tensor& grad, const torch::Tensor& maps,
                                  const torch::Tensor& output, const torch::Tensor& weight,
                                  int64_t cover, bool for_maps) {
  const auto bias = torch::zeros({weight.size(0)}, weight.options());
  check_arguments(maps, weight, bias, cover);
  TORCH_CHECK(grad.sizes() == output.sizes(), kConvLayer, ": a gradient of shape ", grad.sizes(),
              " for an output of shape ", output.sizes());
  const TrainedLayer layer = trained_layer(weight, bias);
  const FeatureShape shape = shape_of(maps, cover);
  const auto input = maps.contiguous(kLayout);
  const auto result = output.contiguous(kLayout);
  const auto pull = grad.to(torch::kFloat).contiguous(kLayout);
  auto grad_maps = for_maps ? new_maps(maps, maps.size(1)) : torch::empty({0}, maps.options());
  const auto count = static_cast<int64_t>(layer.sum_count());
  const auto sums = torch::empty({maps.size(0), count}, maps.options());
  for_each_image(maps.size(0), layer.workspace_size(shape), [&](int64_t image, float* workspace) {
    layer.backward(shape, image_of(input, image), image_of(result, image), image_of(pull, image),
                   for_maps ? image_of(grad_maps, image) : nullptr, image_of(sums, image),
                   workspace);
  });
  auto grad_weight = torch::empty_symint(weight.sym_sizes(), weight.options());
  auto grad_bias = torch::empty({weight.size(0)}, weight.options());
  layer.add_up(sums.data_ptr<float>(), static_cast<std::size_t>(maps.size(0)),
               grad_weight.data_ptr<float>(), grad_bias.data_ptr<float>());
  return {grad_maps, grad_weight, grad_bias};
}

// Meta

torch::Tensor conv_layer_meta(const torch::Tensor& maps, const torch::Tensor& weight,
                              const torch::Tensor& /*bias*/, int64_t /*cover*/) {
  TORCH_CHECK(maps.dim() == 4, kConvLayer, ": needs feature maps [B, C, H, W], not ", maps.dim(),
              " dimensions");
  return new_maps(maps, weight.sym_size(0));
}

Gradients conv_layer_backward_meta(const torch::Tensor& /*grad*/, const torch::Tensor& maps,
                                   const torch::Tensor& /*output*/, const torch::Tensor& weight,
                                   int64_t /*cover*/, bool for_maps) {
  return {for_maps ? new_maps(maps, maps.sym_size(1)) : torch::empty({0}, maps.options()),
          torch::empty_symint(weight.sym_sizes(), weight.options()),
          torch::empty_symint({weight.sym_size(0)}, weight.options())};
}

// Autograd

struct ConvLayerFunction : torch::autograd::Function<ConvLayerFunction> {
  static torch::Tensor forward(torch::autograd::AutogradContext* context, const torch::Tensor& maps,
                               const torch::Tensor& weight, const torch::Tensor& bias,
                               int64_t cover) {
    context->saved_data["cover"] = cover;
    const at::AutoDispatchBelowADInplaceOrView below;
    auto output = conv_layer(maps, weight, bias, cover);
    context->save_for_backward({maps, weight, output});
    return output;
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 const torch::autograd::variable_list& grads) {
    static const auto op =
        find_operator<decltype(conv_layer_backward_meta)>("vsmax::conv_layer_backward");
    require_first_order(kConvLayer);
    const auto saved = context->get_saved_variables();
    const bool for_maps = context->needs_input_grad(0);
    const at::AutoDispatchBelowADInplaceOrView below;
    auto [grad_maps, grad_weight, grad_bias] = op.call(
        grads[0], saved[0], saved[2], saved[1], context->saved_data["cover"].toInt(), for_maps);
    return {for_maps ? grad_maps : torch::Tensor(), grad_weight, grad_bias, {}};
  }
};

torch::Tensor conv_layer_autograd(const torch::Tensor& maps, const torch::Tensor& weight,
                                  const torch::Tensor& bias, int64_t cover) {
  return ConvLayerFunction::apply(maps, weight, bias, cover);
}

}  // namespace

bool is_conv_layer(const torch::Tensor& weight) {
  if (weight.dim() != 4) return false;
  // Under torch.compile the extents become constants of the trace.
  const auto extent = [&](int64_t dim) {
    return static_cast<std::size_t>(weight.sym_size(dim).guard_int(__FILE__, __LINE__));
  };
  return extent(2) == 3 && extent(3) == 3 && TrainedLayer::supports(extent(1), extent(0));
}

torch::Tensor conv_layer(const torch::Tensor& maps, const torch::Tensor& weight,
                         const torch::Tensor& bias, int64_t cover) {
  static const auto op = find_operator<decltype(conv_layer)>(kConvLayer);
  return op.call(maps, weight, bias, cover);
}

TORCH_LIBRARY_FRAGMENT(vsmax, library) {
  library.def("conv_layer(Tensor maps, Tensor weight, Tensor bias, int cover) -> Tensor");
  library.def(
      "conv_layer_backward(Tensor grad, Tensor maps, Tensor output, Tensor weight, int cover,"
      " bool for_maps) -> (Tensor grad_maps, Tensor grad_weight, Tensor grad_bias)");
}
TORCH_LIBRARY_IMPL(vsmax, CPU, library) {
  library.impl("conv_layer", TORCH_FN(conv_layer_cpu));
  library.impl("conv_layer_backward", TORCH_FN(conv_layer_backward_cpu));
}
TORCH_LIBRARY_IMPL(vsmax, Meta, library) {
  library.impl("conv_layer", TORCH_FN(conv_layer_meta));
  library.impl("conv_layer_backward", TORCH_FN(conv_layer_backward_meta));
}
TORCH_LIBRARY_IMPL(vsmax, Autograd, library) {
  library.impl("conv_layer", TORCH_FN(conv_layer_autograd));
}

}  // namespace vsmax::ops
