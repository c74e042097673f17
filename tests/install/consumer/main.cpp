// SPDX-License-Identifier: Apache-2.0
// Exits with 0 if the installed library finds a line it has drawn.
#include <cmath>

#include "vsmax/data/synthetic.h"
#include "vsmax/recover/line_recoverer.h"

int main() {
  vsmax::GrayImage image(128, 96);
  vsmax::render_line({128, 96}, {0.9, 11.0}, 0.2, {}, image.pixels.data());
  vsmax::LineRecoverer recover(vsmax::load_model("classic"));
  const auto lines = recover(image).lines;
  return lines.size() == 1 && std::abs(lines[0].line.theta - 0.9) < 0.05 &&
                 std::abs(lines[0].line.rho - 11.0) < 2.0
             ? 0
             : 1;
}
