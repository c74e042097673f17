// SPDX-License-Identifier: Apache-2.0
#include "cli/interrupt.h"

#include <atomic>
#include <csignal>

namespace vsmax::app {
namespace {

std::atomic<bool> interrupt_seen{false};  // set by the signal handler, read by all threads
static_assert(std::atomic<bool>::is_always_lock_free);

extern "C" void note_interrupt(int) { interrupt_seen = true; }

}  // namespace

void install_interrupt_handler() {
  struct sigaction action {};
  action.sa_handler = note_interrupt;
  // A second signal kills the program. Without SA_RESTART, blocked reads are interrupted as well.
  action.sa_flags = SA_RESETHAND;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

bool interrupted() { return interrupt_seen; }

}  // namespace vsmax::app
