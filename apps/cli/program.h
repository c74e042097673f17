// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace vsmax::app {

// The exit code of run(argc, argv): what it throws becomes a sentence, and output that could not be
// written, to a full disk or a closed pipe, is no success.
int run_program(int (*run)(int argc, char** argv), int argc, char** argv);

}  // namespace vsmax::app
