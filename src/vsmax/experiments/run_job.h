// SPDX-License-Identifier: Apache-2.0
// A run in progress: `vsmax train`, then `vsmax evaluate`, each in a process of its own, so that
// several can share a device and a failure does not affect the others.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "vsmax/experiments/child_process.h"
#include "vsmax/experiments/run.h"
#include "vsmax/experiments/yaml_file.h"

namespace vsmax {

struct RunTools {
  std::string vsmax;  // the executables
  std::string vsmax_torch;
  std::string device;       // of training and of trained models' evaluation
  int threads = 0;          // CPU threads per run; 0: one per processor
  std::string work_folder;  // holds one folder per run
  std::string data;         // holds one folder per set of photographs
};

class RunJob {
 public:
  // Starts the run, or resumes an interrupted one. Training ends after `seconds`. Throws Error.
  RunJob(const Run& run, const RunTools& tools, double seconds);

  const Run& run() const { return run_; }

  enum class State { kTraining, kEvaluating, kDone, kOutOfTime, kFailed };
  // Takes the next step if the process has ended.
  State advance();

  // "epoch 12, validation 0.0034", "evaluating".
  std::string progress() const;

  // The content of runs/NAME.json, once it is done.
  Json result() const;

  // The last line that the process of a failed run printed.
  std::string failure() const { return last_line(file("output.txt")); }

  // Copies the log of the training, if there was one, to logs/NAME.jsonl.
  void keep_log(const std::string& out) const;

  // Removes the checkpoint, which is most of the folder, once the run is done.
  void clean_up() const;

  // Ends the process; the next job resumes after its last complete epoch.
  void end() { process_->end(); }

 private:
  void start(const std::vector<std::string>& arguments);
  void start_training(double seconds);
  void start_evaluation();
  bool is_trained() const;
  std::string photo_folder() const { return tools_.data + "/" + run_.photos->folder; }
  State step();
  std::string file(const std::string& name) const { return folder_ + "/" + name; }

  Run run_;
  RunTools tools_;
  std::string folder_;
  State state_ = State::kTraining;
  std::unique_ptr<ChildProcess> process_;
};

}  // namespace vsmax
