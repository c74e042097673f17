// SPDX-License-Identifier: Apache-2.0
#include "cli/program.h"

#include <fmt/core.h>

#include <cstdio>
#include <exception>
#include <new>
#include <string>

#include "cli/commands.h"
#include "vsmax/base/error.h"

namespace vsmax::app {

void print_error(const std::string& sentence) { fmt::print(stderr, "vsmax: {}\n", sentence); }

int run_program(int (*run)(int argc, char** argv), int argc, char** argv) {
  try {
    const int code = run(argc, argv);
    if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
    print_error("standard output cannot be written");
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

}  // namespace vsmax::app
