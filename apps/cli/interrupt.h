// SPDX-License-Identifier: Apache-2.0
// Ctrl-C and SIGTERM set a flag that long work checks between items. Work that does not check
// leaves the handler out, and ends at once.
#pragma once

namespace vsmax::app {

void install_interrupt_handler();
bool interrupted();

}  // namespace vsmax::app
