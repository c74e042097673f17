// SPDX-License-Identifier: Apache-2.0
#include "vsmax/torch/train/adamw.h"

#include <algorithm>
#include <cmath>

#include "vsmax/base/error.h"
#include "vsmax/torch/models/weights.h"

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

void AdamW::step(double learning_rate, const ProcessGroup& group) {
  const torch::NoGradGuard no_grad;
  std::vector<torch::Tensor> gradients;
  gradients.reserve(parameters_.size());
  for (const auto& parameter : parameters_)
    gradients.push_back(parameter.grad().defined() ? parameter.grad().reshape({-1})
                                                   : torch::zeros_like(parameter).reshape({-1}));
  torch::cat_out(gradient_, gradients);
  group.sum(gradient_);
  if (settings_.clip > 0.0)
    gradient_.mul_((settings_.clip / (gradient_.norm() + 1e-6)).clamp_max(1.0));

  ++step_;
  constexpr double kEpsilon = 1e-8;
  const auto count = static_cast<double>(step_);
  const double correction1 = 1.0 - std::pow(settings_.beta1, count);
  const double correction2 = 1.0 - std::pow(settings_.beta2, count);
  means_.mul_(settings_.beta1).add_(gradient_, 1.0 - settings_.beta1);
  squares_.mul_(settings_.beta2).addcmul_(gradient_, gradient_, 1.0 - settings_.beta2);
  const torch::Tensor scale = squares_.sqrt().div_(std::sqrt(correction2)).add_(kEpsilon);
  values_.mul_(1.0 - learning_rate * settings_.weight_decay);
  values_.addcdiv_(means_, scale, -learning_rate / correction1);
  if (!average_.defined()) return;
  // Short at first, so that it soon forgets the initial weights.
  average_.lerp_(values_, 1.0 - std::min(settings_.average, count / (count + 9.0)));
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
  const torch::Tensor on_cpu = flat.to(torch::kCPU);
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
