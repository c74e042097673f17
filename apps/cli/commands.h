// SPDX-License-Identifier: Apache-2.0
// A subcommand declares its options on the application and returns what to run once they are
// parsed. What it runs returns the exit code.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>

namespace vsmax::app {

struct Command {
  CLI::App* parser = nullptr;
  std::function<int()> run;
};

inline constexpr int kSuccess = 0;
inline constexpr int kBadInput = 1;
inline constexpr int kWrongUsage = 2;
inline constexpr int kInterrupted = 130;  // as a shell reports a death by SIGINT

// The option --threads, the same for every command that has it.
void declare_threads(CLI::App& parser, int& threads);

// Rejects an empty value, which would otherwise read as "option not given".
CLI::Validator not_empty();

// Makes the parser report a usage error in one sentence instead of two lines.
void shorten_usage_errors(CLI::App& app);

// One sentence on standard error, after the program's name.
void print_error(const std::string& sentence);

}  // namespace vsmax::app
