// SPDX-License-Identifier: Apache-2.0
// A subcommand declares its options on the application and returns the function to run once they
// are parsed, which returns the exit code.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>

#include "cli/checks.h"
#include "vsmax/base/error.h"

namespace vsmax::app {

struct Command {
  CLI::App* parser = nullptr;
  std::function<int()> run;
};

inline constexpr int kSuccess = 0;
inline constexpr int kBadInput = 1;
inline constexpr int kWrongUsage = 2;
inline constexpr int kInterrupted = 130;  // what a shell reports after SIGINT

// An invalid option value or combination of options; the program exits with kWrongUsage.
class UsageError : public Error {
 public:
  using Error::Error;
};

// Calls body(), which passes option values to the library; its Error becomes a UsageError.
template <class Body>
auto with_usage_errors(const Body& body) {
  try {
    return body();
  } catch (const Error& error) {
    throw UsageError(error.what());
  }
}

// Calls run(argc, argv) for main and returns the exit code. Reports exceptions in one sentence;
// output that could not be written (full disk, closed pipe) counts as a failure.
int run_program(int (*run)(int argc, char** argv), int argc, char** argv);

// The Python interpreter that VSMAX_PYTHON names, otherwise the usual one.
std::string python_program(const std::string& usual);

// The option --threads; `usual` says what 0 means.
void declare_threads(CLI::App& parser, int& threads,
                     const std::string& usual = "one per processor");

// Makes the parser report a usage error in one sentence.
void shorten_usage_errors(CLI::App& app);

// Prints one sentence on standard error, after the program's name.
void print_error(const std::string& sentence);

}  // namespace vsmax::app
