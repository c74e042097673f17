// SPDX-License-Identifier: Apache-2.0
// Internal: the random numbers, textures and soft shapes that scenes are made of. Everything is
// drawn from torch's default generator on the batch's device: seed it, and the images are the same.
#pragma once

#include <torch/types.h>

#include "vsmax/geometry/image_frame.h"

namespace vsmax {

// What a batch of pictures shares: how many, how large, and where.
struct Canvas {
  int64_t count = 0;
  ImageFrame frame;
  torch::Device device = torch::kCPU;

  torch::TensorOptions options() const {
    return torch::TensorOptions().dtype(torch::kFloat).device(device);
  }
};

// That of existing pictures, [B, C, H, W].
Canvas canvas_of(const torch::Tensor& images);

// One number per picture, [B, 1, 1, 1].
torch::Tensor uniform(const Canvas& canvas, double low, double high);
torch::Tensor chance(const Canvas& canvas, double probability);       // 1 or 0
torch::Tensor normal_colour(const Canvas& canvas, double deviation);  // [B, 3, 1, 1], around 0

// A random colour, [B, 3, 1, 1]: any brightness, a moderate tint.
torch::Tensor random_colour(const Canvas& canvas);

// Independent noise, [B, channels, H, W].
torch::Tensor white_noise(const Canvas& canvas, int64_t channels);

// Smooth noise of unit variance, [B, 1, H, W], summed over octaves: `base` cells across the width
// in the coarsest one, twice as many and `persistence` times the amplitude in each that follows.
// `stretch` > 1 makes the cells wider than high.
struct FractalNoise {
  int base = 3;
  int octaves = 5;
  double persistence = 0.55;
  double stretch = 1.0;
};
torch::Tensor fractal_noise(const Canvas& canvas, const FractalNoise& noise);

// A smooth random function of `place` ([B, 1, H, W], about [-1.6, 1.6]) with that many knots.
torch::Tensor random_profile(const torch::Tensor& place, int knots);

// `over` where mask is 1, `under` where it is 0.
torch::Tensor blend(const torch::Tensor& under, const torch::Tensor& over,
                    const torch::Tensor& mask);

// Stretched to [0, 1] and raised to the power exp(log_exponent).
torch::Tensor with_gamma(const torch::Tensor& images, const torch::Tensor& log_exponent);

// Averages over side x side pixels, with `share` of the result and the rest of the sharp image.
torch::Tensor blurred(const torch::Tensor& images, int64_t side, const torch::Tensor& share);

}  // namespace vsmax
