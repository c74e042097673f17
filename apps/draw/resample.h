// SPDX-License-Identifier: Apache-2.0
// An image at another size.
#pragma once

#include "vsmax/image/image_file.h"

namespace vsmax::drawing {

// Each new pixel is the mean of the image over its area: reduction keeps thin lines visible, and
// enlargement by a whole factor repeats the pixels as they are.
GrayImage resample(const GrayImage& image, int width, int height);

}  // namespace vsmax::drawing
