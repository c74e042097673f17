// SPDX-License-Identifier: Apache-2.0
// The options by which detect and evaluate choose a model.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "vsmax/recover/model.h"

namespace vsmax::app {

struct ModelOptions {
  // Not a detector: evaluate knows it, and load() says so.
  static constexpr const char* kPosterior = "posterior";

  std::string name = "classic";
  std::string bins;  // "TxR", empty for the model's own

  void declare(CLI::App& parser);
  Model load() const;  // throws Error; warnings go to standard error
};

// Two positive numbers joined by an x, such as 256x192. Throws Error naming the option.
struct Extent {
  int first = 0;
  int second = 0;
};
Extent parse_extent(const std::string& text, const std::string& option, const char* example);

// The same for the value of --size, within the limits of an image.
ImageFrame parse_size(const std::string& text);

}  // namespace vsmax::app
