// SPDX-License-Identifier: Apache-2.0
#include "vsmax/torch/train/step_losses.h"

#include <cmath>

namespace vsmax {
namespace {

constexpr std::size_t kStepsBetweenReads = 20;  // on the CPU, reading costs nothing

double printable(float value) { return std::isnan(value) ? NAN : value; }  // never "-nan"

}  // namespace

StepLosses::StepLosses(torch::Device device)
    : capacity_(device.is_cpu() ? 1 : kStepsBetweenReads),
      buffer_(torch::zeros({static_cast<std::int64_t>(capacity_), 2},
                           torch::TensorOptions().dtype(torch::kFloat32).device(device))) {}

void StepLosses::add(const torch::Tensor& loss, const torch::Tensor& gradient_squares) {
  add(torch::stack({loss.to(torch::kFloat32), gradient_squares}));
}

void StepLosses::add(const torch::Tensor& both) {
  buffer_[static_cast<std::int64_t>(unread_)].copy_(both);
  ++unread_;
}

std::optional<BadStep> StepLosses::read(const ProcessGroup& group) {
  group.sum(buffer_.select(1, 0));  // the gradients are summed already
  const torch::Tensor read = buffer_.to(torch::kCPU);
  const float* pair = read.data_ptr<float>();
  for (; unread_ > 0; --unread_, ++steps_, pair += 2) {
    if (!std::isfinite(pair[0])) return BadStep{steps_, "loss", printable(pair[0])};
    if (!std::isfinite(pair[1])) return BadStep{steps_, "gradient", printable(pair[1])};
    sum_ += static_cast<double>(pair[0]);
  }
  return std::nullopt;
}

}  // namespace vsmax
