// SPDX-License-Identifier: Apache-2.0
// The common part of 'vsmax evaluate --data' and 'vsmax-torch evaluate --data': which labelled
// images to score.
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "vsmax/score/protocol.h"

namespace vsmax::app {

struct LabelledImageOptions {
  static constexpr const char* kGroup = "Labelled images";

  std::string data;  // folder; empty for synthetic lines
  std::string protocol;
  std::size_t fold = 0;  // from 1; 0 for all images
  std::size_t folds = 0;

  // Returns the option --data, which excludes the options named in `excluded`.
  CLI::Option* declare(CLI::App& parser, const std::string& protocols,
                       const std::vector<std::string>& names,
                       const std::vector<std::string>& excluded);

  // The images, with only the lines that the protocol asks for. Throws Error.
  LabelledFolder images() const;

  // Data, protocol and fold, for a report.
  void describe(nlohmann::ordered_json& json) const;
};

}  // namespace vsmax::app
