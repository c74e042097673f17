// SPDX-License-Identifier: Apache-2.0
// The page of the explanation: four numbered square panels in a row, each with a headline above and
// a caption below. What the panels show is decided elsewhere.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "draw/canvas.h"

namespace vsmax::drawing {

class ExplainPage {
 public:
  static constexpr int kSide = 381;  // three pixels for each of the paper's 127 cells
  static constexpr int kCaptionLines = 3;

  explicit ExplainPage(const std::string& title);

  Canvas& canvas() { return canvas_; }
  RgbImage take() && { return std::move(canvas_).take(); }

  // The square of panel 1 to 4. Those of 2 and 3 have room for axes.
  Rect panel(int number) const;

  void headline(int number, const std::string& text);
  void caption(int number, const std::vector<std::string>& lines);  // each cut to the width
  void badge(int number, const std::string& text);                  // in the middle of the panel

  static int caption_width();

 private:
  Canvas canvas_;
  int top_;  // of the panels
};

}  // namespace vsmax::drawing
