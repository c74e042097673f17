// SPDX-License-Identifier: Apache-2.0
#include "vsmax/experiments/reproduce.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <iterator>
#include <list>
#include <thread>

#include "vsmax/base/counted.h"
#include "vsmax/io/file.h"

namespace vsmax {
namespace {

constexpr auto kPollInterval = std::chrono::milliseconds(100);

// "vsmax-vs-s42 finished, 80 epochs, EA 0.9921 at sigma 0, EA 0.8412 at sigma 0.8"
std::string finish_text(const std::string& name, const Json& result) {
  std::string text = name + " finished";
  if (result.contains("epochs")) text += ", " + counted(result["epochs"].get<int>(), "epoch");
  const Json& scores = result["evaluation"]["results"];
  if (result["evaluation"].contains("views"))
    return text + fmt::format(", EA {:.4f}", scores.front()["all"]["mean"].get<double>());
  for (const Json* entry : {&scores.front(), &scores.back()})
    text += fmt::format(", EA {:.4f} at sigma {:g}", (*entry)["all"]["mean"].get<double>(),
                        (*entry)["sigma"].get<double>());
  return text;
}

class Reproduction {
 public:
  Reproduction(const ReproduceOptions& options, const ReproduceCallbacks& callbacks)
      : options_(options), callbacks_(callbacks), tools_(options.tools) {
    tools_.work_folder = options.out + "/work";
    make_folder(options.out + "/runs");
    outcome_.runs = options.runs.size();
    for (const Run& run : options.runs)
      if (is_finished(run, options.out))
        ++outcome_.finished;
      else
        waiting_.push_back(run);
  }

  ReproduceOutcome run() {
    while (!active_.empty() || (!waiting_.empty() && seconds_left() > 0.0)) {
      outcome_.stopped = callbacks_.wants_stop();
      if (outcome_.stopped) break;
      start_what_fits();
      look_at_active();
      if (active_.empty()) continue;
      report();
      std::this_thread::sleep_for(kPollInterval);
    }
    for (RunJob& job : active_) job.end();
    return outcome_;
  }

 private:
  double seconds_left() const {
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start_;
    return options_.time_limit - passed.count();
  }

  // A run without training needs no device, so one may run alongside the trainings.
  bool fits(const Run& run) const {
    const auto training = std::count_if(active_.begin(), active_.end(), [](const RunJob& job) {
      return job.run().training.has_value();
    });
    const auto others = static_cast<std::ptrdiff_t>(active_.size()) - training;
    return run.training ? training < options_.jobs : others == 0;
  }

  void start_what_fits() {
    if (seconds_left() <= 0.0) return;
    for (auto run = waiting_.begin(); run != waiting_.end();) {
      if (!fits(*run)) {
        ++run;
        continue;
      }
      callbacks_.on_event(run->name + " started");
      active_.emplace_back(*run, tools_, seconds_left());
      run = waiting_.erase(run);
    }
  }

  void look_at_active() {
    for (auto job = active_.begin(); job != active_.end();) {
      bool goes_on = false;
      try {
        goes_on = advance(*job);
      } catch (const std::exception& error) {  // a damaged file of this run; the others go on
        fail(*job, error.what());
      }
      job = goes_on ? std::next(job) : active_.erase(job);
    }
  }

  // Returns whether the job is not over yet.
  bool advance(RunJob& job) {
    const RunJob::State state = job.advance();
    // Training watches the clock itself, so that it ends after a complete epoch.
    if (state == RunJob::State::kTraining ||
        (state == RunJob::State::kEvaluating && seconds_left() > 0.0))
      return true;
    if (state == RunJob::State::kEvaluating) job.end();
    if (state == RunJob::State::kDone) {
      const Json result = job.result();
      job.keep_log(options_.out);
      job.clean_up();  // first, because a run with a result is not visited again
      write_file_atomically(result_path(job.run(), options_.out), result.dump() + "\n");
      callbacks_.on_event(finish_text(job.run().name, result));
      ++outcome_.finished;
    } else if (state == RunJob::State::kFailed) {
      fail(job, job.failure());
    }
    return false;
  }

  void fail(const RunJob& job, const std::string& reason) {
    callbacks_.on_failure(job.run().name + " failed: " + reason);
    ++outcome_.failed;
  }

  void report() {
    std::string state = fmt::format("{}/{} runs", outcome_.finished, outcome_.runs);
    for (const RunJob& job : active_) state += "; " + job.run().name + " " + job.progress();
    callbacks_.on_progress(state);
  }

  const ReproduceOptions& options_;
  const ReproduceCallbacks& callbacks_;
  RunTools tools_;
  std::list<Run> waiting_;
  std::list<RunJob> active_;
  ReproduceOutcome outcome_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace

ReproduceOutcome reproduce(const ReproduceOptions& options, const ReproduceCallbacks& callbacks) {
  return Reproduction(options, callbacks).run();
}

}  // namespace vsmax
