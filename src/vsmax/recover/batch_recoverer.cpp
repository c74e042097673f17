// SPDX-License-Identifier: Apache-2.0
#include "vsmax/recover/batch_recoverer.h"

#include <string>

#include "vsmax/base/error.h"
#include "vsmax/base/parallel.h"

namespace vsmax {

BatchRecoverer::BatchRecoverer(const Model& model, int threads)
    : workers_(static_cast<std::size_t>(resolve_threads(threads)), LineRecoverer(model)) {}

std::vector<Recovery> BatchRecoverer::operator()(std::span<const GrayImage> images) {
  std::vector<Recovery> recoveries(images.size());
  parallel_for(images.size(), static_cast<int>(workers_.size()),
               [&](std::size_t i, std::size_t worker) {
                 try {
                   recoveries[i] = workers_[worker](images[i]);
                 } catch (const Error& error) {
                   throw Error("image " + std::to_string(i) + ": " + error.what());
                 }
               });
  return recoveries;
}

}  // namespace vsmax
