// SPDX-License-Identifier: Apache-2.0
// How far a distribution is concentrated on a line, as an operator: the confidence of a prediction
// without the probabilities ever being stored or leaving the device.
#include "vsmax/readout/concentration.h"

#include <ATen/Dispatch.h>
#include <torch/library.h>

#include "vsmax/torch/ops/operator_support.h"
#include "vsmax/torch/ops/ops.h"
#include "vsmax/torch/ops/readout_shape.h"
#ifdef VSMAX_WITH_CUDA
#include "vsmax/readout/concentration_cuda.h"
#include "vsmax/torch/ops/cuda_launch.h"
#endif

namespace vsmax::ops {
namespace {

constexpr const char* kConcentration = "vsmax::concentration";

// The distributions of a batch and their lines: contiguous, and of one type except log_sum, which
// is double.
struct Distributions {
  torch::Tensor logits, log_sum, barycentre, lines;
};

// CPU

struct ConcentrationOnCpu {
  static void run(const CellShape& shape, double temperature, const Distributions& all,
                  torch::Tensor& result) {
    AT_DISPATCH_FLOATING_TYPES(all.logits.scalar_type(), kConcentration, [&] {
      const auto* logits = all.logits.data_ptr<scalar_t>();
      const auto* log_sums = all.log_sum.data_ptr<double>();
      const auto* means = all.barycentre.data_ptr<scalar_t>();
      const auto* lines = all.lines.data_ptr<scalar_t>();
      auto* to = result.data_ptr<scalar_t>();
      constexpr int64_t kImagesPerThread = 64;
      for_each_in_batch(all.logits.size(0), kImagesPerThread, [&](int64_t b) {
        const UnitLine line{static_cast<double>(lines[2 * b]),
                            static_cast<double>(lines[2 * b + 1])};
        to[b] = static_cast<scalar_t>(
            softmax_concentration(shape, logits + static_cast<std::size_t>(b) * shape.count(),
                                  temperature, log_sums[b], means + 6 * b, line));
      });
    });
  }
};

// CUDA

#ifdef VSMAX_WITH_CUDA
struct ConcentrationOnCuda {
  static void run(const CellShape& shape, double temperature, const Distributions& all,
                  torch::Tensor& result) {
    AT_DISPATCH_FLOATING_TYPES(all.logits.scalar_type(), kConcentration, [&] {
      launch_cuda(all.logits, [&](cudaStream_t stream) {
        return concentration_cuda(
            shape, temperature, all.logits.data_ptr<scalar_t>(), all.log_sum.data_ptr<double>(),
            all.barycentre.data_ptr<scalar_t>(), all.lines.data_ptr<scalar_t>(), all.logits.size(0),
            result.data_ptr<scalar_t>(), stream);
      });
    });
  }
};
#endif

template <class Device>
torch::Tensor concentration_on(const torch::Tensor& logits, const torch::Tensor& log_sum,
                               const torch::Tensor& barycentre, const torch::Tensor& lines,
                               bool double_cover, double temperature) {
  const Batch batch = as_batch(logits, 2, kConcentration);
  const CellShape shape =
      checked_readout_shape(batch.data, double_cover, temperature, kConcentration);
  const auto type = batch.data.scalar_type();
  const Batch means = as_batch(barycentre.to(type), 1, kConcentration);
  const Batch polar = as_batch(lines.to(type), 1, kConcentration);
  TORCH_CHECK(log_sum.sizes() == batch.leading && means.leading == batch.leading &&
                  means.data.size(1) == 6 && polar.leading == batch.leading &&
                  polar.data.size(1) == 2,
              kConcentration, ": logits of shape ", logits.sizes(), " with log_sum of shape ",
              log_sum.sizes(), ", barycentres of shape ", barycentre.sizes(),
              " and lines of shape ", lines.sizes());
  auto result = new_result(logits, 2, {}, kConcentration);
  if (result.numel() != 0)
    Device::run(shape, temperature,
                {batch.data, log_sum.to(torch::kDouble).contiguous(), means.data, polar.data},
                result);
  return result;
}

// Meta

torch::Tensor concentration_meta(const torch::Tensor& logits, const torch::Tensor& /*log_sum*/,
                                 const torch::Tensor& /*barycentre*/,
                                 const torch::Tensor& /*lines*/, bool /*double_cover*/,
                                 double /*temperature*/) {
  return new_result(logits, 2, {}, kConcentration);
}

}  // namespace

torch::Tensor concentration(const torch::Tensor& logits, const torch::Tensor& log_sum,
                            const torch::Tensor& barycentre, const torch::Tensor& lines,
                            bool double_cover, double temperature) {
  static const auto op = find_operator<decltype(concentration)>(kConcentration);
  return op.call(logits, log_sum, barycentre, lines, double_cover, temperature);
}

TORCH_LIBRARY_FRAGMENT(vsmax, library) {
  library.def(
      "concentration(Tensor logits, Tensor log_sum, Tensor barycentre, Tensor lines,"
      " bool double_cover, float temperature) -> Tensor");
}
TORCH_LIBRARY_IMPL(vsmax, CPU, library) {
  library.impl("concentration", TORCH_FN(concentration_on<ConcentrationOnCpu>));
}
#ifdef VSMAX_WITH_CUDA
TORCH_LIBRARY_IMPL(vsmax, CUDA, library) {
  library.impl("concentration", TORCH_FN(concentration_on<ConcentrationOnCuda>));
}
#endif
TORCH_LIBRARY_IMPL(vsmax, Meta, library) {
  library.impl("concentration", TORCH_FN(concentration_meta));
}

}  // namespace vsmax::ops
