// SPDX-License-Identifier: Apache-2.0
#include "vsmax/score/protocol.h"

#include <algorithm>

#include "vsmax/base/error.h"

namespace vsmax {

const std::vector<std::string>& protocol_names() {
  static const std::vector<std::string> names{"horizon", "guide", "lines"};
  return names;
}

Protocol protocol_named(const std::string& name) {
  const auto& names = protocol_names();
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) {
    std::string known;
    for (const std::string& other : names) known += (known.empty() ? "" : ", ") + other;
    throw Error("there is no protocol '" + name + "' (there are " + known + ")");
  }
  return static_cast<Protocol>(found - names.begin());
}

void keep_lines(LabelledFolder& folder, Protocol protocol) {
  if (protocol == Protocol::kGuide && !folder.has_guides)
    throw Error(folder.labels + ": has no guides, which --protocol guide needs");
  for (LabelledImage& image : folder.images) {
    if (protocol == Protocol::kHorizon && image.lines.size() != 1)
      throw Error(folder.labels + ": " + image.name + " has " + std::to_string(image.lines.size()) +
                  " lines, but --protocol horizon needs exactly one");
    if (protocol != Protocol::kGuide) continue;
    std::erase_if(image.lines, [](const LabelledLine& line) { return !line.guide; });
    if (image.lines.empty())
      throw Error(folder.labels + ": " + image.name +
                  " has no guide, which --protocol guide needs");
  }
}

}  // namespace vsmax
