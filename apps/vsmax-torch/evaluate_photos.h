// SPDX-License-Identifier: Apache-2.0
// 'vsmax-torch evaluate --data DIR': scores of a network itself on labelled photographs.
#pragma once

#include <string>

#include "cli/labelled_images.h"
#include "cli/scoring.h"
#include "vsmax/torch/train/model_evaluation.h"

namespace vsmax::app {

struct PhotoScoringOptions {
  LabelledImageOptions images;
  int rotations = 0;  // rotated views of each photograph; 0 for the photograph itself

  void declare(CLI::App& parser);
};

// Prints the scores and returns the exit code.
int evaluate_photos(const PhotoScoringOptions& options, const std::string& model,
                    const ModelEvaluator& evaluator, int batch, const ScoringOptions& scoring);

}  // namespace vsmax::app
