// SPDX-License-Identifier: Apache-2.0
#include "draw/font.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "draw/font_sheet.h"
#include "draw/text_layout.h"

namespace vsmax::drawing {
namespace {

constexpr Color kPaper{255, 255, 255};
constexpr Color kInk{0, 0, 0};

struct Extent {
  int left = 1000, right = -1, top = 1000, bottom = -1;
};

Extent ink_of(const Canvas& canvas) {
  Extent extent;
  for (int row = 0; row < canvas.height(); ++row)
    for (int column = 0; column < canvas.width(); ++column) {
      if (canvas.at(column, row) == kPaper) continue;
      extent.left = std::min(extent.left, column);
      extent.right = std::max(extent.right, column);
      extent.top = std::min(extent.top, row);
      extent.bottom = std::max(extent.bottom, row);
    }
  return extent;
}

Canvas drawn(const std::string& text, int scale = 1) {
  Canvas canvas(400, 60, kPaper);
  draw_text(canvas, 5, 7, text, kInk, scale);
  return canvas;
}

TEST(Font, SheetHoldsWholeCells) {
  EXPECT_GE(std::size(kFontSheet) / kSheetCellHeight * kSheetColumns, std::size_t{95});
  for (const char* line : kFontSheet)
    EXPECT_EQ(std::string(line).size(), std::size_t{kSheetColumns * kSheetCellWidth});
}

TEST(Font, EveryPrintableLetterHasItsOwnShape) {
  std::set<std::vector<std::uint8_t>> shapes;
  for (char letter = ' '; letter <= '~'; ++letter)
    shapes.insert(drawn(std::string(1, letter)).take().pixels);
  EXPECT_EQ(shapes.size(), std::size_t{95});
}

TEST(Font, WidthIsThatOfTheInk) {
  for (const int scale : {1, 2, 3})
    for (const std::string text : {"H", "theta -12.34 deg", "My", "a b"}) {
      const Extent extent = ink_of(drawn(text, scale));
      EXPECT_EQ(extent.left, 5) << text;
      EXPECT_EQ(extent.right, 5 + text_width(text, scale) - 1) << text;
    }
  EXPECT_EQ(text_width(""), 0);
}

TEST(Font, HeightsAreAsDeclared) {
  const Extent capital = ink_of(drawn("H"));
  EXPECT_EQ(capital.top, 7);
  EXPECT_EQ(capital.bottom, 7 + kCapitalHeight - 1);
  EXPECT_EQ(ink_of(drawn("g")).bottom, 7 + kTextHeight - 1);
}

TEST(Font, DigitsAreEquallyWide) {
  for (char digit = '0'; digit <= '9'; ++digit)
    EXPECT_EQ(text_width(std::string(1, digit)), text_width("0")) << digit;
}

TEST(Font, UpwardsIsAQuarterTurn) {
  const std::string text = "rho";
  Canvas upwards(60, 400, kPaper);
  draw_text(upwards, 7, 395, text, kInk, 1, TextDirection::kUpwards);
  const Canvas rightwards = drawn(text);
  for (int along = 0; along < text_width(text); ++along)
    for (int down = 0; down < kTextHeight; ++down)
      ASSERT_EQ(upwards.at(7 + down, 394 - along), rightwards.at(5 + along, 7 + down));
}

TEST(Font, ForeignCharactersBecomeOneQuestionMark) {
  EXPECT_EQ(drawn("M\xC3\xB6"
                  "b")
                .take()
                .pixels,
            drawn("M?b").take().pixels);
  EXPECT_EQ(drawn("\t\x7F").take().pixels, drawn("??").take().pixels);
}

TEST(TextLayout, FixedNumbers) {
  EXPECT_EQ(fixed(-0.001, 2), "0.00");
  EXPECT_EQ(fixed(-12.345, 1), "-12.3");
  EXPECT_EQ(fixed(3.0, 0), "3");
  EXPECT_LT(fixed(-1.5e200, 2).size(), std::size_t{12});
}

TEST(TextLayout, CutTextFits) {
  const std::string text = "a_rather_long_file_name_of_a_photograph.png";
  for (int width = text_width("..."); width < text_width(text) + 10; ++width) {
    const std::string cut = fit_text(text, width);
    ASSERT_LE(text_width(cut), width);
    ASSERT_EQ(cut == text, width >= text_width(text));
  }
}

TEST(TextLayout, FlowedLinesFitAndLoseNothing) {
  const std::vector<std::string> items{"one", "two", "three", "four", "five", "six", "seven"};
  for (int width = text_width("seven"); width < 300; width += 7) {
    std::string joined;
    for (const std::string& line : flow(items, " ", width)) {
      ASSERT_LE(text_width(line), width);
      joined += (joined.empty() ? "" : " ") + line;
    }
    ASSERT_EQ(joined, "one two three four five six seven");
  }
}

}  // namespace
}  // namespace vsmax::drawing
