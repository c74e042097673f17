// SPDX-License-Identifier: Apache-2.0
// The paper's data: images of lines, mostly single ones, under noise.
#pragma once

#include <cstdint>
#include <span>

#include "vsmax/data/sample_key.h"
#include "vsmax/data/synthetic_line.h"
#include "vsmax/geometry/line.h"
#include "vsmax/hough/grid.h"

namespace vsmax {

// How a line is drawn; the paper's are white, one pixel wide and whole.
struct Stroke {
  double width = 1.0;    // in pixels, counted along the row or column that the line crosses
  double visible = 1.0;  // share of the line that is drawn, in one piece at a random place
  bool dark = false;     // black on white

  friend bool operator==(const Stroke&, const Stroke&) = default;
};

LineInk line_ink(PixelLine line, double width = 1.0);

// Renders the lines with Gaussian noise of standard deviation sigma, clipped to [0, 1]; pixels:
// H x W. The noise and the place of a piece depend only on the key and on the index of the pixel or
// line.
void render_lines(const ImageFrame& frame, std::span<const PixelLine> lines, double sigma,
                  const SampleKey& key, std::span<float> pixels, const Stroke& stroke = {});
void render_line(const ImageFrame& frame, PixelLine line, double sigma, const SampleKey& key,
                 std::span<float> pixels, const Stroke& stroke = {});

// sigma drawn uniformly from [0, largest].
double draw_sigma(const SampleKey& key, double largest);

// The place of key.index in a random permutation of 0 .. count-1, which is determined by (seed,
// split, epoch). Needs key.index < count.
std::uint32_t permuted_index(const SampleKey& key, std::uint32_t count);

// A line drawn uniformly from all (theta, rho) that cross the frame, off the grid.
PixelLine draw_continuous_line(const SampleKey& key, const ImageFrame& frame);

}  // namespace vsmax
