// SPDX-License-Identifier: Apache-2.0
// Runs every benchmark interleaved with the others, so that a change of the machine's speed hits
// all alike, and prints the medians with their ratios to ours.
#include <benchmark/benchmark.h>

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
    for (const Run& run : runs)
      if (run.run_type == Run::RT_Aggregate && run.aggregate_name == "median")
        medians_.emplace_back(run.run_name.function_name, run.GetAdjustedCPUTime());
  }

  void Finalize() override {
    std::map<std::string, double> ours;
    for (const auto& [name, time] : medians_)
      if (group_of(name) + "/vsmax" == name) ours[group_of(name)] = time;
    std::printf("%-44s %12s %10s\n", "median of an interleaved run, one thread", "us/image",
                "x vsmax");
    for (const auto& [name, time] : medians_)
      std::printf("%-44s %12.1f %10.1f\n", name.c_str(), time, time / ours[group_of(name)]);
  }

 private:
  static std::string group_of(const std::string& name) { return name.substr(0, name.find('/')); }

  std::vector<std::pair<std::string, double>> medians_;
};

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> flags = {argv[0], "--benchmark_enable_random_interleaving=true",
                                    "--benchmark_repetitions=9", "--benchmark_min_time=0.05"};
  flags.insert(flags.end(), argv + 1, argv + argc);
  std::vector<char*> pointers;
  for (auto& flag : flags) pointers.push_back(flag.data());
  int count = static_cast<int>(pointers.size());
  benchmark::Initialize(&count, pointers.data());
  if (benchmark::ReportUnrecognizedArguments(count, pointers.data())) return 2;
  RatioTable table;
  benchmark::RunSpecifiedBenchmarks(&table);
  return 0;
}
