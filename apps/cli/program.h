// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace vsmax::app {

// Returns the exit code of run(argc, argv). An exception becomes one sentence on standard error;
// output that cannot be written (full disk, closed pipe) counts as a failure.
int run_program(int (*run)(int argc, char** argv), int argc, char** argv);

}  // namespace vsmax::app
