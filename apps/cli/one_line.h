// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace vsmax::app {

// Text, such as a file's name, for one line of output: what would break the line or control a
// terminal is written as \n, \x1b or \u2028.
std::string one_line(std::string_view text);

}  // namespace vsmax::app
