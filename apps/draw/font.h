// SPDX-License-Identifier: Apache-2.0
// A small proportional bitmap font for printable ASCII, enlarged by whole factors.
#pragma once

#include <string_view>

#include "draw/canvas.h"

namespace vsmax::drawing {

// At scale 1: from the top of the capitals to the base line, and to the foot of the descenders.
inline constexpr int kCapitalHeight = 10;
inline constexpr int kTextHeight = 13;
inline constexpr int kLineHeight = 18;  // from one line of a paragraph to the next

enum class TextDirection { kRightwards, kUpwards };

// From the first to the last column of ink. UTF-8 beyond ASCII is drawn as one '?' per character,
// since file names may hold anything.
int text_width(std::string_view text, int scale = 1);

// (x, y) is the corner where the capitals of the text begin.
void draw_text(Canvas& canvas, int x, int y, std::string_view text, Color color, int scale = 1,
               TextDirection direction = TextDirection::kRightwards);

}  // namespace vsmax::drawing
