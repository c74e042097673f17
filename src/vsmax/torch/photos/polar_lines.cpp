// SPDX-License-Identifier: Apache-2.0
#include "vsmax/torch/photos/polar_lines.h"

#include <algorithm>
#include <limits>
#include <numbers>

namespace vsmax {

std::array<torch::Tensor, 2> pixel_positions(const ImageFrame& frame, torch::Device device) {
  const auto options = torch::TensorOptions().dtype(torch::kFloat).device(device);
  return {torch::arange(frame.width, options).view({1, 1, 1, -1}) - frame.half_width(),
          torch::arange(frame.height, options).view({1, 1, -1, 1}) - frame.half_height()};
}

torch::Tensor canonical_polar(const torch::Tensor& theta, const torch::Tensor& rho) {
  const auto turns = torch::floor(theta / std::numbers::pi);
  const auto odd = torch::remainder(turns, 2.0) != 0.0;
  // Rounding may leave pi itself, which is the angle 0 with -rho.
  auto angle = theta - turns * std::numbers::pi;
  const auto wrapped = angle >= std::numbers::pi;
  angle = torch::where(wrapped, torch::zeros_like(angle), angle.clamp_min(0.0));
  return torch::stack({angle, torch::where(odd.logical_xor(wrapped), -rho, rho)}, -1);
}

torch::Tensor polar_from_ends(const torch::Tensor& ends, const ImageFrame& frame) {
  const auto wide = ends.to(torch::kDouble);
  const auto x0 = wide.select(-1, 0);
  const auto y0 = wide.select(-1, 1);
  const auto theta = torch::atan2(wide.select(-1, 2) - x0, y0 - wide.select(-1, 3));
  const auto rho = (x0 * torch::cos(theta) + y0 * torch::sin(theta)) / frame.half_diagonal();
  return canonical_polar(theta, rho).to(torch::kFloat);
}

torch::Tensor meets_frame(const torch::Tensor& polar, const ImageFrame& frame) {
  const auto theta = polar.select(-1, 0);
  const auto reach = (torch::cos(theta).abs() * frame.half_width() +
                      torch::sin(theta).abs() * frame.half_height()) /
                     frame.half_diagonal();
  return polar.select(-1, 1).abs() <= reach;
}

torch::Tensor meets_disc(const torch::Tensor& polar, const ImageFrame& frame, double share) {
  const double radius = 0.5 * std::min(frame.width, frame.height);
  return polar.select(-1, 1).abs() * frame.half_diagonal() <= share * radius;
}

torch::Tensor bottom_crossing(const torch::Tensor& polar, const ImageFrame& frame) {
  const auto theta = polar.select(-1, 0);
  const auto cosine = torch::cos(theta);
  constexpr double kLevel = 1e-6;
  const auto level = cosine.abs() < kLevel;
  const auto crossing =
      (polar.select(-1, 1) * frame.half_diagonal() - torch::sin(theta) * frame.half_height()) /
      torch::where(level, torch::ones_like(cosine), cosine);
  return crossing.masked_fill(level, std::numeric_limits<float>::infinity());
}

}  // namespace vsmax
