// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace vsmax {

// Of a pixel's brightness: it points across an edge, towards the brighter side.
struct Gradient {
  float x = 0.0F;
  float y = 0.0F;
};

}  // namespace vsmax
