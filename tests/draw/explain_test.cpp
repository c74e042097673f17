// SPDX-License-Identifier: Apache-2.0
#include "draw/explain.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "draw/captions.h"
#include "draw/overlay.h"
#include "draw/strip_plot.h"
#include "vsmax/base/error.h"
#include "vsmax/data/synthetic.h"
#include "xml_elements.h"

namespace vsmax::drawing {
namespace {

struct Explained {
  Recovery recovery;
  RecoveryTrace trace;
  std::vector<Element> elements;

  void draw(const GrayImage& image, const std::string& title = "title") {
    elements = XmlReader::read(explanation_svg(image, recovery, trace, title));
  }

  // The elements of a class in panel 1 to 4, in any panel for 0.
  std::vector<Element> find(const std::string& kind, int panel = 0) const {
    std::vector<Element> found;
    int current = 0;
    for (const Element& element : elements) {
      const auto value = element.attributes.find("class");
      if (value == element.attributes.end()) continue;
      if (value->second == "panel") ++current;
      if (value->second == kind && (panel == 0 || panel == current)) found.push_back(element);
    }
    return found;
  }

  std::vector<std::string> texts(const std::string& kind, int panel = 0) const {
    std::vector<std::string> result;
    for (const Element& element : find(kind, panel)) result.push_back(element.text);
    return result;
  }
};

Explained explain(const GrayImage& image, const std::string& title = "title",
                  const std::string& model = "classic") {
  Explained result;
  LineRecoverer recover(load_model(model));
  result.recovery = recover(image, &result.trace);
  result.draw(image, title);
  return result;
}

GrayImage line_image(int width, int height, PixelLine line, double sigma = 0.0) {
  GrayImage image(width, height);
  render_line({width, height}, line, sigma, {}, image.pixels);
  return image;
}

// The PNG in an image's href.
GrayImage embedded(const Element& image) {
  const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const std::string& uri = image.attributes.at("href");
  const std::string head = "data:image/png;base64,";
  EXPECT_EQ(uri.substr(0, head.size()), head);
  std::vector<std::uint8_t> bytes;
  unsigned bits = 0;
  unsigned count = 0;
  for (const char digit : uri.substr(head.size())) {
    if (digit == '=') break;
    bits = (bits << 6U) | static_cast<unsigned>(digits.find(digit));
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes.push_back(static_cast<std::uint8_t>(bits >> count));
  }
  return decode_image(bytes, "embedded");
}

std::vector<GrayImage> embedded_images(const Explained& e) {
  std::vector<GrayImage> images;
  for (const Element& element : e.elements)
    if (element.name == "image") images.push_back(embedded(element));
  return images;
}

TEST(Explain, RingsTheRecoveredLineInBothPlots) {
  const Explained e = explain(line_image(256, 256, {0.7, 30.0}, 0.3));
  ASSERT_EQ(e.recovery.lines.size(), std::size_t{1});
  const Point at = position_in_plot(*e.trace.grid, kPanelSide, e.trace.lines.at(0));
  for (const int panel : {2, 3}) {
    const auto rings = e.find("ring", panel);
    ASSERT_EQ(rings.size(), std::size_t{1}) << panel;
    EXPECT_NEAR(rings[0].number("cx"), at.x, 0.01);
    EXPECT_NEAR(rings[0].number("cy"), at.y, 0.01);
  }
  EXPECT_EQ(e.find("ring").size(), std::size_t{2});
}

TEST(Explain, RingsAndDrawsEveryLine) {
  GrayImage image(256, 256);
  const std::vector<PixelLine> truth{{0.7, 30.0}, {1.5, -20.0}, {2.4, 60.0}};
  render_lines({256, 256}, truth, 0.3, {}, image.pixels);
  Explained e;
  LineRecoverer recover(load_model("classic"));
  e.recovery = recover(image, LinesWanted{9, 0.5}, &e.trace);
  ASSERT_EQ(e.recovery.lines.size(), std::size_t{3});
  e.draw(image);
  for (const int panel : {2, 3}) EXPECT_EQ(e.find("ring", panel).size(), std::size_t{3});
  EXPECT_EQ(e.find("line", 4).size(), std::size_t{3});
  EXPECT_EQ(e.find("end", 4).size(), std::size_t{6});
  EXPECT_EQ(e.texts("result", 4).back(), "confidence 1.00, 1 of 3 lines");
}

// The tick of rho with the largest value, as text and as offset from the panel's middle.
std::pair<double, double> largest_tick(const Explained& e, int panel) {
  const auto ticks = e.find("tick rho", panel);
  return {std::stod(ticks.back().text), ticks.back().number("y") - 4.0 - 0.5 * kPanelSide};
}

TEST(Explain, AxesAndResultOfAReducedImageAreInTheSamePixels) {
  const Explained e = explain(line_image(1024, 768, {0.7, 300.0}, 0.1), "title", "paper");
  ASSERT_EQ(e.recovery.lines.size(), std::size_t{1});
  EXPECT_NE(e.texts("caption", 2).front().find("256 × 256"), std::string::npos);
  for (const int panel : {2, 3}) {
    const auto [value, offset] = largest_tick(e, panel);
    EXPECT_GT(value, 300.0);
    const double ring = e.find("ring", panel).at(0).number("cy") - 0.5 * kPanelSide;
    EXPECT_NEAR(ring * value / offset, e.recovery.lines[0].line.rho, 4.0);
  }
}

TEST(Explain, AnAxisInOtherPixelsSaysSo) {
  const auto label = [](int width, int height) {
    const auto texts = explain(line_image(width, height, {1.5, 3.0}), "", "paper").texts("tick", 2);
    return *std::find_if(texts.begin(), texts.end(),
                         [](const std::string& text) { return text.starts_with("offset"); });
  };
  EXPECT_EQ(label(512, 512), "offset ρ (pixels)");
  EXPECT_EQ(label(700, 500), "offset ρ (pixels)");
  EXPECT_EQ(label(5000, 30), "offset ρ (reduced pixels)");  // to 256x2
}

TEST(Explain, RingsBothSidesOfTheSeam) {
  const Explained e = explain(line_image(256, 256, {3.13, 20.0}));
  for (const int panel : {2, 3}) {
    const auto rings = e.find("ring", panel);
    ASSERT_EQ(rings.size(), std::size_t{2}) << panel;
    EXPECT_NEAR(rings[1].number("cx") - rings[0].number("cx"), kPanelSide, 0.02);
    EXPECT_NEAR(rings[0].number("cy") + rings[1].number("cy"), kPanelSide, 0.02);  // flipped
  }
}

TEST(Explain, DotLiesInThePeakCell) {
  const Explained e = explain(line_image(256, 256, {0.7, 30.0}, 0.3));
  const auto dots = e.find("dot", 3);
  const auto insets = e.find("inset", 3);
  ASSERT_EQ(dots.size(), std::size_t{1});
  ASSERT_EQ(insets.size(), std::size_t{1});
  const double middle = 0.5 * insets[0].number("width");
  const double cell = insets[0].number("width") / 9.0;
  EXPECT_NEAR(dots[0].number("cx"), middle, cell);
  EXPECT_NEAR(dots[0].number("cy"), middle, cell);
}

TEST(StripPanel, InsetCoversNeitherThePeakNorItsContinuation) {
  const HoughGrid grid({256, 256}, 31, 31);
  for (const int t : {0, 7, 8, 15, 23, 30})
    for (const int r : {2, 14, 28}) {
      const Cell peak{t, r};
      const PixelLine line = grid.line(peak);
      Explained e;
      e.elements = XmlReader::read(
          "<g class='panel'>" +
          strip_panel_svg({grid, std::vector<float>(grid.cells(), 0.0F), {line}, &peak}) + "</g>");
      std::string corner;
      for (const Element& element : e.elements)
        if (element.name == "g" && !element.above.empty())
          corner = element.attributes.at("transform");
      double x = 0.0;
      double y = 0.0;
      ASSERT_EQ(std::sscanf(corner.c_str(), "translate(%lf %lf)", &x, &y), 2);
      const double side = e.find("inset").at(0).number("width");
      ASSERT_EQ(e.find("ring").size(), std::size_t{t == 0 || t == 30 ? 2U : 1U});
      for (const Element& ring : e.find("ring")) {
        const double reach = ring.number("r");
        const bool apart = ring.number("cx") + reach < x || ring.number("cx") - reach > x + side ||
                           ring.number("cy") + reach < y || ring.number("cy") - reach > y + side;
        EXPECT_TRUE(apart) << t << "," << r;
      }
    }
}

TEST(Explain, MarksTheEndsOfTheLine) {
  const Explained e = explain(line_image(200, 100, {1.2, 10.0}));
  const Segment visible = e.recovery.lines.at(0).visible.value();
  const auto ends = e.find("end", 4);
  ASSERT_EQ(ends.size(), std::size_t{2});
  const double scale = kPanelSide / 200.0;
  EXPECT_NEAR(ends[0].number("cx"), (visible.begin[0] + 100.0) * scale, 0.01);
  EXPECT_NEAR(ends[0].number("cy"), (visible.begin[1] + 50.0) * scale, 0.01);
  EXPECT_NEAR(ends[1].number("cx"), (visible.end[0] + 100.0) * scale, 0.01);
  EXPECT_NEAR(ends[1].number("cy"), (visible.end[1] + 50.0) * scale, 0.01);
  ASSERT_EQ(e.find("line", 4).size(), std::size_t{1});
}

TEST(Explain, EmbedsTheImageOnceAndEveryPlot) {
  const GrayImage image = line_image(200, 100, {1.2, 10.0}, 0.2);
  const Explained e = explain(image);
  const auto images = embedded_images(e);
  ASSERT_EQ(images.size(), std::size_t{4});  // the image, two plots and the inset
  EXPECT_EQ((std::pair{images[0].width, images[0].height}), (std::pair{400, 200}));
  for (int row = 0; row < 200; ++row)
    for (int column = 0; column < 400; ++column)
      ASSERT_NEAR(images[0].at(column, row), std::clamp(image.at(column / 2, row / 2), 0.0F, 1.0F),
                  0.002);
  for (const std::size_t i : {1, 2})
    EXPECT_EQ((std::pair{images[i].width, images[i].height}), (std::pair{480, 480}));
  EXPECT_EQ(images[3].width, images[3].height);
  EXPECT_EQ(images[3].width % 9, 0);
}

TEST(Explain, ConstantImageHasNoLineAndNoRing) {
  const Explained e = explain(GrayImage(64, 64, 0.5F));
  EXPECT_EQ(distribution_of(e.trace), Distribution::kNone);
  for (const char* kind : {"ring", "dot", "line", "end", "inset", "result"})
    EXPECT_TRUE(e.find(kind).empty()) << kind;
  EXPECT_EQ(e.texts("badge", 3), std::vector<std::string>{"no contrast"});
  EXPECT_EQ(e.texts("badge", 4), std::vector<std::string>{"no line"});
}

TEST(Explain, AnySizeGivesTheSamePage) {
  const auto page = explain(line_image(256, 256, {0.7, 30.0})).elements.at(0).attributes;
  for (const auto& [width, height] : {std::pair{2, 2}, {2, 3}, {3000, 20}, {20, 1500}, {7, 2}}) {
    GrayImage image(width, height);
    image.at(0, 0) = 1.0F;
    for (const std::string model : {"classic", "argmax"}) {
      const Explained e = explain(image, "title", model);
      EXPECT_EQ(e.elements.at(0).attributes, page);
      for (const GrayImage& picture : embedded_images(e))
        EXPECT_LE(std::max(picture.width, picture.height), 512);
    }
  }
}

TEST(Explain, ThinImagesAreStretchedAndSaySo) {
  const auto lines = [](int width, int height) {
    GrayImage image(width, height);
    image.at(0, 0) = 1.0F;
    return explain(image).texts("caption", 1).size();
  };
  EXPECT_EQ(lines(256, 256), std::size_t{1});
  EXPECT_EQ(lines(80, 11), std::size_t{1});
  EXPECT_EQ(lines(80, 9), std::size_t{2});
  EXPECT_EQ(lines(2, 300), std::size_t{2});
}

TEST(Explain, TitlesAreEscapedAndCut) {
  const GrayImage image = line_image(64, 64, {0.7, 3.0});
  EXPECT_EQ(explain(image, "a<b>&\"'.png").texts("title"),
            std::vector<std::string>{"a<b>&\"'.png"});
  EXPECT_EQ(explain(image, "a\xFFz").texts("title"), std::vector<std::string>{"a\uFFFDz"});
  EXPECT_EQ(explain(image, "").texts("title"), std::vector<std::string>{""});
  std::string wide;
  for (int i = 0; i < 1000; ++i) wide += "ß";
  const std::string cut = explain(image, wide).texts("title").at(0);
  EXPECT_EQ(cut.substr(0, 128), wide.substr(0, 128));
  EXPECT_EQ(cut.substr(128), "…");
}

TEST(Explain, DescribesItselfToScreenReaders) {
  const Explained e = explain(line_image(64, 64, {0.7, 3.0}), "photo.png");
  const Element& root = e.elements.at(0);
  EXPECT_EQ(root.attributes.at("role"), "img");
  EXPECT_EQ(root.attributes.at("aria-labelledby"), "title description");
  EXPECT_EQ(e.elements.at(1).name, "title");
  EXPECT_EQ(e.elements.at(1).text, "photo.png");
  EXPECT_EQ(e.elements.at(2).name, "desc");
  EXPECT_NE(e.elements.at(2).text.find("confidence"), std::string::npos);
}

// Grids that no image size leads to, but a learned model may bring.
TEST(Explain, DegenerateGrids) {
  const GrayImage image = line_image(64, 48, {0.7, 3.0});
  for (const auto& [thetas, rhos] : {std::pair{127, 3}, {1, 3}, {2, 5}, {5, 901}, {400, 9}}) {
    const HoughGrid grid({256, 256}, thetas, rhos);
    const PixelLine line{3.1, 9.0};
    Explained e;
    e.trace = {image,
               grid,
               std::vector<float>(grid.cells(), 1.0F),
               std::vector<float>(grid.cells(), 1.0F / static_cast<float>(grid.cells())),
               {{3.1, 40.0}},
               1.0};
    e.recovery = {{{line, 0.5, visible_segment(line, {64, 48})}}};
    e.draw(image);
    EXPECT_EQ(e.find("ring", 2).size(), std::size_t{2}) << thetas << "x" << rhos;
  }
}

TEST(Explain, LinesFarOutsideAreDrawable) {
  const GrayImage image = line_image(64, 48, {0.7, 3.0});
  Explained e = explain(image);
  const PixelLine line{1.0, -1e9};
  e.trace.lines = {line};
  e.recovery = {{{line, 0.0, std::nullopt}}};
  e.draw(image);
  EXPECT_TRUE(e.find("ring").empty());
  EXPECT_TRUE(e.find("line").empty());
  EXPECT_EQ(e.texts("badge", 4), std::vector<std::string>{"outside the image"});
}

TEST(Explain, EmptyTraceIsRefused) {
  EXPECT_THROW(explanation_svg(GrayImage(8, 8), {}, {}, ""), Error);
}

TEST(Explain, ScoresAreNotCalledProbabilities) {
  const GrayImage image = line_image(64, 64, {0.7, 3.0}, 0.2);
  EXPECT_EQ(distribution_of(explain(image).trace), Distribution::kProbabilities);
  const Explained e = explain(image, "", "argmax");
  EXPECT_EQ(distribution_of(e.trace), Distribution::kScores);
  for (const std::string& line : e.texts("caption", 3))
    EXPECT_EQ(line.find("likely"), std::string::npos);
}

}  // namespace
}  // namespace vsmax::drawing
