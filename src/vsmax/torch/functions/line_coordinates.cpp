// SPDX-License-Identifier: Apache-2.0
#include "vsmax/torch/functions/line_coordinates.h"

#include <torch/library.h>

#include <limits>
#include <numbers>

#include "vsmax/torch/functions/checks.h"
#include "vsmax/torch/ops/ops.h"

namespace vsmax::nn {
namespace {

// 0, 1, ..., count - 1 on the device of `like`, in double.
torch::Tensor count_to(int64_t count, const torch::Tensor& like) {
  return torch::arange(count, like.options().dtype(torch::kDouble).requires_grad(false));
}

}  // namespace

torch::Tensor soft_argmax(const torch::Tensor& logits, double temperature) {
  require_accumulator(logits, "soft-argmax");
  TORCH_CHECK(extent(logits, -1) >= 3 && extent(logits, -1) % 2 == 1,
              "soft-argmax: the number of offsets R must be odd and at least 3, not ",
              extent(logits, -1));
  require_positive_temperature(temperature);
  const auto p = torch::softmax((logits / temperature).flatten(-2), -1).view_as(logits);
  // The grid's own theta and rho, to the last bit: computed in double, then rounded once.
  const int64_t rows = extent(logits, -2);
  const int64_t half = (extent(logits, -1) - 1) / 2;
  const auto thetas = (count_to(rows, p) * std::numbers::pi / rows).to(p.scalar_type());
  const auto rhos = ((count_to(2 * half + 1, p) - half) / half).to(p.scalar_type());
  return torch::stack({(p.sum(-1) * thetas).sum(-1), (p.sum(-2) * rhos).sum(-1)}, -1);
}

torch::Tensor veronese_from_polar(const torch::Tensor& polar) {
  TORCH_CHECK(polar.dim() >= 1 && polar.size(-1) == 2, "a line is (theta, rho), not ",
              polar.sizes());
  const auto c = polar.select(-1, 0).cos();
  const auto s = polar.select(-1, 0).sin();
  const auto rho = polar.select(-1, 1);
  const auto weight = (rho * rho + 1.0).reciprocal();
  constexpr double kRoot = std::numbers::sqrt2;
  return torch::stack({c * c * weight, s * s * weight, rho * rho * weight, c * s * weight * kRoot,
                       -c * rho * weight * kRoot, -s * rho * weight * kRoot},
                      -1);
}

torch::Tensor polar_from_embedding(const torch::Tensor& embedding, double guard) {
  const auto line = ops::leading_line(embedding, guard);
  auto normal = line.narrow(-1, 0, 2);
  const auto squared = normal.detach().square().sum(-1, true);
  // Near the line at infinity the angle changes ever faster. Its derivative is damped there like
  // that of the eigenvector, its value is not. At infinity itself a dummy normal stands in, and
  // neither coordinate has a derivative.
  const auto keep = squared / (squared + guard * guard);
  const auto at_infinity = squared == 0;
  normal = (normal * keep + (normal * (1 - keep)).detach()).masked_fill(at_infinity, /*value=*/1.0);
  const auto angle = torch::atan2(normal.select(-1, 1), normal.select(-1, 0));
  const auto type = angle.scalar_type();
  const auto turn = (angle.detach() < 0).to(type);
  auto theta = angle + turn * std::numbers::pi;
  // Just below pi, theta may round to the nearest float, which exceeds pi. It then becomes 0, the
  // same line: theta - theta.detach() is exactly 0 and keeps the derivative.
  const auto over = (theta.detach() >= std::numbers::pi).to(type);
  theta = theta - theta.detach() * over;
  const auto rho =
      (2 * turn - 1) * (1 - 2 * over) * line.select(-1, 2) / normal.square().sum(-1).sqrt();
  const auto nowhere = at_infinity.squeeze(-1);
  return torch::stack({theta.masked_fill(nowhere, 0.0),
                       rho.masked_fill(nowhere, std::numeric_limits<double>::infinity())},
                      -1);
}

TORCH_LIBRARY_FRAGMENT(vsmax, library) {
  library.def("soft_argmax(Tensor logits, float temperature) -> Tensor", TORCH_FN(soft_argmax));
  library.def("veronese_from_polar(Tensor polar) -> Tensor", TORCH_FN(veronese_from_polar));
  library.def("polar_from_embedding(Tensor embedding, float guard) -> Tensor",
              TORCH_FN(polar_from_embedding));
}

}  // namespace vsmax::nn
