// SPDX-License-Identifier: Apache-2.0
// 'vsmax evaluate --data DIR': scores on labelled photographs (docs/data.md).
#pragma once

#include <optional>
#include <string>

#include "cli/labelled_images.h"
#include "model_options.h"

namespace vsmax::app {

struct ImageScoringOptions {
  LabelledImageOptions images;
  std::string answers;    // file, instead of a model
  std::string per_image;  // files to write
  std::string per_line;
  std::optional<double> min_confidence;  // of the lines that count, for protocol lines

  void declare(CLI::App& parser);
};

// Prints the scores and returns the exit code.
int evaluate_images(const ImageScoringOptions& options, const ModelOptions& model, int threads,
                    bool as_json);

}  // namespace vsmax::app
