// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include "cli/commands.h"

namespace vsmax::app {

void declare_threads(CLI::App& parser, int& threads) {
  constexpr int kMostThreads = 4096;
  parser.add_option("--threads", threads, "Number of threads; 0 means one per processor")
      ->check(CLI::Range(0, kMostThreads))
      ->capture_default_str();
}

CLI::Validator not_empty() {
  return CLI::Validator(
      [](const std::string& text) { return text.empty() ? "must not be empty" : ""; }, "");
}

void shorten_usage_errors(CLI::App& app) {
  app.failure_message([](const CLI::App* parser, const CLI::Error& error) {
    std::string name = parser->get_name();
    for (const CLI::App* command : parser->get_subcommands()) name += " " + command->get_name();
    return fmt::format("{}: {} (see '{} --help')\n", parser->get_name(), error.what(), name);
  });
}

}  // namespace vsmax::app
