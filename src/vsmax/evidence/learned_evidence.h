// SPDX-License-Identifier: Apache-2.0
// Evidence from the trained front end: the colour image is brought to the network's working size,
// normalised, and passed through the network.
#pragma once

#include <vector>

#include "vsmax/evidence/evidence.h"
#include "vsmax/evidence/front_net.h"

namespace vsmax {

// Keeps its memory from call to call.
class LearnedEvidence {
 public:
  // About as many pixels as `nominal`, in the image's proportions; both sides are multiples of
  // FrontNet::kGranule.
  static ImageFrame working_frame(const ImageFrame& image, const ImageFrame& nominal);

  // Throws Error for an image below 2x2 and for a pixel that is not finite.
  Evidence operator()(const ImageView& image, const FrontNet& net, const ImageFrame& nominal,
                      int threads);

 private:
  AreaAverage average_;
  std::vector<float> reduced_;
  std::vector<float> input_;  // normalised, three values per pixel
  std::vector<float> evidence_;
  FrontNet::Scratch scratch_;
};

}  // namespace vsmax
