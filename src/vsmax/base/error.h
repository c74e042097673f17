// SPDX-License-Identifier: Apache-2.0
// The library's only exception type. Its message is one sentence that names the offending value and
// can be shown to the user unchanged; the library itself never prints and never aborts.
#pragma once

#include <stdexcept>

namespace vsmax {

class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace vsmax
