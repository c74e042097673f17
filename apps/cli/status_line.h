// SPDX-License-Identifier: Apache-2.0
// One line at the foot of a terminal, on standard error, drawn over and over; nothing in a pipe.
#pragma once

#include <string>

namespace vsmax::app {

bool status_line_shown();
void draw_status_line(const std::string& text);
void clear_status_line();

}  // namespace vsmax::app
