// SPDX-License-Identifier: Apache-2.0
// From exceptions to status codes: nothing is thrown across the C interface. Internal.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

#include "vsmax/c/vsmax.h"

namespace vsmax::c_interface {

// The caller's mistake, as opposed to a bad file or image.
class ArgumentError : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

// The caller's progress function asked to stop.
struct Stopped {};

// Turns the exception that is being handled into a status, and keeps its message for
// vsmax_last_error on this thread.
vsmax_status report_exception() noexcept;

template <class Body>
vsmax_status guarded(Body&& body) noexcept {
  try {
    std::forward<Body>(body)();
    return VSMAX_OK;
  } catch (...) {
    return report_exception();
  }
}

template <class T>
T& required(T* pointer, const char* name) {
  if (pointer == nullptr) throw ArgumentError(std::string(name) + " is NULL");
  return *pointer;
}

}  // namespace vsmax::c_interface
