// SPDX-License-Identifier: Apache-2.0
#include "vsmax/recover/batch_recoverer.h"

#include <string>

#include "vsmax/base/error.h"

namespace vsmax {

BatchRecoverer::BatchRecoverer(const Model& model, int threads)
    : crew_(std::make_unique<Crew>(threads)),
      workers_(static_cast<std::size_t>(crew_->threads()), LineRecoverer(model)) {}

std::vector<Recovery> BatchRecoverer::operator()(std::span<const GrayImage> images) {
  std::vector<Recovery> recoveries(images.size());
  crew_->for_each(images.size(), [&](std::size_t i, std::size_t worker) {
    try {
      recoveries[i] = workers_[worker](images[i]);
    } catch (const Error& error) {
      throw Error("image " + std::to_string(i) + ": " + error.what());
    }
  });
  return recoveries;
}

}  // namespace vsmax
