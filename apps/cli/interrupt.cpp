// SPDX-License-Identifier: Apache-2.0
#include "cli/interrupt.h"

#include <atomic>
#include <csignal>

namespace vsmax::app {
namespace {

std::atomic<bool> interrupt_seen{false};  // one thread handles the signal, all look at it
static_assert(std::atomic<bool>::is_always_lock_free);

extern "C" void note_interrupt(int) { interrupt_seen = true; }

}  // namespace

void install_interrupt_handler() {
  struct sigaction action {};
  action.sa_handler = note_interrupt;
  // A second one kills the program. No SA_RESTART: also interrupts reads from standard input.
  action.sa_flags = SA_RESETHAND;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

bool interrupted() { return interrupt_seen; }

}  // namespace vsmax::app
