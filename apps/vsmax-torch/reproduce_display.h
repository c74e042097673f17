// SPDX-License-Identifier: Apache-2.0
// What `vsmax reproduce` prints: a line whenever a run starts or ends and, on a terminal, what is
// running now.
#pragma once

#include <chrono>

#include "cli/progress_line.h"
#include "vsmax/experiments/reproduce.h"

namespace vsmax::app {

class ReproduceDisplay : public ReproduceObserver {
 public:
  void on_plan(std::size_t runs, std::size_t finished) override;
  void on_start(const std::string& run) override;
  void on_finish(const std::string& run, const Json& result) override;
  void on_failure(const std::string& run, const std::string& reason) override;
  void on_progress(const std::vector<ActiveRun>& active, std::size_t finished,
                   std::size_t runs) override;
  bool wants_stop() override;

 private:
  std::string clock() const;  // since the start

  ProgressLine line_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace vsmax::app
