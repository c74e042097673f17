// SPDX-License-Identifier: Apache-2.0
#include "vsmax/torch/functions/refinement.h"

#include <torch/library.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>

#include "vsmax/refine/whiten.h"
#include "vsmax/torch/functions/checks.h"
#include "vsmax/torch/ops/ops.h"

namespace vsmax::nn {
namespace {

// Both sheets of the accumulator (Eq. 12): [..., T, R] -> [..., 2T, R].
torch::Tensor both_sheets(const torch::Tensor& accumulator) {
  return torch::cat({accumulator, accumulator.flip({-1})}, -2);
}

// Copies features to channels-last on CUDA, because with a single channel torch cannot tell the
// layouts apart. Doubles stay as they are: torch's convolutions return them contiguous anyway.
torch::Tensor laid_out(const torch::Tensor& features) {
  if (!features.is_cuda() || features.scalar_type() == torch::kDouble) return features;
  return torch::empty_like(features, features.options(), torch::MemoryFormat::ChannelsLast)
      .copy_(features);
}

// Without bias. rho continues with zeros; theta has been padded already.
torch::Tensor convolve_rows(const torch::Tensor& features, const torch::Tensor& weight) {
  constexpr std::array<int64_t, 2> kPadding{0, 1};
  return torch::conv2d(features, weight.to(features.scalar_type()), {}, 1,
                       torch::IntArrayRef(kPadding));
}

// Whether the core's kernels support all layers.
bool has_kernels(const torch::Tensor& features, const std::vector<torch::Tensor>& weights) {
  return features.is_cpu() && features.scalar_type() == torch::kFloat &&
         std::all_of(weights.begin(), weights.end(), [](const torch::Tensor& weight) {
           return weight.scalar_type() == torch::kFloat && ops::is_conv_layer(weight);
         });
}

torch::Tensor refine_logits_float32(const torch::Tensor& accumulator,
                                    const std::vector<torch::Tensor>& weights,
                                    const std::vector<torch::Tensor>& biases, bool double_cover,
                                    double scale) {
  return refine_logits(accumulator, weights, biases, double_cover ? Cover::kDouble : Cover::kSingle,
                       scale, false);
}

}  // namespace

torch::Tensor seam_pad(const torch::Tensor& accumulator, int64_t rows, bool moebius) {
  require_accumulator(accumulator, "padding across the seam");
  const int64_t height = extent(accumulator, -2);
  TORCH_CHECK(rows >= 1 && rows <= height, "cannot pad across the seam by ", rows,
              " rows: the accumulator has ", height);
  const auto edge = moebius ? accumulator.flip({-1}) : accumulator;
  return torch::cat({edge.slice(-2, height - rows), accumulator, edge.slice(-2, 0, rows)}, -2);
}

bool own_kernels() {
  static const bool own = [] {
    const char* chosen = std::getenv("VSMAX_REFINE_KERNELS");
    return chosen == nullptr || std::string_view(chosen) != "torch";
  }();
  return own;
}

torch::Tensor refine_logits(const torch::Tensor& accumulator,
                            const std::vector<torch::Tensor>& weights,
                            const std::vector<torch::Tensor>& biases, Cover cover, double scale,
                            bool bfloat16) {
  require_accumulator(accumulator, "the refinement network");
  TORCH_CHECK(!weights.empty() && weights.size() == biases.size(), "weights for ", weights.size(),
              " layers, but biases for ", biases.size());
  const bool moebius = cover == Cover::kSingle;
  const bool narrow = bfloat16 && accumulator.is_cuda();
  // The convolutions take a single batch dimension.
  auto batch = accumulator.dim() == 2 ? accumulator.unsqueeze(0) : accumulator.flatten(0, -3);
  std::vector<c10::SymInt> shape = accumulator.sym_sizes().vec();
#ifdef VSMAX_WITH_CUDA
  if (narrow && own_kernels() && ops::is_refine_net(weights, biases)) {
    if (!moebius) shape[shape.size() - 2] = shape[shape.size() - 2] * 2;
    return ops::refine_net(batch, weights, biases, !moebius, scale)
        .to(accumulator.scalar_type())
        .reshape_symint(shape);
  }
#endif
  batch = batch * scale;
  if (!moebius) batch = both_sheets(batch);
  torch::Tensor logits;
  if (has_kernels(batch, weights)) {
    auto features = batch.unsqueeze(1);
    for (std::size_t l = 0; l < weights.size(); ++l)
      features = ops::conv_layer(features, weights[l], biases[l], moebius ? 1 : 2);
    logits = features.squeeze(1);
  } else {
    auto features = laid_out(seam_pad(batch, 1, moebius)
                                 .unsqueeze(1)
                                 .to(narrow ? torch::kBFloat16 : batch.scalar_type()));
    for (std::size_t l = 0; l + 1 < weights.size(); ++l)
      features = ops::seam_relu(convolve_rows(features, weights[l]), biases[l], moebius);
    logits =
        convolve_rows(features, weights.back()).squeeze(1).to(batch.scalar_type()) + biases.back();
  }
  shape[shape.size() - 2] = logits.sym_size(1);
  return logits.reshape_symint(shape);
}

torch::Tensor whitened_logits(const torch::Tensor& accumulator, const torch::Tensor& images) {
  require_accumulator(accumulator, "whitening");
  TORCH_CHECK(images.dim() == accumulator.dim(), "whitening needs the images of the accumulators");
  const auto blank = torch::ones_symint({images.sym_size(-2), images.sym_size(-1)},
                                        accumulator.options().requires_grad(false));
  const auto votes = ops::hough(blank, extent(accumulator, -2), extent(accumulator, -1));
  const auto pixels = images.to(accumulator.scalar_type()).flatten(-2);
  const auto mean = pixels.mean(-1, true).unsqueeze(-1);
  const auto variance = (pixels - pixels.mean(-1, true)).square().mean(-1, true).unsqueeze(-1);
  // Rounding may give a constant image a variance.
  const auto varies = (pixels.amin(-1, true) != pixels.amax(-1, true)).unsqueeze(-1);
  const auto sound = (votes >= static_cast<double>(Whitening::kLeastPixels))
                         .logical_and(varies)
                         .logical_and(variance != 0);
  const auto spread = torch::where(sound, variance * votes, torch::ones_like(votes)).sqrt();
  const auto z = (accumulator - mean * votes) / spread;
  return torch::where(sound, 0.5 * z.clamp_min(0).square(), torch::zeros_like(z));
}

TORCH_LIBRARY_FRAGMENT(vsmax, library) {
  library.def("seam_pad(Tensor accumulator, int rows, bool moebius) -> Tensor", TORCH_FN(seam_pad));
  library.def(
      "refine_logits(Tensor accumulator, Tensor[] weights, Tensor[] biases, bool double_cover,"
      " float scale) -> Tensor",
      TORCH_FN(refine_logits_float32));
  library.def("whitened_logits(Tensor accumulator, Tensor images) -> Tensor",
              TORCH_FN(whitened_logits));
}

}  // namespace vsmax::nn
