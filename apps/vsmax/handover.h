// SPDX-License-Identifier: Apache-2.0
// Subcommands that need LibTorch live in a second executable, vsmax-torch, in the same folder.
// `vsmax train` executes it, as git does with its subcommands, so vsmax itself stays small and
// starts in milliseconds.
#pragma once

#include <CLI/CLI.hpp>

namespace vsmax::app {

// Whether the arguments are for vsmax-torch: one of its commands, or the evaluation of a weights
// file that only it can run.
bool needs_torch(int argc, char** argv);

// Lists the commands of vsmax-torch in the help.
void describe_handed_over(CLI::App& app);

// Executes vsmax-torch with the same arguments. Throws Error.
[[noreturn]] void hand_over(char** argv);

}  // namespace vsmax::app
