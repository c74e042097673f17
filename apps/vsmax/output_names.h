// SPDX-License-Identifier: Apache-2.0
// Names for the pictures of a call, so that no two images write to one file.
#pragma once

#include <string>
#include <vector>

namespace vsmax::app {

// FOLDER/STEM-SUFFIX.png for each image; a stem that occurs again gets -2, -3, ... "-" is "stdin".
std::vector<std::string> picture_names(const std::vector<std::string>& images,
                                       const std::string& folder, const std::string& suffix);

}  // namespace vsmax::app
