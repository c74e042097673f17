// SPDX-License-Identifier: Apache-2.0
// What an Error says.
#pragma once

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>

#include "vsmax/base/error.h"

namespace vsmax::test {

// Passes if `action` throws an Error whose message holds every one of `parts`.
template <class Action>
::testing::AssertionResult throws_error_with(std::initializer_list<std::string> parts,
                                             const Action& action) {
  try {
    action();
  } catch (const Error& error) {
    const std::string message = error.what();
    for (const auto& part : parts)
      if (message.find(part) == std::string::npos)
        return ::testing::AssertionFailure()
               << "'" << message << "' does not name '" << part << "'";
    return ::testing::AssertionSuccess();
  }
  return ::testing::AssertionFailure() << "no Error was thrown";
}

}  // namespace vsmax::test
