// SPDX-License-Identifier: Apache-2.0
#include "draw/text_layout.h"

#include <cmath>
#include <cstdio>

#include "draw/font.h"

namespace vsmax::drawing {

std::string fixed(double value, int decimals) {
  char text[64];
  if (!(std::abs(value) < 1e7)) {
    std::snprintf(text, sizeof text, "%.3g", value);
    return text;
  }
  const double step = std::pow(10.0, -decimals);
  const double rounds_to_zero = std::abs(value) < 0.5 * step ? 0.0 : value;
  std::snprintf(text, sizeof text, "%.*f", decimals, rounds_to_zero);
  return text;
}

std::string fit_text(const std::string& text, int width, int scale) {
  if (text_width(text, scale) <= width) return text;
  std::string kept = text;
  while (!kept.empty() && text_width(kept + "...", scale) > width) kept.pop_back();
  return kept + "...";
}

std::vector<std::string> flow(const std::vector<std::string>& items, const std::string& separator,
                              int width, int scale) {
  std::vector<std::string> lines;
  for (const std::string& item : items) {
    if (!lines.empty() && text_width(lines.back() + separator + item, scale) <= width)
      lines.back() += separator + item;
    else
      lines.push_back(item);
  }
  return lines;
}

}  // namespace vsmax::drawing
