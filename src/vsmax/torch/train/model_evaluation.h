// SPDX-License-Identifier: Apache-2.0
// Scores a LibTorch model on synthetic lines, in batches on a device: the same lines, noise and
// score as the core's evaluate(). This header needs no LibTorch.
#pragma once

#include <memory>
#include <string>

#include "vsmax/score/evaluation.h"

namespace vsmax {

class LineModel;

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

 private:
  std::unique_ptr<LineModel> model_;
  std::string device_;
};

}  // namespace vsmax
