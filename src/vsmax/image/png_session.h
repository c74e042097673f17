// SPDX-License-Identifier: Apache-2.0
// libpng reports errors by longjmp, which must not skip C++ destructors: every call that can fail
// runs inside PngSession::guarded, whose frames own nothing. Internal.
#pragma once

#include <png.h>

#include <array>
#include <csetjmp>
#include <cstdio>
#include <string>

namespace vsmax {

class PngSession {
 public:
  PngSession() = default;
  PngSession(const PngSession&) = delete;  // libpng keeps a pointer to this object
  PngSession& operator=(const PngSession&) = delete;

 protected:
  ~PngSession() = default;

  // Runs `step`, which must own nothing, and says whether libpng finished it without an error.
  template <typename Step>
  bool guarded(const Step& step) {
    if (setjmp(escape_) != 0) return false;  // NOLINT(cert-err52-cpp): libpng's error interface
    step();
    return true;
  }

  [[noreturn]] static void on_error(png_structp png, png_const_charp text) {
    auto* session = static_cast<PngSession*>(png_get_error_ptr(png));
    static_cast<void>(
        std::snprintf(session->message_.data(), session->message_.size(), "%s", text));
    std::longjmp(session->escape_, 1);  // NOLINT(cert-err52-cpp): libpng's error interface
  }
  static void ignore_warning(png_structp /*png*/, png_const_charp /*text*/) {}

  std::string message() const { return message_.data(); }

  png_structp png_ = nullptr;
  png_infop info_ = nullptr;

 private:
  std::jmp_buf escape_{};
  std::array<char, 160> message_{"out of memory"};  // the reason if libpng cannot even start
};

}  // namespace vsmax
