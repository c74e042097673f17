// SPDX-License-Identifier: Apache-2.0
#include "output_names.h"

#include <filesystem>
#include <set>

namespace vsmax::app {

std::vector<std::string> picture_names(const std::vector<std::string>& images,
                                       const std::string& folder, const std::string& suffix) {
  std::vector<std::string> names;
  std::set<std::string> taken;
  for (const auto& image : images) {
    const std::string stem = image == "-" ? "stdin" : std::filesystem::path(image).stem().string();
    std::string candidate = stem;
    for (int i = 2; !taken.insert(candidate).second; ++i)
      candidate = stem + "-" + std::to_string(i);
    names.push_back((std::filesystem::path(folder) / (candidate + suffix)).string());
  }
  return names;
}

}  // namespace vsmax::app
