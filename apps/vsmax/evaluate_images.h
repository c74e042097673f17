// SPDX-License-Identifier: Apache-2.0
// 'vsmax evaluate --data DIR': scores on labelled photographs (docs/data.md).
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <string>

#include "model_options.h"

namespace vsmax::app {

struct ImageScoringOptions {
  std::string data;       // folder; empty for synthetic lines
  std::string protocol;   // horizon, guide or lines
  std::string answers;    // file, instead of a model
  std::string per_image;  // file to write
  std::size_t fold = 0;   // from 1; 0 for all images
  std::size_t folds = 0;
  double min_confidence = 0.5;  // of the lines that count, for protocol lines

  void declare(CLI::App& parser);
};

// Prints the scores and returns the exit code.
int evaluate_images(const ImageScoringOptions& options, const ModelOptions& model, int threads,
                    bool as_json);

}  // namespace vsmax::app
