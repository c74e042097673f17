// SPDX-License-Identifier: Apache-2.0
// One function a subcommand: it declares its options on the application and returns what to run
// once they are parsed. What it runs returns the exit code: 0, or 1 for bad input (wrong usage, 2,
// is the parser's).
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>

namespace vsmax::app {

struct Command {
  CLI::App* parser = nullptr;
  std::function<int()> run;
};

Command detect_command(CLI::App& app);
Command evaluate_command(CLI::App& app);
Command models_command(CLI::App& app);
Command synth_command(CLI::App& app);

inline constexpr int kSuccess = 0;
inline constexpr int kBadInput = 1;
inline constexpr int kWrongUsage = 2;
inline constexpr int kInterrupted = 130;  // as a shell reports a death by SIGINT

// One sentence on standard error, after the name of the program.
void complain(const std::string& sentence);

}  // namespace vsmax::app
