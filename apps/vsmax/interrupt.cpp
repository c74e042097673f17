// SPDX-License-Identifier: Apache-2.0
#include "vsmax/interrupt.h"

#include <csignal>

namespace vsmax::app {

namespace {

volatile std::sig_atomic_t interrupt_seen = 0;

extern "C" void note_interrupt(int signal) {
  interrupt_seen = 1;
  std::signal(signal, SIG_DFL);  // a second one ends the program at once
}

}  // namespace

void install_interrupt_handler() {
  std::signal(SIGINT, note_interrupt);
  std::signal(SIGTERM, note_interrupt);
}

bool interrupted() { return interrupt_seen != 0; }

}  // namespace vsmax::app
