// SPDX-License-Identifier: Apache-2.0
// How photographs are varied while a model trains on them.
#pragma once

#include <array>

namespace vsmax {

struct Augmentation {
  double rotation = 0.0;                  // degrees, either way
  std::array<double, 2> scale{1.0, 1.0};  // least and greatest zoom
  double shift = 0.0;                     // of the photograph's sides, either way
  double shear = 0.0;                     // columns per row, either way; the top edge stays
  double stretch = 1.0;                   // greatest ratio of the zoom across to that down, or down
                                          // to across
  bool mirror = false;                    // left and right, half of the time
  double gamma = 0.0;                     // exponents from exp(-gamma) to exp(gamma)
  double tint = 0.0;                      // deviation of the channels' gains, half of the time
  double blur = 0.0;                      // share of the photographs that lose some sharpness
  double noise = 0.0;                     // greatest deviation of the noise added
  bool disc = false;                      // keep only the inscribed disc, so that rotation shows no
                                          // corners
};

}  // namespace vsmax
