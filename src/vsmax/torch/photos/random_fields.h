// SPDX-License-Identifier: Apache-2.0
// Internal: the random numbers, textures and soft shapes that scenes are made of. Everything is
// drawn from torch's default generator on the batch's device: the same seed gives the same images.
#pragma once

#include <torch/types.h>

#include "vsmax/data/sample_key.h"
#include "vsmax/geometry/image_frame.h"

namespace vsmax {

// What a batch of pictures has in common: their number, size and device.
struct Canvas {
  int64_t count = 0;
  ImageFrame frame;
  torch::Device device = torch::kCPU;

  torch::TensorOptions options() const {
    return torch::TensorOptions().dtype(torch::kFloat).device(device);
  }
};

// The canvas of existing pictures, [B, C, H, W].
Canvas canvas_of(const torch::Tensor& images);

// Everything drawn from here on follows from the key.
void seed_drawing(const SampleKey& key);

// One number per picture, [B, 1, 1, 1].
torch::Tensor uniform(const Canvas& canvas, double low, double high);
torch::Tensor chance(const Canvas& canvas, double probability);       // 1 or 0
torch::Tensor normal_colour(const Canvas& canvas, double deviation);  // [B, 3, 1, 1], around 0

// A random colour, [B, 3, 1, 1]: any brightness, a moderate tint.
torch::Tensor random_colour(const Canvas& canvas);

// Independent noise, [B, channels, H, W].
torch::Tensor white_noise(const Canvas& canvas, int64_t channels);

// Smooth noise of about unit variance, [B, 1, H, W], summed over octaves: `base` cells across the
// width in the coarsest octave, then twice as many cells and `persistence` times the amplitude in
// each further one. `stretch` > 1 makes the cells wider than high.
struct FractalNoise {
  int base = 3;
  int octaves = 5;
  double persistence = 0.55;
  double stretch = 1.0;
};
torch::Tensor fractal_noise(const Canvas& canvas, const FractalNoise& noise);

// A smooth random function of `place` ([B, 1, H, W], about [-1.6, 1.6]) with that many knots.
torch::Tensor random_profile(const torch::Tensor& place, int knots);

// A coordinate folded into [-1, 1], so that a finite texture covers an endless plane.
torch::Tensor folded(const torch::Tensor& coordinate);

// `over` where mask is 1, `under` where it is 0.
torch::Tensor blend(const torch::Tensor& under, const torch::Tensor& over,
                    const torch::Tensor& mask);

// Stretched to [0, 1] and raised to the power exp(log_exponent).
torch::Tensor with_gamma(const torch::Tensor& images, const torch::Tensor& log_exponent);

// A mix of the images: `share` averaged over side x side pixels, the rest sharp.
torch::Tensor blurred(const torch::Tensor& images, int64_t side, const torch::Tensor& share);

}  // namespace vsmax
