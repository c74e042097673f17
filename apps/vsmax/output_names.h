// SPDX-License-Identifier: Apache-2.0
// Names for the pictures, so that no two images write to the same file.
#pragma once

#include <string>
#include <vector>

namespace vsmax::app {

// FOLDER/STEM + suffix for each image; a repeated stem gets -2, -3, ... "-" becomes "stdin".
std::vector<std::string> picture_names(const std::vector<std::string>& images,
                                       const std::string& folder, const std::string& suffix);

}  // namespace vsmax::app
