// SPDX-License-Identifier: Apache-2.0
// The subcommands of vsmax-torch, in the manner of vsmax's own.
#pragma once

#include "vsmax/commands.h"

namespace vsmax::app {

Command train_command(CLI::App& app);
Command reproduce_command(CLI::App& app);

}  // namespace vsmax::app
