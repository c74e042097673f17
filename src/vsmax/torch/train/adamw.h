// SPDX-License-Identifier: Apache-2.0
// AdamW (Loshchilov & Hutter 2019) as PyTorch defines it, on one flat vector of all parameters: a
// step takes a handful of kernels however many layers there are, and the whole state is a counter
// and two vectors (three with a running mean of the parameters), which a file can hold bit for bit.
#pragma once

#include <torch/types.h>

#include <string>
#include <vector>

#include "vsmax/torch/train/adamw_numbers.h"
#include "vsmax/torch/train/checkpoint.h"
#include "vsmax/torch/train/process_group.h"

namespace vsmax {

class AdamW {
 public:
  // The parameters, all float32 and on one device, become views of one vector, but remain the same
  // tensor objects with the same values and shapes.
  AdamW(std::vector<torch::Tensor> parameters, const AdamWSettings& settings);

  void forget_gradients();

  // Descends along the parameters' gradients, summed over all processes.
  void step(double learning_rate, const ProcessGroup& group = {});

  // The same for a single process, in two parts, so that a CUDA graph can capture the second.
  // next_step() counts the step and returns its numbers; descend() takes them as a tensor on the
  // parameters' device, [4] float64.
  AdamWNumbers next_step(double learning_rate);
  void descend(const torch::Tensor& numbers);

  // A scalar on the device that is finite as long as all gradients and their squares have been.
  torch::Tensor sum_of_squares() const { return squares_.sum(); }

  // While this object lives, the parameters hold their running mean, if there is one.
  class UseAverage {
   public:
    explicit UseAverage(AdamW& optimiser);
    ~UseAverage();
    UseAverage(const UseAverage&) = delete;
    UseAverage& operator=(const UseAverage&) = delete;

   private:
    AdamW& optimiser_;
    torch::Tensor kept_;
  };

  AdamWState state() const;
  // Throws Error that starts with `name` if the state does not fit the parameters.
  void restore(const AdamWState& state, const std::string& name);

 private:
  void collect_gradient();
  torch::Tensor clip_factor() const;
  void update(const torch::Tensor& numbers);

  std::vector<Tensor> split(const torch::Tensor& flat) const;
  torch::Tensor joined(const std::vector<Tensor>& parts, const std::string& name) const;

  std::vector<torch::Tensor> parameters_;
  AdamWSettings settings_;
  std::int64_t step_ = 0;
  torch::Tensor values_;    // the vector of which the parameters are views
  torch::Tensor gradient_;  // of the last step
  torch::Tensor means_;     // running mean of the gradient
  torch::Tensor squares_;   // running mean of its square
  torch::Tensor average_;   // running mean of the values; undefined without one
};

}  // namespace vsmax
