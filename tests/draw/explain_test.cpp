// SPDX-License-Identifier: Apache-2.0
#include "draw/explain.h"

#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "draw/explain_page.h"
#include "draw/explain_text.h"
#include "draw/font.h"
#include "draw/strip_plot.h"
#include "draw/theme.h"
#include "vsmax/base/error.h"
#include "vsmax/data/synthetic.h"

namespace vsmax::drawing {
namespace {

struct Explained {
  Recovery recovery;
  RecoveryTrace trace;
  RgbImage picture;
};

Explained explain(const GrayImage& image, const std::string& title = "title",
                  const std::string& model = "classic") {
  Explained result;
  LineRecoverer recover(load_model(model));
  result.recovery = recover(image, &result.trace);
  result.picture = draw_explanation(image, result.recovery, result.trace, title);
  return result;
}

GrayImage line_image(int width, int height, PixelLine line, double sigma = 0.0) {
  GrayImage image(width, height);
  render_line({width, height}, line, sigma, {}, image.pixels.data());
  return image;
}

Color pixel(const RgbImage& image, double x, double y) {
  const auto i = 3 * (static_cast<std::size_t>(y) * static_cast<std::size_t>(image.width) +
                      static_cast<std::size_t>(x));
  return {image.pixels[i], image.pixels[i + 1], image.pixels[i + 2]};
}

bool is_line_coloured(Color color) {
  return std::abs(color.red - kLineColor.red) + std::abs(color.green - kLineColor.green) +
             std::abs(color.blue - kLineColor.blue) <
         90;
}

// Anything on the outermost pixels would be text or a picture that was cut.
void expect_free_border(const RgbImage& picture, const std::string& what) {
  constexpr int kFree = 20;
  int touched = 0;
  for (int row = 0; row < picture.height; ++row)
    for (int column = 0; column < picture.width; ++column) {
      const bool border = row < kFree || column < kFree || row >= picture.height - kFree ||
                          column >= picture.width - kFree;
      if (border && !(pixel(picture, column, row) == kPaper)) ++touched;
    }
  EXPECT_EQ(touched, 0) << what;
}

TEST(Explain, RingsTheRecoveredLineInBothPlots) {
  const Explained e = explain(line_image(256, 256, {0.7, 30.0}, 0.3));
  ASSERT_EQ(e.recovery.lines.size(), std::size_t{1});
  const ExplainPage page("title");
  const Point at = position_in_plot(*e.trace.grid, ExplainPage::kSide, e.trace.line);
  for (const int panel : {2, 3})
    for (const double angle : {0.5, 2.0, 4.0}) {
      const double x = page.panel(panel).x + at.x + kRingRadius * std::cos(angle);
      const double y = page.panel(panel).y + at.y + kRingRadius * std::sin(angle);
      EXPECT_TRUE(is_line_coloured(pixel(e.picture, x, y))) << panel << " at " << angle;
    }
}

TEST(Explain, RingsBothSidesOfTheSeam) {
  const Explained e = explain(line_image(256, 256, {3.13, 20.0}));
  const ExplainPage page("title");
  for (const int panel : {2, 3}) {
    int left = 0;
    int right = 0;
    const Rect plot = page.panel(panel);
    for (int row = plot.y; row < plot.bottom(); ++row)
      for (int column = 2; column < 12; ++column) {
        left += is_line_coloured(pixel(e.picture, plot.x + column, row)) ? 1 : 0;
        right += is_line_coloured(pixel(e.picture, plot.right() - 1 - column, row)) ? 1 : 0;
      }
    EXPECT_GT(left, 10) << panel;
    EXPECT_GT(right, 10) << panel;
  }
}

TEST(Explain, MarksTheEndsOfTheLine) {
  const GrayImage image = line_image(200, 100, {1.2, 10.0});
  const Explained e = explain(image);
  ASSERT_TRUE(e.recovery.lines.at(0).visible);
  const Rect panel = ExplainPage("title").panel(4);
  const double scale = static_cast<double>(panel.width) / 200.0;
  for (const auto& end : {e.recovery.lines[0].visible->begin, e.recovery.lines[0].visible->end}) {
    const double x = panel.x + (end[0] + 100.0) * scale;
    const double y = panel.y + 0.5 * panel.height + end[1] * scale;
    EXPECT_TRUE(is_line_coloured(pixel(e.picture, x, y)));
    EXPECT_GT(pixel(e.picture, x + 4.2, y).blue, 200);  // the white rim around the mark
  }
}

TEST(Explain, ConstantImageHasNoLineAndNoRing) {
  const Explained e = explain(GrayImage(64, 64, 0.5F));
  EXPECT_EQ(distribution_of(e.trace), Distribution::kNone);
  const ExplainPage page("title");
  for (const int panel : {1, 2, 3, 4}) {
    const Rect box = page.panel(panel);
    for (int row = box.y; row < box.bottom(); ++row)
      for (int column = box.x; column < box.right(); ++column)
        ASSERT_FALSE(is_line_coloured(pixel(e.picture, column, row))) << panel;
  }
}

TEST(Explain, AnySizeGivesTheSamePageWithFreeBorders) {
  const RgbImage usual = explain(line_image(256, 256, {0.7, 30.0})).picture;
  for (const auto& [width, height] :
       {std::pair{2, 2}, {2, 3}, {3000, 20}, {20, 3000}, {7, 2}, {640, 360}}) {
    GrayImage image(width, height);
    image.at(0, 0) = 1.0F;
    for (const std::string model : {"classic", "argmax"}) {
      const RgbImage picture = explain(image, "title", model).picture;
      EXPECT_EQ(picture.width, usual.width);
      EXPECT_EQ(picture.height, usual.height);
      expect_free_border(picture, std::to_string(width) + "x" + std::to_string(height));
    }
  }
}

TEST(Explain, LongTitlesAreCut) {
  const GrayImage image = line_image(64, 64, {0.7, 3.0});
  expect_free_border(explain(image, std::string(1000, 'W')).picture, "long title");
  expect_free_border(explain(image, "").picture, "no title");
}

// Grids that no image size leads to, but a learned model may bring.
TEST(Explain, DegenerateGrids) {
  const GrayImage image = line_image(64, 48, {0.7, 3.0});
  for (const auto& [thetas, rhos] : {std::pair{127, 3}, {1, 3}, {2, 5}, {5, 901}, {400, 9}}) {
    const HoughGrid grid({256, 256}, thetas, rhos);
    RecoveryTrace trace{image,
                        grid,
                        std::vector<float>(grid.cells(), 1.0F),
                        std::vector<float>(grid.cells(), 1.0F / static_cast<float>(grid.cells())),
                        {3.1, 40.0}};
    const PixelLine line{3.1, 9.0};
    const Recovery recovery{{{line, 0.5, visible_segment(line, {64, 48})}}};
    expect_free_border(draw_explanation(image, recovery, trace, "grid"), std::to_string(rhos));
  }
}

TEST(Explain, LinesFarOutsideAreDrawable) {
  const GrayImage image = line_image(64, 48, {0.7, 3.0});
  Explained e = explain(image);
  const PixelLine line{1.0, -1e9};
  e.trace.line = line;
  const Recovery recovery{{{line, 0.0, std::nullopt}}};
  expect_free_border(draw_explanation(image, recovery, e.trace, "far"), "far");
}

TEST(Explain, EmptyTraceIsRefused) {
  EXPECT_THROW(draw_explanation(GrayImage(8, 8), {}, {}, ""), Error);
}

TEST(Explain, CaptionsFitTheirPanels) {
  const GrayImage large(2, 2);
  std::vector<std::vector<std::string>> captions{image_caption(large, true),
                                                 accumulator_caption(large, {16384, 16384}),
                                                 accumulator_caption(large, {2, 2})};
  for (const Distribution kind :
       {Distribution::kNone, Distribution::kProbabilities, Distribution::kScores}) {
    captions.push_back(distribution_caption(kind));
    captions.push_back(line_caption({}, kind));
    const RecoveredLine line{{3.14, -9999999.99}, 1.0, std::nullopt};
    captions.push_back(line_caption({{line, line, line}}, kind));
  }
  for (const auto& lines : captions) {
    EXPECT_LE(lines.size(), std::size_t{ExplainPage::kCaptionLines}) << lines.front();
    for (const std::string& line : lines)
      EXPECT_LE(text_width(line), ExplainPage::caption_width()) << line;
  }
}

TEST(Explain, ScoresAreNotCalledProbabilities) {
  const GrayImage image = line_image(64, 64, {0.7, 3.0}, 0.2);
  EXPECT_EQ(distribution_of(explain(image).trace), Distribution::kProbabilities);
  EXPECT_EQ(distribution_of(explain(image, "", "argmax").trace), Distribution::kScores);
  EXPECT_EQ(percent_text(0.375), "37.5 %");
  EXPECT_EQ(percent_text(0.99999), "> 99.9 %");
  EXPECT_EQ(percent_text(1e-7), "< 0.01 %");
}

}  // namespace
}  // namespace vsmax::drawing
