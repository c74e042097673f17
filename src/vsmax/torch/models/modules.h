// SPDX-License-Identifier: Apache-2.0
// The stages of the pipeline as modules.
#pragma once

#include <torch/nn/module.h>
#include <torch/nn/modules/container/modulelist.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/pimpl.h>

#include <utility>

#include "vsmax/hough/cover.h"
#include "vsmax/hough/grid.h"

namespace vsmax::nn {

// [..., H, W] -> [..., T, R] (Eq. 7).
class HoughTransformImpl : public torch::nn::Module {
 public:
  explicit HoughTransformImpl(HoughGrid grid) : grid_(std::move(grid)) {}
  torch::Tensor forward(const torch::Tensor& images) const;

 private:
  HoughGrid grid_;
};
TORCH_MODULE(HoughTransform);

// The trainable twin of vsmax::RefineNet, with the same names of tensors: an accumulator
// [B, T, R] -> logits [B, T, R], or [B, 2T, R] on the double cover, float32 or float64. With
// `bfloat16` the arithmetic on CUDA is bfloat16; on the CPU it stays as it is.
class RefineNetImpl : public torch::nn::Module {
 public:
  RefineNetImpl(Cover cover, double scale, bool bfloat16 = false);
  torch::Tensor forward(const torch::Tensor& accumulator);
  Cover cover() const { return cover_; }

 private:
  Cover cover_;
  double scale_;
  bool bfloat16_;
  torch::nn::ModuleList refine_;
};
TORCH_MODULE(RefineNet);

// Logits over the single cover [B, T, R] -> (theta, rho / D) [B, 2] (Eq. 16).
class SoftArgmaxImpl : public torch::nn::Module {
 public:
  SoftArgmaxImpl(const HoughGrid& grid, double temperature)
      : thetas_(grid.thetas()), rhos_(grid.rhos()), temperature_(temperature) {}
  torch::Tensor forward(const torch::Tensor& logits) const;

 private:
  int64_t thetas_;
  int64_t rhos_;
  double temperature_;
};
TORCH_MODULE(SoftArgmax);

// Logits over the cover -> barycentre [B, 6] (Eq. 17).
class VeroneseSoftArgmaxImpl : public torch::nn::Module {
 public:
  VeroneseSoftArgmaxImpl(Cover cover, double temperature)
      : cover_(cover), temperature_(temperature) {}
  torch::Tensor forward(const torch::Tensor& logits) const;

 private:
  Cover cover_;
  double temperature_;
};
TORCH_MODULE(VeroneseSoftArgmax);

// Barycentre [..., 6] -> line -> (theta, rho / D) [..., 2], theta in [0, pi) (Eq. 20 to 22), with
// bounded derivatives (Eq. 23).
class LineHeadImpl : public torch::nn::Module {
 public:
  explicit LineHeadImpl(double guard) : guard_(guard) {}
  torch::Tensor forward(const torch::Tensor& barycentre) const;

 private:
  double guard_;
};
TORCH_MODULE(LineHead);

}  // namespace vsmax::nn
