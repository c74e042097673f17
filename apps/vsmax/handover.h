// SPDX-License-Identifier: Apache-2.0
// Subcommands that need LibTorch live in a second executable, vsmax-torch, beside this one; as git
// does with its own, `vsmax train` becomes it. So this one starts in milliseconds and stays small.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace vsmax::app {

// Whether `command` belongs to vsmax-torch.
bool needs_torch(const std::string& command);

// Whether the arguments ask to evaluate a weights file of a model that only vsmax-torch runs.
bool evaluates_with_torch(int argc, char** argv);

// Lists those commands in the help.
void describe_handed_over(CLI::App& app);

// Becomes vsmax-torch with the same arguments; returns only if that fails, after saying why.
int hand_over(char** argv);

}  // namespace vsmax::app
