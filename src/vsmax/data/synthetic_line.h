// SPDX-License-Identifier: Apache-2.0
// One pixel of a synthetic line, for the CPU and for CUDA: rendering (Eq. 28) and noise (Eq. 29).
#pragma once

#include <cmath>
#include <cstdint>

#include "vsmax/data/sample_key.h"

namespace vsmax {

// The pixels that a line covers. Computed in double, so that every device draws the same line.
struct LineInk {
  double cosine, sine, rho, half_width;

  VSMAX_HOST_DEVICE bool covers(double x, double y) const {
    const double distance = x * cosine + y * sine - rho;
    return (distance < 0.0 ? -distance : distance) <= half_width;
  }
};

// Four standard normal numbers from one block (Box & Muller 1958).
struct NormalBlock {
  float value[4];
};

VSMAX_HOST_DEVICE inline NormalBlock normal_block(const PhiloxBlock& block) {
  constexpr float kTwoPi = 6.28318530717958648F;
  NormalBlock normal;
  for (int pair = 0; pair < 2; ++pair) {
    const float radius = sqrtf(-2.0F * logf(uniform_from_word(block.word[2 * pair])));
    const float angle = kTwoPi * uniform_from_word(block.word[2 * pair + 1]);
    normal.value[2 * pair] = radius * cosf(angle);
    normal.value[2 * pair + 1] = radius * sinf(angle);
  }
  return normal;
}

// ink + sigma * noise, clipped to [0, 1] (Eq. 29).
VSMAX_HOST_DEVICE inline float noisy_pixel(bool ink, float sigma, float normal) {
  const float value = (ink ? 1.0F : 0.0F) + sigma * normal;
  return value < 0.0F ? 0.0F : (value > 1.0F ? 1.0F : value);
}

}  // namespace vsmax
