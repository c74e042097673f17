// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace vsmax {

// The gradient of the brightness at a pixel: it points across an edge, towards the brighter side.
struct Gradient {
  float x = 0.0F;
  float y = 0.0F;
};

}  // namespace vsmax
