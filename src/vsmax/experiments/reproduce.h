// SPDX-License-Identifier: Apache-2.0
// Executes the runs of a suite that are not finished yet. In the folder:
//   suite.json        what the suite asks for (open_results_folder writes it)
//   runs/NAME.json    the result of a finished run
//   work/             trainings, finished or not; may be removed once everything is done
#pragma once

#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "vsmax/experiments/run_job.h"

namespace vsmax {

struct ReproduceOptions {
  std::vector<Run> runs;
  std::string out;
  RunTools tools;                                               // work_folder is filled in
  int jobs = 1;                                                 // concurrent trainings
  double time_limit = std::numeric_limits<double>::infinity();  // seconds
};

struct ReproduceCallbacks {
  std::function<void(const std::string& sentence)> on_event;    // a run has started or finished
  std::function<void(const std::string& sentence)> on_failure;  // a run has failed
  std::function<void(const std::string& state)> on_progress;    // a few times a second
  std::function<bool()> wants_stop;
};

struct ReproduceOutcome {
  std::size_t runs = 0;
  std::size_t finished = 0;  // in this call or before
  std::size_t failed = 0;
  bool stopped = false;  // by wants_stop
};

// Throws Error.
ReproduceOutcome reproduce(const ReproduceOptions& options, const ReproduceCallbacks& callbacks);

}  // namespace vsmax
