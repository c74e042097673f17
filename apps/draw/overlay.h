// SPDX-License-Identifier: Apache-2.0
// The picture most users want: their image with the line on it.
#pragma once

#include "vsmax/image/image_file.h"
#include "vsmax/recover/line_recoverer.h"

namespace vsmax::drawing {

// The image in grey, the lines over it, and a caption strip below. Small images are enlarged by a
// whole factor, huge ones reduced to 1600 pixels; a picture narrower than its caption is centred.
RgbImage draw_overlay(const GrayImage& image, const Recovery& recovery);

// Where the image lies in that picture: its top left corner is (x, 0).
struct OverlaySize {
  int x = 0;
  int image_width = 0;
  int image_height = 0;
  int text_scale = 1;
  int width = 0;  // of the whole picture
};
OverlaySize overlay_size(const GrayImage& image, const Recovery& recovery);

}  // namespace vsmax::drawing
