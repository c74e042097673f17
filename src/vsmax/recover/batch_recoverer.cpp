// SPDX-License-Identifier: Apache-2.0
#include "vsmax/recover/batch_recoverer.h"

#include <string>

#include "vsmax/base/error.h"
#include "vsmax/base/parallel.h"

namespace vsmax {

namespace {

// Threads that wait for an accelerator leave the processor idle, so it can serve several.
int threads_for(const Model& model, int threads) {
  constexpr int kPerProcessor = 4;
  return model.accelerator && threads < 1 ? kPerProcessor * resolve_threads(threads) : threads;
}

}  // namespace

BatchRecoverer::BatchRecoverer(const Model& model, int threads)
    : pool_(std::make_unique<ThreadPool>(threads_for(model, threads))),
      recoverers_(static_cast<std::size_t>(pool_->threads()), LineRecoverer(model)) {}
BatchRecoverer::BatchRecoverer(BatchRecoverer&&) noexcept = default;
BatchRecoverer& BatchRecoverer::operator=(BatchRecoverer&&) noexcept = default;
BatchRecoverer::~BatchRecoverer() = default;

void BatchRecoverer::for_each(std::size_t count, const Body& body) {
  const int threads_per_image = count == 1 ? pool_->threads() : 1;
  pool_->for_each(count, [&](std::size_t index, std::size_t worker) {
    recoverers_[worker].use_threads(threads_per_image);
    body(index, worker, recoverers_[worker]);
  });
}

std::vector<Recovery> BatchRecoverer::operator()(std::span<const ImageView> images,
                                                 const LinesWanted& wanted) {
  std::vector<Recovery> recoveries(images.size());
  for_each(images.size(), [&](std::size_t index, std::size_t, LineRecoverer& recover) {
    try {
      recoveries[index] = recover(images[index], wanted);
    } catch (const Error& error) {
      throw Error("image " + std::to_string(index) + ": " + error.what());
    }
  });
  return recoveries;
}

}  // namespace vsmax
