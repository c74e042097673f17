// SPDX-License-Identifier: Apache-2.0
// Ctrl-C and SIGTERM set a flag that long-running work checks between items. Commands that do not
// check it do not install the handler, so that a signal ends them at once.
#pragma once

namespace vsmax::app {

void install_interrupt_handler();
bool interrupted();

}  // namespace vsmax::app
