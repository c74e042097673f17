// SPDX-License-Identifier: Apache-2.0
// Images are read and searched by several threads; their records come out in the order in which the
// images were asked for.
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
  std::size_t index = 0;  // among all images, also those that are not searched in this run
};

struct Outcome {
  std::string path;
  std::string record;   // empty if there is no result
  std::string failure;  // a sentence; both if there is a result, but its picture failed
};

class OrderedBatch {
 public:
  // One call of `pull` and one of `emit` at a time, both in the order of the images.
  struct Steps {
    std::function<std::optional<BatchImage>()> pull;
    std::function<Outcome(const BatchImage&, LineRecoverer&)> search;  // must not throw Error
    std::function<void(const Outcome&)> emit;
  };

  explicit OrderedBatch(Steps steps);

  // Until there are no more images, or an interrupt, after which no new image is begun and all that
  // is finished comes out. What a step throws ends the run and is rethrown.
  void run(BatchRecoverer& batch, bool is_single);

 private:
  // While one image takes long, this many more may be finished. A record has a few hundred bytes.
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
  std::vector<std::optional<Outcome>> finished_;  // a ring
};

}  // namespace vsmax::app
