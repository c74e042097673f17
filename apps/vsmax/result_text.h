// SPDX-License-Identifier: Apache-2.0
// What `vsmax detect` prints for an image: a record of one or more lines of text, each of which
// ends with a newline.
#pragma once

#include <string>

#include "vsmax/geometry/image_frame.h"
#include "vsmax/recover/line_recoverer.h"

namespace vsmax::app {

enum class Format {
  kText,  // one row per line found, or one that says that there is none
  kJson,  // one object per image
  kCsv,   // one row per line found; an image without a line has one row
};

// The first row of a CSV file, with its newline; empty for other formats.
std::string header_of(Format format);

std::string result_record(Format format, const std::string& name, const ImageFrame& frame,
                          const Recovery& recovery);

// For an image without a result; JSON and CSV only.
std::string failure_record(Format format, const std::string& name, const std::string& sentence);

}  // namespace vsmax::app
