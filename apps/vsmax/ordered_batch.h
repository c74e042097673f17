// SPDX-License-Identifier: Apache-2.0
// Images are read and searched by several threads; their records come out in the order of the
// images.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "folder_walk.h"
#include "vsmax/recover/batch_recoverer.h"

namespace vsmax::app {

struct BatchImage {
  NamedImage name;
  std::size_t index = 0;  // among all images, including those not searched in this run
};

struct Outcome {
  std::string path;
  std::string record;   // empty if there is no result
  std::string failure;  // a sentence; set besides `record` if only the picture failed
};

class OrderedBatch {
 public:
  // `pull` and `emit` are each called by one thread at a time, in the order of the images.
  struct Steps {
    std::function<std::optional<BatchImage>()> pull;
    std::function<Outcome(const BatchImage&, LineRecoverer&)> search;  // must not throw Error
    std::function<void(const Outcome&)> emit;
  };

  explicit OrderedBatch(Steps steps);

  // Runs until there are no more images. After an interrupt no new image is begun, and all finished
  // records are still emitted. An exception from a step ends the run and is rethrown.
  void run(BatchRecoverer& batch, bool is_single);

 private:
  // How far the other threads may run ahead of a slow image. A record takes a few hundred bytes.
  static constexpr std::size_t kWindow = 1024;

  void work(LineRecoverer& recover);
  std::optional<BatchImage> pull(std::size_t& turn);
  void put(std::size_t turn, Outcome outcome);
  void stop();

  Steps steps_;
  std::mutex pull_mutex_;
  std::size_t pulled_ = 0;

  std::mutex emit_mutex_;
  std::condition_variable emitted_some_;
  std::size_t emitted_ = 0;
  bool stopped_ = false;
  std::vector<std::optional<Outcome>> finished_;  // a ring buffer
};

}  // namespace vsmax::app
