// SPDX-License-Identifier: Apache-2.0
// What `vsmax reproduce` shows: a line for each run that starts or ends, and on a terminal below it
// what is under way.
#pragma once

#include <chrono>

#include "cli/progress_line.h"
#include "vsmax/experiments/reproduce.h"

namespace vsmax::app {

class ReproduceDisplay : public ReproduceObserver {
 public:
  ReproduceDisplay();
  ~ReproduceDisplay() override;
  ReproduceDisplay(const ReproduceDisplay&) = delete;
  ReproduceDisplay(ReproduceDisplay&&) = delete;
  ReproduceDisplay& operator=(const ReproduceDisplay&) = delete;
  ReproduceDisplay& operator=(ReproduceDisplay&&) = delete;

  void on_plan(std::size_t runs, std::size_t finished) override;
  void on_start(const std::string& run) override;
  void on_finish(const std::string& run, const Json& result) override;
  void on_failure(const std::string& run, const std::string& complaint) override;
  void on_progress(const std::vector<ActiveRun>& active, std::size_t finished,
                   std::size_t runs) override;
  bool wants_stop() override;

 private:
  std::string clock() const;  // since the start

  ProgressLine line_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace vsmax::app
