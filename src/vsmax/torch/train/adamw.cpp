// SPDX-License-Identifier: Apache-2.0
#include "vsmax/torch/train/adamw.h"

#include <cstring>

#include "vsmax/base/error.h"
#include "vsmax/torch/models/weights.h"
#ifdef VSMAX_WITH_CUDA
#include "vsmax/torch/ops/cuda_launch.h"
#include "vsmax/torch/train/adamw_cuda.h"
#endif

namespace vsmax {

AdamW::AdamW(std::vector<torch::Tensor> parameters, const AdamWSettings& settings)
    : parameters_(std::move(parameters)), settings_(settings) {
  const torch::NoGradGuard no_grad;
  std::vector<torch::Tensor> flat;
  flat.reserve(parameters_.size());
  for (const auto& parameter : parameters_) flat.push_back(parameter.reshape({-1}));
  values_ = torch::cat(flat);
  std::int64_t begin = 0;
  for (auto& parameter : parameters_) {
    parameter.set_data(values_.narrow(0, begin, parameter.numel()).view(parameter.sizes()));
    begin += parameter.numel();
  }
  gradient_ = torch::zeros_like(values_);
  means_ = torch::zeros_like(values_);
  squares_ = torch::zeros_like(values_);
  if (settings_.average > 0.0) average_ = values_.clone();
}

void AdamW::forget_gradients() {
  for (auto& parameter : parameters_) parameter.mutable_grad() = torch::Tensor();
}

void AdamW::collect_gradient() {
  std::vector<torch::Tensor> gradients;
  gradients.reserve(parameters_.size());
  for (const auto& parameter : parameters_)
    gradients.push_back(parameter.grad().defined() ? parameter.grad().reshape({-1})
                                                   : torch::zeros_like(parameter).reshape({-1}));
  torch::cat_out(gradient_, gradients);
}

torch::Tensor AdamW::clip_factor() const {
  return (settings_.clip / (gradient_.norm() + 1e-6)).clamp_max(1.0);
}

AdamWNumbers AdamW::next_step(double learning_rate) {
  return adamw_numbers(settings_, ++step_, learning_rate);
}

void AdamW::step(double learning_rate, const ProcessGroup& group) {
  const torch::NoGradGuard no_grad;
  collect_gradient();
  group.sum(gradient_);
  const AdamWNumbers numbers = next_step(learning_rate);
  // Pinned, so that the copy does not wait for work in flight on the device.
  const auto staged =
      torch::empty({static_cast<std::int64_t>(sizeof(numbers) / sizeof(double))},
                   torch::TensorOptions().dtype(torch::kFloat64).pinned_memory(values_.is_cuda()));
  std::memcpy(staged.data_ptr<double>(), &numbers, sizeof(numbers));
  update(staged.to(values_.device(), /*non_blocking=*/true));
}

void AdamW::descend(const torch::Tensor& numbers) {
  const torch::NoGradGuard no_grad;
  collect_gradient();
  update(numbers);
}

void AdamW::update(const torch::Tensor& numbers) {
  const auto* now = reinterpret_cast<const AdamWNumbers*>(numbers.data_ptr<double>());
#ifdef VSMAX_WITH_CUDA
  if (values_.is_cuda()) {
    const torch::Tensor clip = settings_.clip > 0.0 ? clip_factor() : torch::Tensor();
    const AdamWVectors vectors{values_.data_ptr<float>(),
                               gradient_.data_ptr<float>(),
                               means_.data_ptr<float>(),
                               squares_.data_ptr<float>(),
                               average_.defined() ? average_.data_ptr<float>() : nullptr,
                               values_.numel()};
    return ops::launch_cuda(values_, [&](cudaStream_t stream) {
      return adamw_cuda(vectors, settings_, now, clip.defined() ? clip.data_ptr<float>() : nullptr,
                        stream);
    });
  }
#endif
  if (settings_.clip > 0.0) gradient_.mul_(clip_factor());
  means_.mul_(settings_.beta1).add_(gradient_, 1.0 - settings_.beta1);
  squares_.mul_(settings_.beta2).addcmul_(gradient_, gradient_, 1.0 - settings_.beta2);
  const torch::Tensor scale = squares_.sqrt().div_(now->root).add_(kAdamWEpsilon);
  values_.mul_(now->decay);
  values_.addcdiv_(means_, scale, -now->rate);
  if (average_.defined()) average_.lerp_(values_, now->share);
}

AdamW::UseAverage::UseAverage(AdamW& optimiser) : optimiser_(optimiser) {
  if (!optimiser.average_.defined()) return;
  const torch::NoGradGuard no_grad;
  kept_ = optimiser.values_.clone();
  optimiser.values_.copy_(optimiser.average_);
}

AdamW::UseAverage::~UseAverage() {
  if (!kept_.defined()) return;
  const torch::NoGradGuard no_grad;
  optimiser_.values_.copy_(kept_);
}

std::vector<Tensor> AdamW::split(const torch::Tensor& flat) const {
  std::vector<Tensor> parts;
  const torch::Tensor on_cpu = host_tensor(flat);
  std::int64_t begin = 0;
  for (const auto& parameter : parameters_) {
    parts.push_back(
        file_tensor(on_cpu.narrow(0, begin, parameter.numel()).view(parameter.sizes())));
    begin += parameter.numel();
  }
  return parts;
}

torch::Tensor AdamW::joined(const std::vector<Tensor>& parts, const std::string& name) const {
  bool fits = parts.size() == parameters_.size();
  for (std::size_t i = 0; fits && i < parts.size(); ++i)
    fits = parameters_[i].sizes().vec() == parts[i].shape;
  if (!fits) throw Error(name + ": the optimiser's state does not fit the model's parameters");
  std::vector<torch::Tensor> flat;
  flat.reserve(parts.size());
  for (const auto& part : parts) flat.push_back(torch_tensor(part).reshape({-1}));
  return torch::cat(flat).to(values_.device());
}

AdamWState AdamW::state() const {
  AdamWState state{step_, split(means_), split(squares_), {}};
  if (average_.defined()) state.averages = split(average_);
  return state;
}

void AdamW::restore(const AdamWState& state, const std::string& name) {
  means_ = joined(state.means, name);
  squares_ = joined(state.squares, name);
  if (average_.defined()) average_ = joined(state.averages, name);
  step_ = state.step;
}

}  // namespace vsmax
