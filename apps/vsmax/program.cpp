// SPDX-License-Identifier: Apache-2.0
#include "vsmax/program.h"

#include <fmt/core.h>

#include <cstdio>
#include <exception>
#include <new>
#include <string>

#include "vsmax/base/error.h"
#include "vsmax/commands.h"

namespace vsmax::app {

void complain(const std::string& sentence) { fmt::print(stderr, "vsmax: {}\n", sentence); }

int run_program(int (*run)(int argc, char** argv), int argc, char** argv) {
  try {
    const int code = run(argc, argv);
    if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
    complain("standard output cannot be written");
  } catch (const Error& error) {
    complain(error.what());
  } catch (const std::bad_alloc&) {
    complain("not enough memory");
  } catch (const std::exception& error) {
    // LibTorch's messages go on with a stack trace.
    const std::string text = error.what();
    complain(fmt::format("unexpected failure: {}", text.substr(0, text.find('\n'))));
  }
  return kBadInput;
}

}  // namespace vsmax::app
