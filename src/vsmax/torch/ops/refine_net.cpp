// SPDX-License-Identifier: Apache-2.0
// The refinement network on our own CUDA kernels; compiled only with CUDA. For other devices and
// types see functions/refinement.h.
#include <ATen/core/LegacyTypeDispatch.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

#include <tuple>
#include <vector>

#include "vsmax/refine/refine_net_backward_cuda.h"
#include "vsmax/torch/ops/cuda_launch.h"
#include "vsmax/torch/ops/operator_support.h"
#include "vsmax/torch/ops/ops.h"

namespace vsmax::ops {
namespace {

constexpr const char* kRefineNet = "vsmax::refine_net";
constexpr int64_t kRefineLayers = 6;
constexpr int64_t kRefineChannels = 32;

int64_t refine_inputs(int64_t layer) { return layer == 0 ? 1 : kRefineChannels; }
int64_t refine_outputs(int64_t layer) { return layer == kRefineLayers - 1 ? 1 : kRefineChannels; }

// Checks

CellShape refine_shape(const torch::Tensor& accumulators, bool double_cover) {
  TORCH_CHECK(accumulators.dim() == 3 && accumulators.size(1) >= 1 && accumulators.size(2) >= 1,
              kRefineNet, ": needs accumulators [B, T, R], not ", accumulators.sizes());
  // The kernels count an image's packets of 16 bytes in an int.
  TORCH_CHECK(accumulators.size(1) * accumulators.size(2) < int64_t{1} << 26, kRefineNet,
              ": accumulators of ", accumulators.sizes(), " are too large");
  return {static_cast<int>(accumulators.size(1)), static_cast<int>(accumulators.size(2)),
          double_cover ? Cover::kDouble : Cover::kSingle};
}

// The parameters as the kernels take them, and the tensors that own their memory.
struct KeptParameters {
  std::vector<torch::Tensor> tensors;
  RefineParameters pointers{};

  KeptParameters(const torch::Tensor& accumulators, torch::TensorList weights,
                 torch::TensorList biases) {
    TORCH_CHECK(is_refine_net(weights, biases), kRefineNet,
                ": needs the weights of the refinement network");
    for (std::size_t l = 0; l < kRefineLayers; ++l) {
      pointers.weights[l] = keep(accumulators, weights[l]);
      pointers.biases[l] = keep(accumulators, biases[l]);
    }
  }

 private:
  const float* keep(const torch::Tensor& accumulators, const torch::Tensor& tensor) {
    TORCH_CHECK(tensor.device() == accumulators.device(), kRefineNet, ": weights on ",
                tensor.device(), " for accumulators on ", accumulators.device());
    tensors.push_back(tensor.to(torch::kFloat).contiguous());
    return tensors.back().data_ptr<float>();
  }
};

// Memory for results, also used by Meta

c10::SymInt refine_rows(const torch::Tensor& accumulators, bool double_cover) {
  return accumulators.sym_size(1) * (double_cover ? 2 : 1);
}
torch::Tensor new_logits(const torch::Tensor& accumulators, bool double_cover) {
  return new_result(accumulators, 2,
                    {refine_rows(accumulators, double_cover), accumulators.sym_size(2)}, kRefineNet,
                    torch::kFloat);
}
torch::Tensor new_maps(const torch::Tensor& accumulators, bool double_cover) {
  return torch::empty_symint(
      {kRefineLayers - 1, accumulators.sym_size(0), refine_rows(accumulators, double_cover),
       accumulators.sym_size(2), kRefineChannels},
      accumulators.options().dtype(torch::kBFloat16));
}
torch::Tensor new_packed(const torch::Tensor& accumulators) {
  return torch::empty({static_cast<int64_t>(refine_packed_bytes() / sizeof(int32_t))},
                      accumulators.options().dtype(torch::kInt));
}
torch::Tensor new_parameter_gradients(const torch::Tensor& accumulators) {
  return torch::empty({kRefineParameters}, accumulators.options().dtype(torch::kFloat));
}
// Empty unless it is wanted.
torch::Tensor new_accumulator_gradients(const torch::Tensor& accumulators, bool wanted) {
  return wanted ? new_gradient(accumulators, torch::kFloat)
                : torch::empty({0}, accumulators.options().dtype(torch::kFloat));
}

torch::Tensor new_bytes(const torch::Tensor& like, std::size_t bytes) {
  return torch::empty({static_cast<int64_t>(bytes)}, like.options().dtype(torch::kByte));
}

// CUDA

torch::Tensor refine_net_on_cuda(const torch::Tensor& accumulators, torch::TensorList weights,
                                 torch::TensorList biases, bool double_cover, double scale) {
  const CellShape shape = refine_shape(accumulators, double_cover);
  const KeptParameters parameters(accumulators, weights, biases);
  auto logits = new_logits(accumulators, double_cover);
  if (logits.numel() == 0) return logits;
  const auto input = accumulators.to(torch::kFloat).contiguous();
  const auto packed = new_packed(accumulators);
  const int64_t batch = input.size(0);
  const auto scratch = new_bytes(
      accumulators, refine_net_cuda_scratch_bytes(RefinePrecision::kBfloat16, shape, batch));
  launch_cuda(input, [&](cudaStream_t stream) {
    if (const auto status =
            pack_refine_weights_cuda(parameters.pointers, packed.data_ptr(), stream);
        status != cudaSuccess)
      return status;
    return refine_net_cuda(RefinePrecision::kBfloat16,
                           PackedRefineWeights(packed.data_ptr()).forward, shape,
                           input.data_ptr<float>(), static_cast<float>(scale), batch,
                           scratch.data_ptr(), logits.data_ptr<float>(), stream);
  });
  return logits;
}

// Logits, maps and packed weights.
using RefineForward = std::tuple<torch::Tensor, torch::Tensor, torch::Tensor>;

RefineForward refine_net_forward_on_cuda(const torch::Tensor& accumulators,
                                         torch::TensorList weights, torch::TensorList biases,
                                         bool double_cover, double scale) {
  const CellShape shape = refine_shape(accumulators, double_cover);
  const KeptParameters parameters(accumulators, weights, biases);
  auto logits = new_logits(accumulators, double_cover);
  auto maps = new_maps(accumulators, double_cover);
  auto packed = new_packed(accumulators);
  const auto input = accumulators.to(torch::kFloat).contiguous();
  launch_cuda(input, [&](cudaStream_t stream) {
    if (const auto status =
            pack_refine_weights_cuda(parameters.pointers, packed.data_ptr(), stream);
        status != cudaSuccess || logits.numel() == 0)
      return status;
    return refine_net_with_maps_cuda(PackedRefineWeights(packed.data_ptr()).forward, shape,
                                     input.data_ptr<float>(), static_cast<float>(scale),
                                     input.size(0), maps.data_ptr(), logits.data_ptr<float>(),
                                     stream);
  });
  return {logits, maps, packed};
}

// The gradients for all parameters, in one vector, and for the accumulators.
using RefineGradients = std::tuple<torch::Tensor, torch::Tensor>;

RefineGradients refine_net_backward_on_cuda(const torch::Tensor& grad,
                                            const torch::Tensor& accumulators,
                                            const torch::Tensor& maps, const torch::Tensor& packed,
                                            bool double_cover, double scale,
                                            bool want_accumulators) {
  const CellShape shape = refine_shape(accumulators, double_cover);
  TORCH_CHECK(grad.dim() == 3 && grad.size(0) == accumulators.size(0) &&
                  grad.size(1) == shape.rows() && grad.size(2) == accumulators.size(2),
              kRefineNet, ": a gradient of shape ", grad.sizes(), " for accumulators of shape ",
              accumulators.sizes());
  const int64_t batch = accumulators.size(0);
  TORCH_CHECK(maps.is_contiguous() && maps.nbytes() == refine_net_maps_bytes(shape, batch) &&
                  packed.is_contiguous() && packed.nbytes() == refine_packed_bytes(),
              kRefineNet, ": maps and weights are not those of the forward pass");
  auto grad_parameters = new_parameter_gradients(accumulators);
  auto grad_accumulators = new_accumulator_gradients(accumulators, want_accumulators);
  if (batch == 0) return {grad_parameters.zero_(), grad_accumulators};
  const auto input = accumulators.to(torch::kFloat).contiguous();
  const auto pull = grad.to(torch::kFloat).contiguous();
  launch_cuda(input, [&](cudaStream_t stream) {
    const auto scratch = new_bytes(accumulators, refine_net_backward_scratch_bytes(shape, batch));
    return refine_net_backward_cuda(
        PackedRefineWeights(packed.data_ptr()), shape, input.data_ptr<float>(),
        static_cast<float>(scale), batch, maps.data_ptr(), pull.data_ptr<float>(),
        scratch.data_ptr(), grad_parameters.data_ptr<float>(),
        want_accumulators ? grad_accumulators.data_ptr<float>() : nullptr, stream);
  });
  return {grad_parameters, grad_accumulators};
}

// Meta

torch::Tensor refine_net_meta(const torch::Tensor& accumulators, torch::TensorList /*weights*/,
                              torch::TensorList /*biases*/, bool double_cover, double /*scale*/) {
  return new_logits(accumulators, double_cover);
}

RefineForward refine_net_forward_meta(const torch::Tensor& accumulators,
                                      torch::TensorList /*weights*/, torch::TensorList /*biases*/,
                                      bool double_cover, double /*scale*/) {
  return {new_logits(accumulators, double_cover), new_maps(accumulators, double_cover),
          new_packed(accumulators)};
}

RefineGradients refine_net_backward_meta(const torch::Tensor& /*grad*/,
                                         const torch::Tensor& accumulators,
                                         const torch::Tensor& /*maps*/,
                                         const torch::Tensor& /*packed*/, bool /*double_cover*/,
                                         double /*scale*/, bool want_accumulators) {
  return {new_parameter_gradients(accumulators),
          new_accumulator_gradients(accumulators, want_accumulators)};
}

// Autograd

struct RefineNetFunction : torch::autograd::Function<RefineNetFunction> {
  static torch::Tensor forward(torch::autograd::AutogradContext* context,
                               const torch::Tensor& accumulators, torch::TensorList weights,
                               torch::TensorList biases, bool double_cover, double scale) {
    static const auto op =
        find_operator<decltype(refine_net_forward_meta)>("vsmax::refine_net_forward");
    context->saved_data["double_cover"] = double_cover;
    context->saved_data["scale"] = scale;
    // In the order in which backward() returns the gradients.
    std::vector<int64_t> types;
    for (const auto& parameters : {weights, biases})
      for (const auto& parameter : parameters)
        types.push_back(static_cast<int64_t>(parameter.scalar_type()));
    context->saved_data["types"] = types;
    const at::AutoDispatchBelowADInplaceOrView below;
    auto [logits, maps, packed] = op.call(accumulators, weights, biases, double_cover, scale);
    context->save_for_backward({accumulators, maps, packed});
    return logits;
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 const torch::autograd::variable_list& grads) {
    static const auto op =
        find_operator<decltype(refine_net_backward_meta)>("vsmax::refine_net_backward");
    require_first_order(kRefineNet);
    const auto saved = context->get_saved_variables();
    const bool want_accumulators = context->needs_input_grad(0);
    const at::AutoDispatchBelowADInplaceOrView below;
    const auto [parameters, accumulators] = op.call(
        grads[0], saved[0], saved[1], saved[2], context->saved_data["double_cover"].toBool(),
        context->saved_data["scale"].toDouble(), want_accumulators);
    const auto types = context->saved_data["types"].toIntVector();
    torch::autograd::variable_list results;
    results.push_back(want_accumulators ? accumulators.to(saved[0].scalar_type())
                                        : torch::Tensor());
    const auto add = [&](int64_t at, torch::IntArrayRef shape) {
      const auto type = static_cast<torch::ScalarType>(types[results.size() - 1]);
      results.push_back(
          parameters.narrow(0, at, c10::multiply_integers(shape)).view(shape).to(type));
    };
    for (int l = 0; l < kRefineLayers; ++l)
      add(refine_weights_at(l), {refine_outputs(l), refine_inputs(l), 3, 3});
    for (int l = 0; l < kRefineLayers; ++l) add(refine_biases_at(l), {refine_outputs(l)});
    results.resize(results.size() + 2);  // none for cover and scale
    return results;
  }
};

torch::Tensor refine_net_autograd(const torch::Tensor& accumulators, torch::TensorList weights,
                                  torch::TensorList biases, bool double_cover, double scale) {
  bool needed = accumulators.requires_grad();
  for (const auto& parameters : {weights, biases})
    for (const auto& parameter : parameters) needed = needed || parameter.requires_grad();
  if (needed && at::GradMode::is_enabled())
    return RefineNetFunction::apply(accumulators, weights, biases, double_cover, scale);
  const at::AutoDispatchBelowADInplaceOrView below;  // no maps to keep
  return refine_net(accumulators, weights, biases, double_cover, scale);
}

}  // namespace

bool is_refine_net(torch::TensorList weights, torch::TensorList biases) {
  if (weights.size() != kRefineLayers || biases.size() != kRefineLayers) return false;
  for (int64_t l = 0; l < kRefineLayers; ++l) {
    const auto i = static_cast<std::size_t>(l);
    if (weights[i].sizes() != torch::IntArrayRef({refine_outputs(l), refine_inputs(l), 3, 3}) ||
        biases[i].sizes() != torch::IntArrayRef({refine_outputs(l)}))
      return false;
  }
  return true;
}

torch::Tensor refine_net(const torch::Tensor& accumulators, torch::TensorList weights,
                         torch::TensorList biases, bool double_cover, double scale) {
  static const auto op = find_operator<decltype(refine_net)>(kRefineNet);
  return op.call(accumulators, weights, biases, double_cover, scale);
}

TORCH_LIBRARY_FRAGMENT(vsmax, library) {
  library.def(
      "refine_net(Tensor accumulators, Tensor[] weights, Tensor[] biases, bool double_cover,"
      " float scale) -> Tensor");
  library.def(
      "refine_net_forward(Tensor accumulators, Tensor[] weights, Tensor[] biases,"
      " bool double_cover, float scale) -> (Tensor logits, Tensor maps, Tensor packed)");
  library.def(
      "refine_net_backward(Tensor grad, Tensor accumulators, Tensor maps, Tensor packed,"
      " bool double_cover, float scale, bool want_accumulators)"
      " -> (Tensor grad_parameters, Tensor grad_accumulators)");
}
TORCH_LIBRARY_IMPL(vsmax, CUDA, library) {
  library.impl("refine_net", TORCH_FN(refine_net_on_cuda));
  library.impl("refine_net_forward", TORCH_FN(refine_net_forward_on_cuda));
  library.impl("refine_net_backward", TORCH_FN(refine_net_backward_on_cuda));
}
TORCH_LIBRARY_IMPL(vsmax, Meta, library) {
  library.impl("refine_net", TORCH_FN(refine_net_meta));
  library.impl("refine_net_forward", TORCH_FN(refine_net_forward_meta));
  library.impl("refine_net_backward", TORCH_FN(refine_net_backward_meta));
}
TORCH_LIBRARY_IMPL(vsmax, Autograd, library) {
  library.impl("refine_net", TORCH_FN(refine_net_autograd));
}

}  // namespace vsmax::ops
