// SPDX-License-Identifier: Apache-2.0
#include "vsmax/torch/ops/losses.h"

#include <cmath>

namespace vsmax::nn {

torch::Tensor veronese_from_polar(const torch::Tensor& polar) {
  TORCH_CHECK(polar.dim() >= 1 && polar.size(-1) == 2, "a line is (theta, rho), not ",
              polar.sizes());
  const auto c = polar.select(-1, 0).cos();
  const auto s = polar.select(-1, 0).sin();
  const auto rho = polar.select(-1, 1);
  const auto weight = (rho * rho + 1.0).reciprocal();
  constexpr double kRoot = M_SQRT2;
  return torch::stack({c * c * weight, s * s * weight, rho * rho * weight, c * s * weight * kRoot,
                       -c * rho * weight * kRoot, -s * rho * weight * kRoot},
                      -1);
}

torch::Tensor polar_loss(const torch::Tensor& polar, const torch::Tensor& truth) {
  TORCH_CHECK(polar.sizes() == truth.sizes(), "lines of shape ", polar.sizes(),
              " for true lines of shape ", truth.sizes());
  return (polar - truth).square().sum(-1).mean();
}

torch::Tensor hold_across_seam(const torch::Tensor& polar, const torch::Tensor& truth) {
  const auto turn = (polar.detach() - truth).narrow(-1, 0, 1).abs();
  return torch::where(turn > M_PI_2, polar.detach(), polar);
}

torch::Tensor veronese_loss(const torch::Tensor& embedding, const torch::Tensor& truth) {
  const auto target = veronese_from_polar(truth);
  TORCH_CHECK(embedding.sizes() == target.sizes(), "embeddings of shape ", embedding.sizes(),
              " for true lines of shape ", truth.sizes());
  return (embedding - target).square().sum(-1).mean();
}

}  // namespace vsmax::nn
