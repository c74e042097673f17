// SPDX-License-Identifier: Apache-2.0
#include "reproduce_display.h"

#include <fmt/core.h>

#include "cli/commands.h"
#include "cli/interrupt.h"

namespace vsmax::app {

std::string ReproduceDisplay::clock() const {
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start_;
  return clock_text(passed.count());
}

void ReproduceDisplay::on_plan(std::size_t runs, std::size_t finished) {
  fmt::print("{} runs, {} already finished\n", runs, finished);
  std::fflush(stdout);
}

void ReproduceDisplay::on_start(const std::string& run) {
  line_.clear();
  fmt::print("{:>8}  {} started\n", clock(), run);
  std::fflush(stdout);
}

void ReproduceDisplay::on_finish(const std::string& run, const Json& result) {
  line_.clear();
  std::string text = fmt::format("{:>8}  {} finished", clock(), run);
  if (result.contains("epochs")) text += fmt::format(", {} epochs", result["epochs"].get<int>());
  const Json& scores = result["evaluation"]["results"];
  for (const Json* entry : {&scores.front(), &scores.back()})
    text += fmt::format(", EA {:.4f} at sigma {:g}", (*entry)["all"]["mean"].get<double>(),
                        (*entry)["sigma"].get<double>());
  fmt::print("{}\n", text);
  std::fflush(stdout);
}

void ReproduceDisplay::on_failure(const std::string& run, const std::string& reason) {
  line_.clear();
  print_error(fmt::format("{} failed: {}", run, reason));
}

void ReproduceDisplay::on_progress(const std::vector<ActiveRun>& active, std::size_t finished,
                                   std::size_t runs) {
  std::string text = fmt::format("{}/{} runs, {}", finished, runs, clock());
  for (const ActiveRun& run : active) text += fmt::format("; {} {}", run.name, run.progress);
  line_.show(text);
}

bool ReproduceDisplay::wants_stop() { return interrupted(); }

}  // namespace vsmax::app
