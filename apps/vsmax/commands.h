// SPDX-License-Identifier: Apache-2.0
// The subcommands of vsmax, one source file each.
#pragma once

#include "cli/commands.h"

namespace vsmax::app {

Command detect_command(CLI::App& app);
Command evaluate_command(CLI::App& app);
Command models_command(CLI::App& app);
Command synth_command(CLI::App& app);

}  // namespace vsmax::app
