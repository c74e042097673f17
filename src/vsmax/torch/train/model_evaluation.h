// SPDX-License-Identifier: Apache-2.0
// Scores a LibTorch model in batches on a device: on synthetic lines, with the same lines, noise
// and score as the core's evaluate(), or on photographs. This header needs no LibTorch.
#pragma once

#include <memory>
#include <string>

#include "vsmax/data/labelled_folder.h"
#include "vsmax/score/evaluation.h"
#include "vsmax/score/image_evaluation.h"

namespace vsmax {

class LineModel;

// The score of one view of a photograph, in which `truth` is the line.
struct ViewScore {
  PixelLine truth;
  LineScore score;  // its confidence is 0: the networks report none
};

class ModelEvaluator {
 public:
  // `name_or_file`: "argmax", or a weights file whose metadata says which model it holds. Throws
  // Error. threads < 1 means one per processor. `bfloat16` is the network's arithmetic on CUDA.
  ModelEvaluator(const std::string& name_or_file, const std::string& device, int threads,
                 bool bfloat16 = false);
  ModelEvaluator(const ModelEvaluator&) = delete;
  ModelEvaluator& operator=(const ModelEvaluator&) = delete;
  ~ModelEvaluator();

  const std::string& model_name() const;
  const HoughGrid& grid() const;

  Evaluation evaluate(double sigma, LineSet lines, std::uint64_t seed, int batch,
                      const Progress& progress = {}) const;

  // Scores photographs with one line each, as training sees them without augmentation: reduced to
  // the model's frame, and without refining the line at full resolution. With `rotations` > 0, that
  // many views of each, rotated by equal steps and cut to a disc; views in which the line cannot be
  // seen are left out. Throws Error for a model without learned evidence.
  std::vector<ViewScore> evaluate_photos(const LabelledFolder& folder, int rotations, int batch,
                                         const Progress& progress = {}) const;

 private:
  std::unique_ptr<LineModel> model_;
  std::string device_;
};

}  // namespace vsmax
