// SPDX-License-Identifier: Apache-2.0
// Makes items of the paper: every run that they need and that is not there yet, then what the items
// show of them. In the folder:
//   runs/NAME.json    a finished run
//   items/ITEM.json   a table or figure, as far as its runs are finished
//   work/             trainings, finished or not; may be removed when all is done
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "vsmax/experiments/item.h"
#include "vsmax/experiments/run_job.h"

namespace vsmax {

struct ReproduceOptions {
  std::vector<Item> items;
  Scale scale;
  std::vector<std::string> only;  // the names of the runs to make; empty: all that are needed
  std::string out;
  RunTools tools;                                               // work_folder is filled in
  int jobs = 1;                                                 // trainings side by side
  double time_limit = std::numeric_limits<double>::infinity();  // seconds
};

// One that is under way.
struct ActiveRun {
  std::string name;
  std::string progress;
};

class ReproduceObserver {
 public:
  ReproduceObserver() = default;
  ReproduceObserver(const ReproduceObserver&) = delete;
  ReproduceObserver(ReproduceObserver&&) = delete;
  ReproduceObserver& operator=(const ReproduceObserver&) = delete;
  ReproduceObserver& operator=(ReproduceObserver&&) = delete;
  virtual ~ReproduceObserver() = default;

  virtual void on_plan(std::size_t runs, std::size_t finished) = 0;
  virtual void on_start(const std::string& run) = 0;
  virtual void on_finish(const std::string& run, const Json& result) = 0;
  virtual void on_failure(const std::string& run, const std::string& complaint) = 0;
  // A few times a second.
  virtual void on_progress(const std::vector<ActiveRun>& active, std::size_t finished,
                           std::size_t runs) = 0;
  virtual bool wants_stop() = 0;
};

struct ReproduceOutcome {
  std::size_t runs = 0;      // that the items need
  std::size_t finished = 0;  // of them, over all calls
  std::size_t failed = 0;
  bool stopped = false;  // by the observer
};

// Throws Error.
ReproduceOutcome reproduce(const ReproduceOptions& options, ReproduceObserver& observer);

}  // namespace vsmax
