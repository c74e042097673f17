// SPDX-License-Identifier: Apache-2.0
#include "vsmax/torch/functions/losses.h"

#include <torch/library.h>

#include <numbers>

#include "vsmax/hough/cells.h"
#include "vsmax/torch/functions/line_coordinates.h"

namespace vsmax::nn {

torch::Tensor polar_losses(const torch::Tensor& polar, const torch::Tensor& truth) {
  TORCH_CHECK(polar.sizes() == truth.sizes(), "lines of shape ", polar.sizes(),
              " for true lines of shape ", truth.sizes());
  return (polar - truth).square().sum(-1);
}

torch::Tensor polar_loss(const torch::Tensor& polar, const torch::Tensor& truth) {
  return polar_losses(polar, truth).mean();
}

torch::Tensor hold_across_seam(const torch::Tensor& polar, const torch::Tensor& truth) {
  const auto turn = (polar.detach() - truth).narrow(-1, 0, 1).abs();
  return torch::where(turn > std::numbers::pi / 2.0, polar.detach(), polar);
}

torch::Tensor veronese_losses(const torch::Tensor& embedding, const torch::Tensor& truth) {
  const auto target = veronese_from_polar(truth);
  TORCH_CHECK(embedding.sizes() == target.sizes(), "embeddings of shape ", embedding.sizes(),
              " for true lines of shape ", truth.sizes());
  return (embedding - target).square().sum(-1);
}

torch::Tensor veronese_loss(const torch::Tensor& embedding, const torch::Tensor& truth) {
  return veronese_losses(embedding, truth).mean();
}

torch::Tensor cell_embeddings(const CellShape& shape, const torch::TensorOptions& options,
                              double unit) {
  const auto wide = options.dtype(torch::kDouble);
  const int64_t rows = shape.rows();
  const auto theta = torch::arange(rows, wide) * (std::numbers::pi / shape.thetas);
  const auto rho = (torch::arange(shape.rhos, wide) / shape.center() - 1.0) * unit;
  const auto cells = torch::stack({theta.view({-1, 1}).expand({rows, shape.rhos}),
                                   rho.view({1, -1}).expand({rows, shape.rhos})},
                                  -1);
  return veronese_from_polar(cells).view({-1, 6}).to(options);
}

torch::Tensor log_nearness(const torch::Tensor& embeddings, const torch::Tensor& truth,
                           double width) {
  const auto overlap = torch::matmul(veronese_from_polar(truth), embeddings.t());
  return (overlap - 1.0).clamp_max(0.0) / (2.0 * width * width);
}

torch::Tensor likelihood_losses(const torch::Tensor& logits, const torch::Tensor& embeddings,
                                const torch::Tensor& truth, double width) {
  const auto flat = logits.flatten(1);
  return torch::logsumexp(flat, 1) -
         torch::logsumexp(flat + log_nearness(embeddings, truth, width), 1);
}

torch::Tensor folded_logits(const torch::Tensor& logits, Cover cover) {
  if (cover == Cover::kSingle) return logits;
  const int64_t thetas = logits.size(1) / 2;
  const auto other = logits.narrow(1, thetas, thetas).flip({2});
  return torch::logaddexp(logits.narrow(1, 0, thetas), other) - std::numbers::ln2;
}

torch::Tensor peak_target(const torch::Tensor& near, const torch::Tensor& present) {
  return (near.exp() * present.unsqueeze(-1)).amax(1);
}

torch::Tensor peak_loss(const torch::Tensor& cells, const torch::Tensor& target,
                        const torch::Tensor& whole_target) {
  constexpr double kPeakWeight = 4.0;
  const auto weight = target * (kPeakWeight - 1.0) + 1.0;
  const auto entropy =
      torch::binary_cross_entropy_with_logits(cells, target, weight, {}, at::Reduction::Sum);
  return entropy / (whole_target.sum() * kPeakWeight + 1.0);
}

torch::Tensor peak_likelihood_losses(const torch::Tensor& cells, const torch::Tensor& near) {
  return torch::logsumexp(cells, 1, true) - torch::logsumexp(cells.unsqueeze(1) + near, 2);
}

TORCH_LIBRARY_FRAGMENT(vsmax, library) {
  library.def("veronese_loss(Tensor embedding, Tensor polar) -> Tensor", TORCH_FN(veronese_loss));
}

}  // namespace vsmax::nn
