// SPDX-License-Identifier: Apache-2.0
#include "draw/font.h"

#include "draw/font_sheet.h"

namespace vsmax::drawing {

namespace {

constexpr int kLetterGap = 2;   // between letters
constexpr int kSpaceWidth = 3;  // a space has no ink to measure

bool continues_utf8(char letter) { return (static_cast<unsigned char>(letter) & 0xC0U) == 0x80U; }

bool has_ink(char letter, int column, int row) {
  const int index = (letter >= ' ' && letter <= '~' ? letter : '?') - ' ';
  const char* line = kFontSheet[index / kSheetColumns * kSheetCellHeight + row];
  return line[index % kSheetColumns * kSheetCellWidth + column] == '#';
}

int letter_width(char letter) {
  if (letter == ' ') return kSpaceWidth;
  for (int column = kSheetCellWidth - 1; column >= 0; --column)
    for (int row = 0; row < kSheetCellHeight; ++row)
      if (has_ink(letter, column, row)) return column + 1;
  return 0;
}

// Calls body(letter, x) with the column where each letter starts; returns the width of all.
template <class Body>
int for_each_letter(std::string_view text, const Body& body) {
  int x = 0;
  for (const char letter : text) {
    if (continues_utf8(letter)) continue;
    body(letter, x);
    x += letter_width(letter) + kLetterGap;
  }
  return x > 0 ? x - kLetterGap : 0;
}

}  // namespace

int text_width(std::string_view text, int scale) {
  return scale * for_each_letter(text, [](char, int) {});
}

void draw_text(Canvas& canvas, int x, int y, std::string_view text, Color color, int scale,
               TextDirection direction) {
  for_each_letter(text, [&](char letter, int start) {
    for (int row = 0; row < kSheetCellHeight; ++row)
      for (int column = 0; column < kSheetCellWidth; ++column) {
        if (!has_ink(letter, column, row)) continue;
        const int along = scale * (start + column);
        if (direction == TextDirection::kRightwards)
          canvas.fill({x + along, y + scale * row, scale, scale}, color);
        else
          canvas.fill({x + scale * row, y - along - scale, scale, scale}, color);
      }
  });
}

}  // namespace vsmax::drawing
