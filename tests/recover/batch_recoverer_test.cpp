// SPDX-License-Identifier: Apache-2.0
#include "vsmax/recover/batch_recoverer.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "support/error_message.h"
#include "vsmax/data/synthetic.h"

namespace vsmax {
namespace {

std::vector<GrayImage> images_of(int width, int height, std::uint32_t count) {
  std::vector<GrayImage> images;
  for (std::uint32_t i = 0; i < count; ++i) {
    const ImageFrame frame{width, height};
    GrayImage image(width, height);
    const SampleKey key{7, Split::kTest, 0, i};
    render_line(frame, draw_continuous_line(key, frame), 0.3, key, image.pixels);
    images.push_back(image);
  }
  return images;
}

void expect_same(const Recovery& one, const Recovery& other) {
  ASSERT_EQ(one.lines.size(), other.lines.size());
  for (std::size_t i = 0; i < one.lines.size(); ++i) {
    EXPECT_EQ(one.lines[i].line.theta, other.lines[i].line.theta);
    EXPECT_EQ(one.lines[i].line.rho, other.lines[i].line.rho);
    EXPECT_EQ(one.lines[i].confidence, other.lines[i].confidence);
  }
}

TEST(BatchRecoverer, FindsWhatOneByOneFindsForAnyNumberOfThreads) {
  for (const char* name : {"classic", "paper"}) {
    auto images = images_of(96, 70, 5);
    images.emplace_back(40, 50);  // nothing in it
    const Model model = load_model(name);
    LineRecoverer single(model);
    LineRecoverer threaded(model, 3);
    for (const int threads : {1, 2, 5, 0}) {
      BatchRecoverer batch(model, threads);
      const auto recoveries = batch(images);
      ASSERT_EQ(recoveries.size(), images.size());
      for (std::size_t i = 0; i < images.size(); ++i) {
        expect_same(recoveries[i], single(images[i]));
        expect_same(recoveries[i], threaded(images[i]));
      }
    }
  }
}

TEST(BatchRecoverer, TakesNoImagesAndRefusesBadOnes) {
  BatchRecoverer batch(load_model("classic"), 2);
  EXPECT_TRUE(batch({}).empty());
  auto images = images_of(20, 20, 3);
  images[1] = GrayImage(1, 1);
  EXPECT_TRUE(test::throws_error_with({"image 1", "1x1"}, [&] { batch(images); }));
}

TEST(BatchRecoverer, NamesTheFirstBadImageThoughALaterOneIsRefusedSooner) {
  BatchRecoverer batch(load_model("classic"), 2);
  std::vector<GrayImage> images{GrayImage(1500, 1500, 0.5F), GrayImage(1, 1)};
  images[0].pixels.back() = std::numeric_limits<float>::quiet_NaN();
  for (int repeat = 0; repeat < 5; ++repeat)
    EXPECT_TRUE(test::throws_error_with({"image 0", "(1499, 1499)"}, [&] { batch(images); }));
}

}  // namespace
}  // namespace vsmax
