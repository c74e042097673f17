// SPDX-License-Identifier: Apache-2.0
// Moves a line that was found at a reduced size onto its edge at the image's full resolution
// (Eq. 41 to 43).
#pragma once

#include <optional>
#include <vector>

#include "vsmax/geometry/line.h"
#include "vsmax/image/image_view.h"
#include "vsmax/recover/across_line.h"

namespace vsmax {

// Keeps its memory from call to call. Samples about 50,000 points near the line, however large the
// image is, and never converts the whole image.
class EdgeRefinement {
 public:
  // `reduction`: the width of a pixel of the reduced image, in pixels of this one. Returns `line`
  // itself, bit for bit, unless this share of it follows one straight edge nearby.
  PixelLine operator()(const ImageView& image, PixelLine line, double reduction,
                       double least_agreement);

 private:
  // The unit of length in pixels, and how many units a profile reaches to either side of the line.
  struct Scale {
    double unit = 1.0;
    int reach = 0;
  };

  // The line through the edge points on profiles across `line`; empty if too few of them agree.
  std::optional<PixelLine> fit(const ImageView& image, PixelLine line, Scale scale,
                               double least_agreement);

  void differentiate_profiles(const ImageView& image, const AcrossLine& across, Scale scale);
  double polarity(int reach) const;  // 1 for an edge that brightens along the normal, or -1
  bool find_edge_points(int reach, double least_agreement);  // false if too few profiles show one

  std::vector<double> profile_;    // grey values across the line at one place
  std::vector<double> responses_;  // the profiles' derivatives, place by place
  std::vector<double> window_;     // favours edges near the line
  std::vector<double> offsets_;    // of the edge point at each place, in units
  std::vector<double> weights_;    // of the edge points
  std::vector<double> sorted_;     // the weights again, for their quantile
};

}  // namespace vsmax
