// SPDX-License-Identifier: Apache-2.0
// Softmax and barycentre as one operator (Eq. 15, 17, 18). The backward pass needs only the logits
// and one number per image, the logarithm of the softmax's denominator; probabilities are never
// stored.
#include <ATen/Dispatch.h>
#include <ATen/Parallel.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "vsmax/readout/veronese_soft_argmax.h"
#include "vsmax/torch/ops/operator_support.h"
#include "vsmax/torch/ops/ops.h"
#include "vsmax/torch/ops/readout_shape.h"
#ifdef VSMAX_WITH_CUDA
#include "vsmax/torch/ops/cuda_launch.h"
#include "vsmax/torch/ops/cuda_tables.h"
#endif

namespace vsmax::ops {
namespace {

constexpr const char* kReadout = "vsmax::veronese_readout";

// CPU: the core's readout

struct ReadoutOnCpu {
  static constexpr int64_t kImagesPerThread = 4;  // starting a thread takes as long as one image

  static void forward(const CellShape& shape, double temperature, const torch::Tensor& logits,
                      torch::Tensor& barycentre, torch::Tensor& log_sum) {
    const VeroneseSoftArgmax readout(shape);
    auto* sums = log_sum.data_ptr<double>();
    AT_DISPATCH_FLOATING_TYPES(logits.scalar_type(), kReadout, [&] {
      const auto* from = logits.data_ptr<scalar_t>();
      auto* to = barycentre.data_ptr<scalar_t>();
      for_each_in_batch(logits.size(0), kImagesPerThread, [&](int64_t b) {
        const auto* cells = from + static_cast<std::size_t>(b) * shape.count();
        const SoftReadout read = readout.read(Cells<const scalar_t>(cells, shape), temperature);
        sums[b] = read.log_sum;
        write_values(read.barycentre, to + b * 6);
      });
    });
  }

  static void backward(const CellShape& shape, double temperature, const torch::Tensor& grad,
                       const torch::Tensor& logits, const torch::Tensor& barycentre,
                       const torch::Tensor& log_sum, torch::Tensor& grad_logits) {
    const VeroneseSoftArgmax readout(shape);
    const auto* sums = log_sum.data_ptr<double>();
    AT_DISPATCH_FLOATING_TYPES(logits.scalar_type(), kReadout, [&] {
      const auto* from = logits.data_ptr<scalar_t>();
      const auto* means = barycentre.data_ptr<scalar_t>();
      const auto* grads = grad.data_ptr<scalar_t>();
      auto* to = grad_logits.data_ptr<scalar_t>();
      parallel_ranges(logits.size(0), kImagesPerThread, [&](int64_t begin, int64_t end) {
        std::vector<double> p(shape.count());
        for (int64_t b = begin; b < end; ++b) {
          const auto offset = static_cast<std::size_t>(b) * shape.count();
          LineEmbedding mean{};
          LineEmbedding pull{};
          std::copy_n(means + b * 6, 6, mean.begin());
          std::copy_n(grads + b * 6, 6, pull.begin());
          std::transform(from + offset, from + offset + p.size(), p.begin(), [&](scalar_t logit) {
            return std::exp(static_cast<double>(logit) / temperature - sums[b]);
          });
          readout.backward({p.data(), shape}, temperature, mean, pull);
          write_values(p, to + offset);
        }
      });
    });
  }
};

// CUDA

#ifdef VSMAX_WITH_CUDA
struct ReadoutOnCuda {
  static void forward(const CellShape& shape, double temperature, const torch::Tensor& logits,
                      torch::Tensor& barycentre, torch::Tensor& log_sum) {
    const auto& table = readout_table(shape, logits.device());
    AT_DISPATCH_FLOATING_TYPES(logits.scalar_type(), kReadout, [&] {
      launch_cuda(logits, [&](cudaStream_t stream) {
        return veronese_readout_cuda(table, temperature, logits.data_ptr<scalar_t>(),
                                     logits.size(0), barycentre.data_ptr<scalar_t>(),
                                     log_sum.data_ptr<double>(), stream);
      });
    });
  }

  static void backward(const CellShape& shape, double temperature, const torch::Tensor& grad,
                       const torch::Tensor& logits, const torch::Tensor& barycentre,
                       const torch::Tensor& log_sum, torch::Tensor& grad_logits) {
    const auto& table = readout_table(shape, logits.device());
    AT_DISPATCH_FLOATING_TYPES(logits.scalar_type(), kReadout, [&] {
      launch_cuda(logits, [&](cudaStream_t stream) {
        return veronese_readout_backward_cuda(
            table, temperature, grad.data_ptr<scalar_t>(), logits.data_ptr<scalar_t>(),
            barycentre.data_ptr<scalar_t>(), log_sum.data_ptr<double>(), logits.size(0),
            grad_logits.data_ptr<scalar_t>(), stream);
      });
    });
  }
};
#endif

using BarycentreAndLogSum = std::tuple<torch::Tensor, torch::Tensor>;

torch::Tensor new_log_sum(const torch::Tensor& logits) {
  return new_result(logits, 2, {}, kReadout, torch::kDouble);
}

template <class Device>
BarycentreAndLogSum readout_forward_on(const torch::Tensor& logits, bool double_cover,
                                       double temperature) {
  const Batch batch = as_batch(logits, 2, kReadout);
  const CellShape shape = checked_readout_shape(batch.data, double_cover, temperature, kReadout);
  auto barycentre = new_result(logits, 2, {6}, kReadout);
  auto log_sum = new_log_sum(logits);
  if (barycentre.numel() != 0) Device::forward(shape, temperature, batch.data, barycentre, log_sum);
  return {barycentre, log_sum};
}

template <class Device>
torch::Tensor readout_on(const torch::Tensor& logits, bool double_cover, double temperature) {
  return std::get<0>(readout_forward_on<Device>(logits, double_cover, temperature));
}

template <class Device>
torch::Tensor readout_backward_on(const torch::Tensor& grad, const torch::Tensor& logits,
                                  const torch::Tensor& barycentre, const torch::Tensor& log_sum,
                                  bool double_cover, double temperature) {
  const Batch batch = as_batch(logits, 2, kReadout);
  const CellShape shape = checked_readout_shape(batch.data, double_cover, temperature, kReadout);
  TORCH_CHECK(grad.sizes() == barycentre.sizes(), kReadout, ": a gradient of shape ", grad.sizes(),
              " for a barycentre of shape ", barycentre.sizes());
  auto grad_logits = new_gradient(logits, batch.data.scalar_type());
  if (grad_logits.numel() != 0)
    Device::backward(shape, temperature, grad.to(batch.data.scalar_type()).contiguous(), batch.data,
                     barycentre.contiguous(), log_sum.contiguous(), grad_logits);
  return grad_logits.to(logits.scalar_type());
}

// Meta

torch::Tensor readout_meta(const torch::Tensor& logits, bool /*double_cover*/,
                           double /*temperature*/) {
  return new_result(logits, 2, {6}, kReadout);
}

BarycentreAndLogSum readout_forward_meta(const torch::Tensor& logits, bool /*double_cover*/,
                                         double /*temperature*/) {
  return {new_result(logits, 2, {6}, kReadout), new_log_sum(logits)};
}

torch::Tensor readout_backward_meta(const torch::Tensor& /*grad*/, const torch::Tensor& logits,
                                    const torch::Tensor& /*barycentre*/,
                                    const torch::Tensor& /*log_sum*/, bool /*double_cover*/,
                                    double /*temperature*/) {
  return new_gradient(logits, logits.scalar_type());
}

// Autograd

struct ReadoutFunction : torch::autograd::Function<ReadoutFunction> {
  static torch::Tensor forward(torch::autograd::AutogradContext* context,
                               const torch::Tensor& logits, bool double_cover, double temperature) {
    static const auto op = find_operator<BarycentreAndLogSum(const torch::Tensor&, bool, double)>(
        "vsmax::veronese_readout_forward");
    const at::AutoDispatchBelowADInplaceOrView below;
    auto [barycentre, log_sum] = op.call(logits, double_cover, temperature);
    context->save_for_backward({logits, barycentre, log_sum});
    context->saved_data["double_cover"] = double_cover;
    context->saved_data["temperature"] = temperature;
    return barycentre;
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 const torch::autograd::variable_list& grads) {
    static const auto op =
        find_operator<decltype(readout_backward_meta)>("vsmax::veronese_readout_backward");
    require_first_order(kReadout);
    const auto saved = context->get_saved_variables();
    const at::AutoDispatchBelowADInplaceOrView below;
    return {op.call(grads[0], saved[0], saved[1], saved[2],
                    context->saved_data["double_cover"].toBool(),
                    context->saved_data["temperature"].toDouble()),
            {},
            {}};
  }
};

torch::Tensor readout_autograd(const torch::Tensor& logits, bool double_cover, double temperature) {
  return ReadoutFunction::apply(logits, double_cover, temperature);
}

template <class Device>
void register_readout(torch::Library& library) {
  library.impl("veronese_readout", TORCH_FN(readout_on<Device>));
  library.impl("veronese_readout_forward", TORCH_FN(readout_forward_on<Device>));
  library.impl("veronese_readout_backward", TORCH_FN(readout_backward_on<Device>));
}

}  // namespace

torch::Tensor veronese_readout(const torch::Tensor& logits, bool double_cover, double temperature) {
  static const auto op = find_operator<decltype(veronese_readout)>(kReadout);
  return op.call(logits, double_cover, temperature);
}

TORCH_LIBRARY_FRAGMENT(vsmax, library) {
  library.def("veronese_readout(Tensor logits, bool double_cover, float temperature) -> Tensor");
  library.def(
      "veronese_readout_forward(Tensor logits, bool double_cover, float temperature)"
      " -> (Tensor barycentre, Tensor log_sum)");
  library.def(
      "veronese_readout_backward(Tensor grad, Tensor logits, Tensor barycentre, Tensor log_sum,"
      " bool double_cover, float temperature) -> Tensor");
}
TORCH_LIBRARY_IMPL(vsmax, CPU, library) { register_readout<ReadoutOnCpu>(library); }
#ifdef VSMAX_WITH_CUDA
TORCH_LIBRARY_IMPL(vsmax, CUDA, library) { register_readout<ReadoutOnCuda>(library); }
#endif
TORCH_LIBRARY_IMPL(vsmax, Meta, library) {
  library.impl("veronese_readout", TORCH_FN(readout_meta));
  library.impl("veronese_readout_forward", TORCH_FN(readout_forward_meta));
  library.impl("veronese_readout_backward", TORCH_FN(readout_backward_meta));
}
TORCH_LIBRARY_IMPL(vsmax, Autograd, library) {
  library.impl("veronese_readout", TORCH_FN(readout_autograd));
}

}  // namespace vsmax::ops
