// SPDX-License-Identifier: Apache-2.0
// Softmax and barycentre as one operator (Eq. 15, 17, 18). Kept for the way back: the logits and
// one number an image, the logarithm of the softmax's denominator; probabilities are never stored.
#include <ATen/Dispatch.h>
#include <ATen/Parallel.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "vsmax/readout/veronese_soft_argmax.h"
#include "vsmax/torch/ops/op_functions.h"
#include "vsmax/torch/ops/op_kernels.h"
#include "vsmax/torch/ops/op_support.h"

namespace vsmax::ops {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

constexpr const char* kName = "vsmax::veronese_readout";

ReadoutShape checked_shape(const torch::Tensor& logits, bool double_cover, double temperature) {
  const int64_t rows = logits.size(1);
  const int64_t rhos = logits.size(2);
  constexpr int64_t kMost = 1 << 15;
  TORCH_CHECK(temperature > 0.0, kName, ": the temperature must be positive, not ", temperature);
  TORCH_CHECK(rows >= 1 && rows <= kMost && (!double_cover || rows % 2 == 0), kName, ": ", rows,
              " rows of theta", double_cover ? " are not two covers" : "");
  TORCH_CHECK(rhos >= 3 && rhos <= kMost && rhos % 2 == 1, kName,
              ": the number of offsets R must be odd and at least 3, not ", rhos);
  return {static_cast<int>(double_cover ? rows / 2 : rows), static_cast<int>(rhos),
          double_cover ? Cover::kDouble : Cover::kSingle};
}

// theta and rho / D of the cells do not depend on the image's size.
VeroneseSoftArgmax tables(const ReadoutShape& shape) {
  return {HoughGrid({2, 2}, shape.thetas, shape.rhos), shape.cover};
}

template <class Value>
void probabilities(const Value* logits, double temperature, double log_sum,
                   std::vector<double>& result) {
  for (std::size_t i = 0; i < result.size(); ++i)
    result[i] = std::exp(static_cast<double>(logits[i]) / temperature - log_sum);
}

void forward(const ReadoutShape& shape, double temperature, const torch::Tensor& logits,
             torch::Tensor& barycentre, torch::Tensor& log_sum) {
  const VeroneseSoftArgmax readout = tables(shape);
  auto* sums = log_sum.data_ptr<double>();
  AT_DISPATCH_FLOATING_TYPES(logits.scalar_type(), kName, [&] {
    const auto* from = logits.data_ptr<scalar_t>();
    auto* to = barycentre.data_ptr<scalar_t>();
    at::parallel_for(0, logits.size(0), 1, [&](int64_t begin, int64_t end) {
      for (int64_t b = begin; b < end; ++b) {
        const auto offset = static_cast<std::size_t>(b) * readout.cells();
        const SoftReadout read = readout.read<scalar_t>(from + offset, temperature, nullptr);
        sums[b] = read.log_sum;
        std::transform(read.barycentre.begin(), read.barycentre.end(), to + b * 6,
                       [](double x) { return static_cast<scalar_t>(x); });
      }
    });
  });
}

void backward(const ReadoutShape& shape, double temperature, const torch::Tensor& grad,
              const torch::Tensor& logits, const torch::Tensor& barycentre,
              const torch::Tensor& log_sum, torch::Tensor& grad_logits) {
  const VeroneseSoftArgmax readout = tables(shape);
  const auto* sums = log_sum.data_ptr<double>();
  AT_DISPATCH_FLOATING_TYPES(logits.scalar_type(), kName, [&] {
    const auto* from = logits.data_ptr<scalar_t>();
    const auto* means = barycentre.data_ptr<scalar_t>();
    const auto* grads = grad.data_ptr<scalar_t>();
    auto* to = grad_logits.data_ptr<scalar_t>();
    at::parallel_for(0, logits.size(0), 1, [&](int64_t begin, int64_t end) {
      std::vector<double> p(readout.cells());
      for (int64_t b = begin; b < end; ++b) {
        const auto offset = static_cast<std::size_t>(b) * readout.cells();
        LineEmbedding mean{};
        LineEmbedding pull{};
        std::copy_n(means + b * 6, 6, mean.begin());
        std::copy_n(grads + b * 6, 6, pull.begin());
        probabilities(from + offset, temperature, sums[b], p);
        readout.backward(p.data(), temperature, mean, pull, p.data());
        std::transform(p.begin(), p.end(), to + offset,
                       [](double x) { return static_cast<scalar_t>(x); });
      }
    });
  });
}

struct ReadoutFunction : torch::autograd::Function<ReadoutFunction> {
  static torch::Tensor forward(AutogradContext* context, const torch::Tensor& logits,
                               bool double_cover, double temperature) {
    const at::AutoDispatchBelowADInplaceOrView below;
    auto [barycentre, log_sum] =
        dispatch::veronese_readout_forward(logits, double_cover, temperature);
    context->save_for_backward({logits, barycentre, log_sum});
    context->saved_data["double_cover"] = double_cover;
    context->saved_data["temperature"] = temperature;
    return barycentre;
  }

  static variable_list backward(AutogradContext* context, variable_list grads) {
    require_first_order(kName);
    const auto saved = context->get_saved_variables();
    const at::AutoDispatchBelowADInplaceOrView below;
    return {dispatch::veronese_readout_backward(grads[0], saved[0], saved[1], saved[2],
                                                context->saved_data["double_cover"].toBool(),
                                                context->saved_data["temperature"].toDouble()),
            {},
            {}};
  }
};

}  // namespace

const ReadoutKernels kReadoutCpu{forward, backward};

namespace backend {

std::tuple<torch::Tensor, torch::Tensor> veronese_readout_forward(const torch::Tensor& logits,
                                                                  bool double_cover,
                                                                  double temperature) {
  const Batch batch = as_batch(logits, 2, kName);
  const ReadoutShape shape = checked_shape(batch.data, double_cover, temperature);
  auto barycentre = torch::empty(batch.shape({6}), batch.data.options());
  auto log_sum = torch::empty(batch.leading, batch.data.options().dtype(torch::kDouble));
  const auto& kernels = kernels_for(logits, kReadoutCpu, kReadoutCuda);
  if (barycentre.numel() != 0) kernels.forward(shape, temperature, batch.data, barycentre, log_sum);
  return {barycentre, log_sum};
}

torch::Tensor veronese_readout(const torch::Tensor& logits, bool double_cover, double temperature) {
  return std::get<0>(veronese_readout_forward(logits, double_cover, temperature));
}

torch::Tensor veronese_readout_backward(const torch::Tensor& grad, const torch::Tensor& logits,
                                        const torch::Tensor& barycentre,
                                        const torch::Tensor& log_sum, bool double_cover,
                                        double temperature) {
  const Batch batch = as_batch(logits, 2, kName);
  const ReadoutShape shape = checked_shape(batch.data, double_cover, temperature);
  TORCH_CHECK(grad.sizes() == barycentre.sizes(), kName, ": a gradient of shape ", grad.sizes(),
              " for a barycentre of shape ", barycentre.sizes());
  auto grad_logits = torch::empty_like(batch.data);
  const auto& kernels = kernels_for(logits, kReadoutCpu, kReadoutCuda);
  if (grad_logits.numel() != 0)
    kernels.backward(shape, temperature, grad.to(batch.data.scalar_type()).contiguous(), batch.data,
                     barycentre.contiguous(), log_sum.contiguous(), grad_logits);
  return grad_logits.view(logits.sizes()).to(logits.scalar_type());
}

}  // namespace backend

namespace autograd {

torch::Tensor veronese_readout(const torch::Tensor& logits, bool double_cover, double temperature) {
  return ReadoutFunction::apply(logits, double_cover, temperature);
}

}  // namespace autograd

}  // namespace vsmax::ops
