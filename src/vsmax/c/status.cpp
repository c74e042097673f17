// SPDX-License-Identifier: Apache-2.0
#include "vsmax/c/status.h"

#include <array>
#include <cstdio>
#include <new>

#include "vsmax/base/error.h"

namespace vsmax::c_interface {
namespace {

// Fixed memory, so that running out of memory can be reported too; room for the longest path and a
// sentence.
thread_local std::array<char, 4608> last_error{};

vsmax_status keep(vsmax_status status, const char* message) noexcept {
  static_cast<void>(std::snprintf(last_error.data(), last_error.size(), "%s", message));
  return status;
}

}  // namespace

vsmax_status report_exception() noexcept {
  try {
    throw;
  } catch (const ArgumentError& error) {
    return keep(VSMAX_ERROR_ARGUMENT, error.what());
  } catch (const Error& error) {
    return keep(VSMAX_ERROR_INPUT, error.what());
  } catch (const Stopped&) {
    return keep(VSMAX_ERROR_STOPPED, "stopped by the progress function");
  } catch (const std::bad_alloc&) {
    return keep(VSMAX_ERROR_MEMORY, "not enough memory");
  } catch (const std::exception& error) {
    return keep(VSMAX_ERROR_INTERNAL, error.what());
  } catch (...) {
    return keep(VSMAX_ERROR_INTERNAL, "an unknown error occurred");
  }
}

}  // namespace vsmax::c_interface

const char* vsmax_last_error(void) { return vsmax::c_interface::last_error.data(); }
