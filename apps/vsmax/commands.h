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

// The option --threads, the same for all that have it.
void declare_threads(CLI::App& parser, int& threads);
// For an option whose empty text would mean that it was not given.
CLI::Validator not_empty();
// One sentence for a mistake in the arguments, instead of the parser's two lines.
void shorten_complaints(CLI::App& app);

// One sentence on standard error, after the name of the program.
void complain(const std::string& sentence);

}  // namespace vsmax::app
