// SPDX-License-Identifier: Apache-2.0
// Exits with 0 if the installed library finds a line it has drawn, with either of its models.
#include <cmath>

#include "vsmax/data/synthetic.h"
#include "vsmax/recover/line_recoverer.h"

bool finds_the_line(const char* model) {
  vsmax::GrayImage image(128, 96);
  vsmax::render_line({128, 96}, {0.9, 11.0}, 0.2, {}, image.pixels.data());
  vsmax::LineRecoverer recover(vsmax::load_model(model));
  const auto lines = recover(image).lines;
  return lines.size() == 1 && std::abs(lines[0].line.theta - 0.9) < 0.05 &&
         std::abs(lines[0].line.rho - 11.0) < 2.0;
}

int main() { return finds_the_line("classic") && finds_the_line("paper") ? 0 : 1; }
