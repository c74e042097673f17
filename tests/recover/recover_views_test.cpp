// SPDX-License-Identifier: Apache-2.0
// The line of a view is the line of the same image with pixels of its own, to the last bit.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "support/error_message.h"
#include "support/lines.h"
#include "support/models.h"
#include "vsmax/recover/batch_recoverer.h"
#include "vsmax/recover/line_recoverer.h"

namespace vsmax {
namespace {

// Grey values rounded to `white` steps.
template <class Pixel>
std::vector<Pixel> quantized(const GrayImage& image, float white) {
  std::vector<Pixel> pixels;
  for (const float value : image.pixels)
    pixels.push_back(static_cast<Pixel>(std::lround(value * white)));
  return pixels;
}

template <class Pixel>
GrayImage image_from(const std::vector<Pixel>& pixels, const ImageFrame& frame, float white) {
  GrayImage image(frame);
  std::transform(pixels.begin(), pixels.end(), image.pixels.begin(),
                 [=](Pixel value) { return static_cast<float>(value) / white; });
  return image;
}

TEST(RecoveredView, Of8And16BitsHasTheLineOfTheSameImage) {
  for (const ImageFrame& frame : {ImageFrame{24, 20}, {50, 41}}) {
    const GrayImage image = test::image_of(frame, {1.0, 3.0}, 0.3);
    const auto bytes = quantized<std::uint8_t>(image, 255.0F);
    const auto words = quantized<std::uint16_t>(image, 65535.0F);
    for (const Model& model : test::every_model()) {
      LineRecoverer recover(model);
      const auto from_bytes = recover(image_from(bytes, frame, 255.0F));
      const auto from_words = recover(image_from(words, frame, 65535.0F));
      ASSERT_EQ(from_bytes.lines.size(), 1U);
      test::expect_same(recover(ImageView(bytes.data(), frame.width, frame.height)), from_bytes);
      test::expect_same(recover(ImageView(words.data(), frame.width, frame.height)), from_words);
    }
  }
}

TEST(RecoveredView, OfOneChannelHasTheLineOfThatChannel) {
  const ImageFrame frame{30, 26};
  std::vector<std::uint8_t> rgb(3 * frame.pixels());
  std::vector<GrayImage> channels;
  for (std::uint32_t c = 0; c < 3; ++c) {
    const auto channel =
        quantized<std::uint8_t>(test::image_of(frame, {0.5 + c, 2.0}, 0.2, c), 255.0F);
    for (std::size_t i = 0; i < channel.size(); ++i) rgb[3 * i + c] = channel[i];
    channels.push_back(image_from(channel, frame, 255.0F));
  }
  for (const Model& model : test::every_model()) {
    LineRecoverer recover(model);
    for (std::size_t c = 0; c < 3; ++c)
      test::expect_same(
          recover(ImageView(rgb.data() + c, frame.width, frame.height, 3 * frame.width, 3)),
          recover(channels[c]));
  }
}

TEST(RecoveredView, UpsideDownOrCroppedHasTheLineOfTheCopiedImage) {
  const ImageFrame frame{40, 34};
  const GrayImage image = test::image_of(frame, {2.0, 3.0}, 0.2);
  GrayImage flipped(frame);
  for (int row = 0; row < frame.height; ++row)
    for (int column = 0; column < frame.width; ++column)
      flipped.at(column, frame.height - 1 - row) = image.at(column, row);
  GrayImage cropped(24, 20);
  for (int row = 0; row < 20; ++row)
    for (int column = 0; column < 24; ++column)
      cropped.at(column, row) = image.at(column + 9, row + 7);
  const std::ptrdiff_t row_bytes = frame.width * static_cast<std::ptrdiff_t>(sizeof(float));
  const ImageView upside_down(&image.pixels[frame.index(0, frame.height - 1)], frame.width,
                              frame.height, -row_bytes);
  const ImageView inner(&image.pixels[frame.index(9, 7)], 24, 20, row_bytes);
  for (const Model& model : test::every_model()) {
    LineRecoverer recover(model);
    test::expect_same(recover(upside_down), recover(flipped));
    test::expect_same(recover(inner), recover(cropped));
  }
}

// What a failed cv::imread looks like, among others.
TEST(RecoveredView, WithoutPixelsIsRefused) {
  std::vector<Model> models = test::every_model();
  for (const char* name : {"auto", "horizon", "photo-lines"}) models.push_back(load_model(name));
  const std::uint8_t* none = nullptr;
  for (const Model& model : models) {
    LineRecoverer recover(model);
    for (const auto& [width, height] : {std::pair(0, 0), {0, 5}, {5, 0}, {-3, 7}, {7, -3}, {1, 9}})
      EXPECT_TRUE(
          test::throws_error_with({std::to_string(width) + "x" + std::to_string(height), "2x2"},
                                  [&, size = std::pair(width, height)] {
                                    recover({none, size.first, size.second});
                                  }))
          << model.name;
  }
}

TEST(LinesWanted, MustMakeSense) {
  LineRecoverer recover(load_model("auto"));
  const GrayImage image(9, 9);
  for (const int most : {0, -1})
    EXPECT_TRUE(test::throws_error_with({"most", std::to_string(most)}, [&, most] {
      recover(image, {most, 0.5});
    }));
  for (const double least : {-0.1, 7.0, std::nan("")})
    EXPECT_TRUE(test::throws_error_with({"min_confidence"}, [&, least] {
      recover(image, {5, least});
    }));
}

TEST(RecoveredView, MayBeMixedWithImagesInABatch) {
  const ImageFrame frame{30, 26};
  const GrayImage image = test::image_of(frame, {1.0, 3.0}, 0.3);
  const auto bytes = quantized<std::uint8_t>(image, 255.0F);
  const std::vector<ImageView> views{image, {bytes.data(), frame.width, frame.height}};
  const Model model = load_model("classic");
  LineRecoverer recover(model);
  const auto found = BatchRecoverer(model, 2)(views);
  ASSERT_EQ(found.size(), 2U);
  test::expect_same(found[0], recover(image));
  test::expect_same(found[1], recover(image_from(bytes, frame, 255.0F)));
}

}  // namespace
}  // namespace vsmax
