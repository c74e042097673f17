// SPDX-License-Identifier: Apache-2.0
#include "vsmax/torch/train/batch_source.h"

#include "vsmax/torch/train/line_batches.h"
#include "vsmax/torch/train/photo_batches.h"

namespace vsmax {

std::unique_ptr<BatchSource> open_source(const TrainConfig& config, const std::string& folder,
                                         torch::Device device, const Part& part) {
  if (config.model.evidence == EvidenceKind::kLearned)
    return std::make_unique<PhotoBatches>(config, folder, device, part);
  return std::make_unique<LineBatches>(config, device, part);
}

}  // namespace vsmax
