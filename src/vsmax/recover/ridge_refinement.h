// SPDX-License-Identifier: Apache-2.0
// Moves a thin line that was read off an accumulator onto its ridge in the image, at full
// resolution (Eq. 64, 65). For lines that the posterior cannot place, because the noise is not
// white.
#pragma once

#include <optional>
#include <vector>

#include "vsmax/geometry/line.h"
#include "vsmax/image/image_view.h"
#include "vsmax/recover/across_line.h"

namespace vsmax {

// Keeps its memory from call to call. Never converts the whole image.
class RidgeRefinement {
 public:
  // `reach`: how far off the line the ridge may be, in pixels, anywhere along it. Returns `line`
  // itself, bit for bit, unless one ridge within reach stands out.
  PixelLine operator()(const ImageView& image, PixelLine line, bool dark, double reach);

 private:
  // How profiles across the line are sampled, in pixels, and how wide the ridge is taken to be.
  struct Scale {
    double step = 0.0;
    double reach = 0.0;
    double width = 0.0;  // the standard deviation of the filter
  };

  // The line t = shift + slope * u (AcrossLine), and how clearly it stands out: its height in
  // standard deviations of what chance alone would give.
  struct Ridge {
    double shift = 0.0;
    double slope = 0.0;
    double height = 0.0;
  };

  void sample_profiles(const ImageView& image, const AcrossLine& across, bool dark, Scale widest);
  void filter_profiles(Scale scale);
  std::optional<Ridge> highest_ridge(Scale scale);

  std::size_t places_ = 0;         // along the visible part of the line
  std::vector<double> path_;       // one profile, with room for the filter at both ends
  std::vector<float> profiles_;    // all of them
  std::vector<float> responses_;   // how much of a ridge is there, place by place
  std::vector<float> magnitudes_;  // for quantiles
  std::vector<float> sums_;        // of the responses along the lines of one slope
  std::vector<float> heights_;     // the sums, slope after slope
};

}  // namespace vsmax
