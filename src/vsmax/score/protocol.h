// SPDX-License-Identifier: Apache-2.0
// Which lines of labelled images are to be found.
#pragma once

#include <string>
#include <vector>

#include "vsmax/data/labelled_folder.h"

namespace vsmax {

enum class Protocol {
  kHorizon,  // the only line of each image
  kGuide,    // the line marked as guide
  kLines,    // all lines
};

// In the order of the enumerators.
const std::vector<std::string>& protocol_names();
Protocol protocol_named(const std::string& name);

// Leaves only the lines that the protocol asks for. Throws Error for an image that does not have
// them.
void keep_lines(LabelledFolder& folder, Protocol protocol);

}  // namespace vsmax
