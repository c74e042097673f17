// SPDX-License-Identifier: Apache-2.0
// The answers of any detector, in the format of 'vsmax detect --json': one JSON object per row.
#pragma once

#include <map>
#include <string>

#include "vsmax/recover/line_recoverer.h"

namespace vsmax::app {

struct Answer {
  ImageFrame frame;  // the size that the detector saw
  Recovery recovery;
};

// Keyed by the image's file name, without its folder. Throws Error naming the file and the row.
std::map<std::string, Answer> read_answers(const std::string& file);

}  // namespace vsmax::app
