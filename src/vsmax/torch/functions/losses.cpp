// SPDX-License-Identifier: Apache-2.0
#include "vsmax/torch/functions/losses.h"

#include <torch/library.h>

#include <numbers>

#include "vsmax/torch/functions/line_coordinates.h"

namespace vsmax::nn {

torch::Tensor polar_loss(const torch::Tensor& polar, const torch::Tensor& truth) {
  TORCH_CHECK(polar.sizes() == truth.sizes(), "lines of shape ", polar.sizes(),
              " for true lines of shape ", truth.sizes());
  return (polar - truth).square().sum(-1).mean();
}

torch::Tensor hold_across_seam(const torch::Tensor& polar, const torch::Tensor& truth) {
  const auto turn = (polar.detach() - truth).narrow(-1, 0, 1).abs();
  return torch::where(turn > std::numbers::pi / 2.0, polar.detach(), polar);
}

torch::Tensor veronese_loss(const torch::Tensor& embedding, const torch::Tensor& truth) {
  const auto target = veronese_from_polar(truth);
  TORCH_CHECK(embedding.sizes() == target.sizes(), "embeddings of shape ", embedding.sizes(),
              " for true lines of shape ", truth.sizes());
  return (embedding - target).square().sum(-1).mean();
}

TORCH_LIBRARY_FRAGMENT(vsmax, library) {
  library.def("veronese_loss(Tensor embedding, Tensor polar) -> Tensor", TORCH_FN(veronese_loss));
}

}  // namespace vsmax::nn
