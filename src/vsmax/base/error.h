// SPDX-License-Identifier: Apache-2.0
// The one exception type of the library. Its message is one sentence that names the offending
// value, fit to be shown to a user as it is; the library itself never prints and never aborts.
#pragma once

#include <stdexcept>

namespace vsmax {

class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace vsmax
