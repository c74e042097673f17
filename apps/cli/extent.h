// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "vsmax/geometry/image_frame.h"

namespace vsmax::app {

// Two positive numbers such as 256x192.
struct Extent {
  int first = 0;
  int second = 0;
};

// Rejects any other text.
CLI::Validator extent(const std::string& example);

// For text that passed the check.
Extent parse_extent(const std::string& text);

// The value of --size, which must not exceed the largest image. Throws UsageError.
ImageFrame parse_size(const std::string& text);

}  // namespace vsmax::app
