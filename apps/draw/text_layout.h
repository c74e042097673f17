// SPDX-License-Identifier: Apache-2.0
// Words for captions: numbers as text, and text cut or flowed into a given width.
#pragma once

#include <string>
#include <vector>

namespace vsmax::drawing {

// With this many digits behind the point, without "-0.0"; in powers of ten where that is too long.
std::string fixed(double value, int decimals);

// The text, or as much of its beginning as fits in the width, then "...".
std::string fit_text(const std::string& text, int width, int scale = 1);

// The items in order, as many per line as fit; an item is never broken, so one wider than the
// width stands alone.
std::vector<std::string> flow(const std::vector<std::string>& items, const std::string& separator,
                              int width, int scale = 1);

}  // namespace vsmax::drawing
