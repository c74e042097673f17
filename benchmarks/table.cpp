// SPDX-License-Identifier: Apache-2.0
// Runs every benchmark interleaved with the others, so that a change of the machine's speed hits
// all alike, and prints the medians with their ratios to ours.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

namespace {

// Benchmarks are named GROUP/NAME; the group's own entry is GROUP/vsmax.
class RatioTable : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context& /*context*/) override { return true; }

  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs) {
      const bool by_the_wall = !run.run_name.time_type.empty();
      const double time = by_the_wall ? run.GetAdjustedRealTime() : run.GetAdjustedCPUTime();
      Row row{run.run_name.function_name, run.run_name.args, time, ""};
      if (run.run_type == Run::RT_Iteration) {
        const auto [least, is_first] = fastest_.try_emplace(row.key(), time);
        if (!is_first) least->second = std::min(least->second, time);
      }
      if (run.run_type != Run::RT_Aggregate || run.aggregate_name != "median") continue;
      for (const auto& [name, counter] : run.counters) {
        char text[64];
        std::snprintf(text, sizeof text, "%.1f %s", counter.value, name.c_str());
        row.rate = text;
      }
      rows_.push_back(row);
    }
  }

  void Finalize() override {
    std::sort(rows_.begin(), rows_.end(), [](const Row& one, const Row& other) {
      return std::pair(group_of(one.name), one.time) < std::pair(group_of(other.name), other.time);
    });
    std::map<std::string, double> ours;  // by group and argument
    for (const Row& row : rows_)
      if (group_of(row.name) + "/vsmax" == row.name)
        ours[group_of(row.name) + row.argument] = row.time;
    std::printf("%-36s %8s %10s %10s %8s\n", "medians of an interleaved run", "argument", "us",
                "fastest", "x vsmax");
    for (const Row& row : rows_) {
      const auto own = ours.find(group_of(row.name) + row.argument);
      std::printf("%-36s %8s %10.1f %10.1f ", row.name.c_str(), row.argument.c_str(), row.time,
                  fastest_.at(row.key()));
      if (own != ours.end())
        std::printf("%8.1f", row.time / own->second);
      else
        std::printf("%8s", "");
      std::printf("  %s\n", row.rate.c_str());
    }
    std::printf(
        "\nnet, pipeline: the argument is the number of threads, the time the wall's; "
        "all others: one thread, processor time.\nGFLOP/s are those of the plain convolution, of "
        "which Winograd's needs a part.\n");
    warn_if_disturbed();
  }

 private:
  struct Row {
    std::string name, argument;
    double time = 0.0;
    std::string rate;

    std::string key() const { return name + " " + argument; }
  };

  // A neighbour on the same core takes from dense code, which ours is, more than from code that
  // waits for the memory: ratios then say less.
  void warn_if_disturbed() const {
    constexpr double kCalm = 1.1;
    for (const Row& row : rows_) {
      const double slowdown = row.time / fastest_.at(row.key());
      if (row.name == "peak/arithmetic" && slowdown > kCalm)
        std::printf(
            "The machine was not calm: plain arithmetic took %.0f %% longer than in its fastest "
            "run.\n",
            100.0 * (slowdown - 1.0));
    }
  }

  static std::string group_of(const std::string& name) { return name.substr(0, name.find('/')); }

  std::vector<Row> rows_;
  std::map<std::string, double> fastest_;  // by key
};

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> flags = {argv[0], "--benchmark_enable_random_interleaving=true",
                                    "--benchmark_repetitions=41", "--benchmark_min_time=0.02"};
  flags.insert(flags.end(), argv + 1, argv + argc);
  std::vector<char*> pointers;
  for (auto& flag : flags) pointers.push_back(flag.data());
  int count = static_cast<int>(pointers.size());
  benchmark::Initialize(&count, pointers.data());
  if (benchmark::ReportUnrecognizedArguments(count, pointers.data())) return 2;
  RatioTable table;
  if (std::any_of(flags.begin(), flags.end(),
                  [](const std::string& flag) { return flag.rfind("--benchmark_out=", 0) == 0; })) {
    benchmark::JSONReporter file;
    benchmark::RunSpecifiedBenchmarks(&table, &file);
  } else {
    benchmark::RunSpecifiedBenchmarks(&table);
  }
  return 0;
}
