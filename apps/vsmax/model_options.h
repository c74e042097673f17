// SPDX-License-Identifier: Apache-2.0
// The options of detect and evaluate that choose a model.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "vsmax/recover/model.h"

namespace vsmax::app {

struct ModelOptions {
  // Only for evaluate; load() throws for it.
  static constexpr const char* kPosterior = "posterior";

  std::string name = "classic";
  std::string bins;  // "TxR"; empty means the model's
  std::string device = "cpu";

  void declare(CLI::App& parser);
  Model load() const;  // throws Error; warnings go to standard error
};

// Parses two positive numbers such as 256x192. Throws UsageError naming the option.
struct Extent {
  int first = 0;
  int second = 0;
};
Extent parse_extent(const std::string& text, const std::string& option, const char* example);

// Parses the value of --size and checks it against the largest image.
ImageFrame parse_size(const std::string& text);

}  // namespace vsmax::app
