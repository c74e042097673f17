// SPDX-License-Identifier: Apache-2.0
#include "cli/interrupt.h"

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
  struct sigaction action {};
  action.sa_handler = note_interrupt;
  action.sa_flags = 0;  // no SA_RESTART: waiting for standard input ends too
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

bool interrupted() { return interrupt_seen != 0; }

}  // namespace vsmax::app
