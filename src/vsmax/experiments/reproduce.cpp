// SPDX-License-Identifier: Apache-2.0
#include "vsmax/experiments/reproduce.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <list>
#include <thread>

#include "vsmax/base/error.h"
#include "vsmax/io/file.h"

namespace vsmax {

namespace {

constexpr auto kPollInterval = std::chrono::milliseconds(100);

// Every run once, the first item's first.
std::vector<Run> runs_of(const std::vector<Item>& items, const Scale& scale) {
  std::vector<Run> runs;
  for (const Item& item : items)
    for (Run& run : item.runs(scale))
      if (std::none_of(runs.begin(), runs.end(),
                       [&](const Run& known) { return known.name == run.name; }))
        runs.push_back(std::move(run));
  return runs;
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Throws Error for a name that none of the runs has.
void require_known(const std::vector<std::string>& names, const std::vector<Run>& runs) {
  for (const auto& name : names)
    if (std::none_of(runs.begin(), runs.end(), [&](const Run& run) { return run.name == name; }))
      throw Error("none of the items needs a run '" + name + "'");
}

class Reproduction {
 public:
  Reproduction(const ReproduceOptions& options, ReproduceObserver& observer)
      : options_(options),
        observer_(observer),
        tools_(options.tools),
        results_(options.out + "/runs") {
    tools_.work_folder = options.out + "/work";
    for (Run& run : runs_of(options.items, options.scale)) {
      ++outcome_.runs;
      if (results_.load(run))
        ++outcome_.finished;
      else if (options.only.empty() || contains(options.only, run.name))
        waiting_.push_back(std::move(run));
    }
  }

  ReproduceOutcome run() {
    write_items();  // which tell the next one what the folder holds, whenever this one ends
    observer_.on_plan(outcome_.runs, outcome_.finished);
    while (!active_.empty() || (!waiting_.empty() && seconds_left() > 0.0)) {
      outcome_.stopped = observer_.wants_stop();
      if (outcome_.stopped) break;
      start_what_fits();
      look_at_active();
      if (active_.empty()) continue;
      report();
      std::this_thread::sleep_for(kPollInterval);
    }
    for (RunJob& job : active_) job.end();
    write_items();
    return outcome_;
  }

 private:
  double seconds_left() const {
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start_;
    return options_.time_limit - passed.count();
  }

  // Runs that are not trained take no place: they need the device no more than the CPU has time.
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
      observer_.on_start(run->name);
      active_.emplace_back(*run, tools_, seconds_left());
      run = waiting_.erase(run);
    }
  }

  void look_at_active() {
    for (auto job = active_.begin(); job != active_.end();) {
      const RunJob::State state = job->advance();
      const bool under_way =
          state == RunJob::State::kTraining || state == RunJob::State::kEvaluating;
      // Training watches the clock itself and ends with a whole epoch.
      if (state == RunJob::State::kTraining ||
          (state == RunJob::State::kEvaluating && seconds_left() > 0.0)) {
        ++job;
        continue;
      }
      if (under_way) job->end();
      if (state == RunJob::State::kDone) {
        Json result = job->result();
        observer_.on_finish(job->run().name, result);
        results_.save(job->run(), std::move(result));
        job->clean_up();
        ++outcome_.finished;
      } else if (state == RunJob::State::kFailed) {
        observer_.on_failure(job->run().name, job->complaint());
        ++outcome_.failed;
      }
      job = active_.erase(job);
    }
  }

  void report() {
    std::vector<ActiveRun> active;
    active.reserve(active_.size());
    for (const RunJob& job : active_) active.push_back({job.run().name, job.progress()});
    observer_.on_progress(active, outcome_.finished, outcome_.runs);
  }

  void write_items() const {
    const std::string folder = options_.out + "/items";
    make_folder(folder);
    for (const Item& item : options_.items)
      write_file_atomically(folder + "/" + item.name + ".json",
                            item_json(item, options_.scale, results_).dump() + "\n");
  }

  const ReproduceOptions& options_;
  ReproduceObserver& observer_;
  RunTools tools_;
  RunResults results_;
  std::list<Run> waiting_;
  std::list<RunJob> active_;
  ReproduceOutcome outcome_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// Runs of two scales have the same names.
void require_scale(const std::string& folder, const Scale& scale) {
  for (const Item& item : all_items()) {
    const std::string path = folder + "/items/" + item.name + ".json";
    if (!std::filesystem::exists(path)) continue;
    const auto bytes = read_file(path);
    const Json content = Json::parse(bytes.begin(), bytes.end(), nullptr, false);
    const std::string other = content.is_object() ? content.value("scale", "") : "";
    if (other != scale.name)
      throw Error(folder + ": holds results of scale '" + other + "', so '" + scale.name +
                  "' needs a folder of its own");
  }
}

}  // namespace

ReproduceOutcome reproduce(const ReproduceOptions& options, ReproduceObserver& observer) {
  require_known(options.only, runs_of(options.items, options.scale));
  make_folder(options.out);
  require_scale(options.out, options.scale);
  return Reproduction(options, observer).run();
}

}  // namespace vsmax
