// SPDX-License-Identifier: Apache-2.0
#include "stroke_options.h"

#include "cli/commands.h"

namespace vsmax::app {

void declare_stroke(CLI::App& parser, Stroke& stroke) {
  parser.add_option("--line-width", stroke.width, "Width of the lines in pixels")
      ->check(positive())
      ->capture_default_str();
  parser
      .add_option("--line-visible", stroke.visible,
                  "Share of each line that is drawn, in one piece at a random place")
      ->check(positive())
      ->check(fraction())
      ->capture_default_str();
  parser.add_flag("--line-dark", stroke.dark, "Draw black on white");
}

}  // namespace vsmax::app
