// SPDX-License-Identifier: Apache-2.0
// What `vsmax detect` prints for an image: a record of one or more lines of text, each of which
// ends with a newline.
#pragma once

#include <array>
#include <cstddef>
#include <string>

#include "vsmax/geometry/image_frame.h"
#include "vsmax/recover/line_recoverer.h"

namespace vsmax::app {

enum class Format {
  kText,  // one row per line found, or one that says that there is none
  kJson,  // one object per image
  kCsv,   // one row per line found; an image without a line has one row
};

// The columns of CSV. Those up to "lines" say something about the image, the others about one line.
inline constexpr std::array kCsvColumns{
    "image", "width", "height", "model", "lines",    "line",   "theta",       "rho",  "confidence",
    "x1",    "y1",    "x2",     "y2",    "theta_sd", "rho_sd", "correlation", "error"};
inline constexpr std::size_t kLinesColumn = 4;

// The first row of a CSV file, with its newline; empty for other formats.
std::string header_of(Format format);

std::string result_record(Format format, const std::string& name, const ImageFrame& frame,
                          const Recovery& recovery);

// For an image without a result; JSON and CSV only.
std::string failure_record(Format format, const std::string& name, const std::string& sentence);

}  // namespace vsmax::app
