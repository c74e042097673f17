// SPDX-License-Identifier: Apache-2.0
// Runs the benchmarks, randomly interleaved so that a change of the machine's speed affects all of
// them, and prints medians, minima, and the ratios of the medians to ours.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace {

// Benchmarks are named GROUP/NAME; ours is GROUP/vsmax.
class RatioTable : public benchmark::BenchmarkReporter {
 public:
  bool failed() const { return failed_; }

  bool ReportContext(const Context& /*context*/) override { return true; }

  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs) {
      if (run.error_occurred) {
        failed_ = true;
        if (run.repetition_index == 0)
          std::printf("%s: %s\n", run.run_name.str().c_str(), run.error_message.c_str());
        continue;
      }
      const bool wall = !run.run_name.time_type.empty();
      const double time = wall ? run.GetAdjustedRealTime() : run.GetAdjustedCPUTime();
      Row& row = rows_[{run.family_index, run.per_family_instance_index}];
      row.name = run.run_name.function_name;
      row.argument = run.run_name.args;
      if (run.run_type == Run::RT_Iteration) row.fastest = std::min(row.fastest, time);
      if (run.aggregate_name != "median") continue;
      row.median = time;
      for (const auto& [unit, counter] : run.counters)
        row.rate = std::to_string(std::lround(counter.value)) + " " + unit;
    }
  }

  void Finalize() override {
    std::printf("%-36s %8s %10s %10s %8s\n", "microseconds", "argument", "median", "fastest",
                "x vsmax");
    for (const auto& [order, row] : rows_) {
      char ratio[16] = "";
      if (const Row* ours = find(row.group() + "/vsmax", row.argument); ours != nullptr)
        std::snprintf(ratio, sizeof ratio, "%.1f", row.median / ours->median);
      std::printf("%-36s %8s %10.1f %10.1f %8s  %s\n", row.name.c_str(), row.argument.c_str(),
                  row.median, row.fastest, ratio, row.rate.c_str());
    }
    if (find("net/vsmax", "1") != nullptr)
      std::printf(
          "\nnet, pipeline, horizon: wall time, the argument is the number of threads; all others: "
          "processor time, one thread.\nGFLOP/s of net are those of the plain convolutions; "
          "Winograd's need "
          "fewer operations.\n");
    // A busy neighbour on the same core slows dense code, such as ours, more than code that waits
    // for memory, which distorts the ratios.
    const Row* peak = find("peak/arithmetic", "");
    if (peak != nullptr && peak->median > 1.1 * peak->fastest)
      std::printf(
          "The machine was not idle: arithmetic took %.0f %% longer than in its fastest run.\n",
          100.0 * (peak->median / peak->fastest - 1.0));
  }

 private:
  struct Row {
    std::string name, argument, rate;
    double median = 0.0;
    double fastest = std::numeric_limits<double>::infinity();

    std::string group() const { return name.substr(0, name.find('/')); }
  };

  const Row* find(const std::string& name, const std::string& argument) const {
    for (const auto& [order, row] : rows_)
      if (row.name == name && row.argument == argument) return &row;
    return nullptr;
  }

  std::map<std::pair<std::int64_t, std::int64_t>, Row> rows_;  // in the order of the sources
  bool failed_ = false;
};

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> flags = {argv[0],
                                    "--benchmark_enable_random_interleaving=true",
                                    "--benchmark_repetitions=41",
                                    "--benchmark_min_time=0.02",
                                    "--benchmark_time_unit=us",
                                    "--benchmark_filter=-^ladder/"};
  flags.insert(flags.end(), argv + 1, argv + argc);
  std::vector<char*> pointers;
  for (auto& flag : flags) pointers.push_back(flag.data());
  int count = static_cast<int>(pointers.size());
  benchmark::Initialize(&count, pointers.data());
  if (benchmark::ReportUnrecognizedArguments(count, pointers.data())) return 2;
  RatioTable table;
  benchmark::RunSpecifiedBenchmarks(&table);  // also writes the JSON file of --benchmark_out
  return table.failed() ? 1 : 0;
}
