// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <string>

#include "cli/commands.h"
#include "cli/one_line.h"
#include "vsmax/score/evaluation.h"

namespace vsmax::app {

void print_error(const std::string& sentence) {
  fmt::print(stderr, "vsmax: {}\n", one_line(sentence));
}

int run_program(int (*run)(int argc, char** argv), int argc, char** argv) {
  try {
    const int code = run(argc, argv);
    if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
    print_error("standard output cannot be written");
  } catch (const Interrupted&) {
    print_error("interrupted");
    return kInterrupted;
  } catch (const UsageError& error) {
    print_error(error.what());
    return kWrongUsage;
  } catch (const Error& error) {
    print_error(error.what());
  } catch (const std::bad_alloc&) {
    print_error("not enough memory");
  } catch (const std::exception& error) {
    // LibTorch appends a stack trace.
    const std::string text = error.what();
    print_error(fmt::format("unexpected failure: {}", text.substr(0, text.find('\n'))));
  }
  return kBadInput;
}

std::string python_program(const std::string& usual) {
  const char* named = std::getenv("VSMAX_PYTHON");
  return named != nullptr && *named != '\0' ? named : usual;
}

void declare_threads(CLI::App& parser, int& threads, const std::string& usual) {
  constexpr int kMostThreads = 4096;
  parser.add_option("--threads", threads, "Number of threads; 0 means " + usual)
      ->transform(whole(0, kMostThreads))
      ->capture_default_str();
}

void shorten_usage_errors(CLI::App& app) {
  app.failure_message([](const CLI::App* parser, const CLI::Error& error) {
    std::string name = parser->get_name();
    if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError) &&
        parser->get_subcommands().empty())
      return fmt::format("{0}: there is no command '{1}' (see '{0} --help')\n", name,
                         one_line(parser->remaining().front()));
    for (const CLI::App* command : parser->get_subcommands()) name += " " + command->get_name();
    return fmt::format("{}: {} (see '{} --help')\n", parser->get_name(),
                       one_line(usage_sentence(error)), name);
  });
}

}  // namespace vsmax::app
