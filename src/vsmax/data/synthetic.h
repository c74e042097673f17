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

LineInk line_ink(PixelLine line);

// The lines with Gaussian noise of standard deviation sigma, clipped to [0, 1]; pixels: H x W. The
// noise depends only on the key and the pixel's index.
void render_lines(const ImageFrame& frame, std::span<const PixelLine> lines, double sigma,
                  const SampleKey& key, std::span<float> pixels);
void render_line(const ImageFrame& frame, PixelLine line, double sigma, const SampleKey& key,
                 std::span<float> pixels);

// sigma drawn uniformly from [0, largest].
double draw_sigma(const SampleKey& key, double largest);

// The place of key.index in a random permutation of 0 .. count-1 that belongs to (seed, split,
// epoch); needs key.index < count.
std::uint32_t permuted_index(const SampleKey& key, std::uint32_t count);

// A line drawn uniformly from all (theta, rho) that cross the frame, off the grid.
PixelLine draw_continuous_line(const SampleKey& key, const ImageFrame& frame);

}  // namespace vsmax
