// SPDX-License-Identifier: Apache-2.0
// A run under way: `vsmax train`, then `vsmax evaluate`, each in a process of its own, so that
// several share a device and a failure of one is no failure of the others.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "vsmax/experiments/child_process.h"
#include "vsmax/experiments/run_results.h"

namespace vsmax {

// How runs are made.
struct RunTools {
  std::string vsmax;  // the executables
  std::string vsmax_torch;
  std::string device;       // of training and of trained models' evaluation
  int threads = 0;          // CPU threads a run; 0: one per processor
  std::string work_folder;  // each run has a folder in it
};

class RunJob {
 public:
  // Starts, or goes on from where an earlier job of the same run came to. Training ends after
  // `seconds`. Throws Error.
  RunJob(const Run& run, const RunTools& tools, double seconds);

  const Run& run() const { return run_; }

  enum class State { kTraining, kEvaluating, kDone, kOutOfTime, kFailed };
  // Looks at the process and takes the next step if it ended.
  State advance();

  // "epoch 12, validation 0.0034", "evaluating".
  std::string progress() const;

  // Of a run that is done: all that its file holds.
  Json result() const;

  // Of one that failed: the last thing its process said.
  std::string complaint() const;

  // Once its result is kept: removes what only going on would need, which is most of its folder.
  void clean_up() const;

  // Ends the process; what it had finished is kept for the next job.
  void end() { process_->end(); }

 private:
  void start(const std::vector<std::string>& arguments);
  void start_training(double seconds);
  void start_evaluation();
  bool is_trained() const;
  State step();
  std::string file(const std::string& name) const { return folder_ + "/" + name; }

  Run run_;
  RunTools tools_;
  std::string folder_;
  State state_ = State::kTraining;
  std::unique_ptr<ChildProcess> process_;
};

}  // namespace vsmax
