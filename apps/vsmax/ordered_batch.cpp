// SPDX-License-Identifier: Apache-2.0
#include "ordered_batch.h"

#include <utility>

#include "cli/interrupt.h"

namespace vsmax::app {

OrderedBatch::OrderedBatch(Steps steps) : steps_(std::move(steps)), finished_(kWindow) {}

void OrderedBatch::run(BatchRecoverer& batch, bool is_single) {
  // One item per worker, which pulls images until none are left: their number is unknown.
  batch.for_each(is_single ? 1 : batch.workers(),
                 [&](std::size_t, std::size_t, LineRecoverer& recover) {
                   try {
                     work(recover);
                   } catch (...) {
                     stop();
                     throw;
                   }
                 });
  for (; emitted_ < pulled_; ++emitted_)  // after an interrupt, what was finished out of order
    if (const auto& outcome = finished_[emitted_ % kWindow]) steps_.emit(*outcome);
}

void OrderedBatch::work(LineRecoverer& recover) {
  std::size_t turn = 0;
  while (const auto image = pull(turn)) {
    Outcome outcome = steps_.search(*image, recover);
    // The interrupt may be why reading failed.
    if (interrupted() && outcome.record.empty()) return stop();
    put(turn, std::move(outcome));
  }
}

// A thread that waits for room in the ring holds pull_mutex_, which blocks only threads that would
// have to wait as well. This cannot deadlock: the thread whose image is due next has left pull().
std::optional<BatchImage> OrderedBatch::pull(std::size_t& turn) {
  const std::lock_guard lock(pull_mutex_);
  {
    std::unique_lock emit_lock(emit_mutex_);
    emitted_some_.wait(emit_lock, [&] { return stopped_ || pulled_ < emitted_ + kWindow; });
    if (stopped_ || interrupted()) return std::nullopt;
  }
  auto image = steps_.pull();
  if (image) turn = pulled_++;
  return image;
}

void OrderedBatch::stop() {
  const std::lock_guard lock(emit_mutex_);
  stopped_ = true;
  emitted_some_.notify_all();
}

void OrderedBatch::put(std::size_t turn, Outcome outcome) {
  const std::lock_guard lock(emit_mutex_);
  finished_[turn % kWindow] = std::move(outcome);
  if (stopped_) return;
  for (auto* next = &finished_[emitted_ % kWindow]; *next; next = &finished_[emitted_ % kWindow]) {
    const Outcome ready = *std::exchange(*next, std::nullopt);
    ++emitted_;
    steps_.emit(ready);
  }
  emitted_some_.notify_all();
}

}  // namespace vsmax::app
