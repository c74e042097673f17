// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "vsmax/geometry/image_frame.h"

namespace vsmax::app {

// Parses two positive numbers such as 256x192. Throws UsageError naming the option.
struct Extent {
  int first = 0;
  int second = 0;
};
Extent parse_extent(const std::string& text, const std::string& option, const char* example);

// Parses the value of --size and checks it against the largest image.
ImageFrame parse_size(const std::string& text);

}  // namespace vsmax::app
