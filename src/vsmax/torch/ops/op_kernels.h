// SPDX-License-Identifier: Apache-2.0
// Internal: what a device must provide for each operator. The functions in *_op.cpp check the
// arguments, answer an empty batch, allocate the result and call one of these; so the tensors here
// are contiguous, not empty, on one device, and of type float or double.
#pragma once

#include <torch/types.h>

#include "vsmax/hough/cover.h"
#include "vsmax/hough/grid.h"

namespace vsmax::ops {

struct HoughKernels {
  void (*forward)(const HoughGrid& grid, const torch::Tensor& images, torch::Tensor& accumulators);
  void (*adjoint)(const HoughGrid& grid, const torch::Tensor& accumulators, torch::Tensor& images);
};

struct ReadoutShape {
  int thetas = 0;
  int rhos = 0;
  Cover cover = Cover::kSingle;
};

struct ReadoutKernels {
  // logits: batch x rows x R; barycentre: batch x 6; log_sum: batch, float64, log sum exp(a / tau).
  void (*forward)(const ReadoutShape& shape, double temperature, const torch::Tensor& logits,
                  torch::Tensor& barycentre, torch::Tensor& log_sum);
  void (*backward)(const ReadoutShape& shape, double temperature, const torch::Tensor& grad,
                   const torch::Tensor& logits, const torch::Tensor& barycentre,
                   const torch::Tensor& log_sum, torch::Tensor& grad_logits);
};

struct LineKernels {
  void (*forward)(const torch::Tensor& embedding, torch::Tensor& line);
  void (*backward)(const torch::Tensor& grad, const torch::Tensor& embedding, double guard,
                   torch::Tensor& grad_embedding);
};

// On CUDA the feature maps are channels-last and may be bfloat16, on the CPU they are plain.
struct SeamKernels {
  void (*forward)(const torch::Tensor& input, const torch::Tensor& bias, bool moebius,
                  torch::Tensor& output);
  void (*backward)(const torch::Tensor& grad, const torch::Tensor& output, bool moebius,
                   torch::Tensor& grad_input, torch::Tensor& grad_bias);
};

extern const HoughKernels kHoughCpu;
extern const ReadoutKernels kReadoutCpu;
extern const LineKernels kLineCpu;
extern const SeamKernels kSeamCpu;
extern const HoughKernels kHoughCuda;
extern const ReadoutKernels kReadoutCuda;
extern const LineKernels kLineCuda;
extern const SeamKernels kSeamCuda;

}  // namespace vsmax::ops
