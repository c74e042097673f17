// SPDX-License-Identifier: Apache-2.0
// Subcommands that need LibTorch live in a second executable, vsmax-torch, in the same folder.
// `vsmax train` executes it, as git does with its subcommands, so vsmax itself stays small and
// starts in milliseconds.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace vsmax::app {

// Whether `command` belongs to vsmax-torch.
bool needs_torch(const std::string& command);

// Whether the arguments ask to evaluate a weights file that only vsmax-torch can run.
bool evaluates_with_torch(int argc, char** argv);

// Lists the commands of vsmax-torch in the help.
void describe_handed_over(CLI::App& app);

// Executes vsmax-torch with the same arguments. Returns only after a failure, which it prints.
int hand_over(char** argv);

}  // namespace vsmax::app
