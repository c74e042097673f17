// SPDX-License-Identifier: Apache-2.0
#include "draw/explain_page.h"

#include <algorithm>

#include "draw/font.h"
#include "draw/strip_plot.h"
#include "draw/text_layout.h"
#include "draw/theme.h"

namespace vsmax::drawing {

namespace {

constexpr int kMargin = 36;
constexpr int kGap = 30;            // between panels, beside the room for their axes
constexpr int kGapAfterPlots = 56;  // without an axis between
constexpr int kLargeText = 2;
constexpr int kTitleHeight = 58;
constexpr int kHeadlineHeight = 36;
constexpr int kAboveCaption = 14;

constexpr int page_width() {
  return 2 * kMargin + 4 * ExplainPage::kSide + 2 * kGap + kGapAfterPlots + 2 * kAxisLeft;
}

int panel_top(const std::string& title) {
  return kMargin + (title.empty() ? 0 : kTitleHeight) + kHeadlineHeight;
}

int page_height(const std::string& title) {
  return panel_top(title) + ExplainPage::kSide + kAxisBelow + kAboveCaption +
         (ExplainPage::kCaptionLines - 1) * kLineHeight + kCapitalHeight + kMargin;
}

}  // namespace

ExplainPage::ExplainPage(const std::string& title)
    : canvas_(page_width(), page_height(title), kPaper), top_(panel_top(title)) {
  if (title.empty()) return;
  draw_text(canvas_, kMargin, kMargin, fit_text(title, page_width() - 2 * kMargin, kLargeText),
            kInk, kLargeText);
  canvas_.fill({kMargin, kMargin + kTitleHeight - 22, page_width() - 2 * kMargin, 1}, kFrame);
}

int ExplainPage::caption_width() { return kSide + kGap; }

Rect ExplainPage::panel(int number) const {
  const int plots_before = std::clamp(number - 1, 0, 2);
  return {kMargin + (number - 1) * kSide + plots_before * (kGap + kAxisLeft) +
              (number == 4 ? kGapAfterPlots : 0),
          top_, kSide, kSide};
}

void ExplainPage::headline(int number, const std::string& text) {
  const Rect box = panel(number);
  const std::string digit = std::to_string(number);
  const int y = box.y - kHeadlineHeight;
  draw_text(canvas_, box.x, y, digit, kLineColor, kLargeText);
  draw_text(canvas_, box.x + text_width(digit, kLargeText) + 12, y, text, kInk, kLargeText);
}

void ExplainPage::caption(int number, const std::vector<std::string>& lines) {
  int y = top_ + kSide + kAxisBelow + kAboveCaption;
  for (const std::string& line : lines) {
    draw_text(canvas_, panel(number).x, y, fit_text(line, caption_width()), kInk);
    y += kLineHeight;
  }
}

void ExplainPage::badge(int number, const std::string& text) {
  constexpr int kPadding = 10;
  const Rect box = panel(number);
  const int width = text_width(text) + 2 * kPadding;
  const int height = kCapitalHeight + 2 * kPadding;
  const Rect area{box.x + (kSide - width) / 2, box.y + (kSide - height) / 2, width, height};
  canvas_.fill(area, kPaper);
  canvas_.outline(area, kInk);
  draw_text(canvas_, area.x + kPadding, area.y + kPadding, text, kInk);
}

}  // namespace vsmax::drawing
