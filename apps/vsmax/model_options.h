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

}  // namespace vsmax::app
