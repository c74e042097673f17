// SPDX-License-Identifier: Apache-2.0
// The subcommands of vsmax-torch, one source file each.
#pragma once

#include "cli/commands.h"

namespace vsmax::app {

Command evaluate_command(CLI::App& app);
Command reproduce_command(CLI::App& app);
Command scenes_command(CLI::App& app);
Command train_command(CLI::App& app);

}  // namespace vsmax::app
