// SPDX-License-Identifier: Apache-2.0
#include "vsmax/recover/batch_recoverer.h"

#include <gtest/gtest.h>

#include <atomic>
#include <limits>
#include <set>
#include <vector>

#include "support/error_message.h"
#include "support/models.h"
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

std::vector<ImageView> views_of(const std::vector<GrayImage>& images) {
  return {images.begin(), images.end()};
}

TEST(BatchRecoverer, FindsWhatOneByOneFindsForAnyNumberOfThreads) {
  for (const char* name : {"classic", "paper"}) {
    auto images = images_of(96, 70, 3);
    images.emplace_back(40, 50);  // nothing in it
    const Model model = load_model(name);
    LineRecoverer single(model);
    LineRecoverer threaded(model, 3);
    std::vector<Recovery> expected;
    for (const GrayImage& image : images) {
      expected.push_back(single(image));
      test::expect_same(threaded(image), expected.back());
    }
    for (const int threads : {1, 2, 5, 0}) {
      BatchRecoverer batch(model, threads);
      const auto recoveries = batch(views_of(images));
      ASSERT_EQ(recoveries.size(), images.size());
      for (std::size_t i = 0; i < images.size(); ++i) test::expect_same(recoveries[i], expected[i]);
    }
  }
}

TEST(BatchRecoverer, FindsAsManyLinesAsWanted) {
  const auto images = images_of(60, 50, 4);
  const LinesWanted wanted{3, 0.2};
  LineRecoverer single(load_model("classic"));
  BatchRecoverer batch(load_model("classic"), 2);
  const auto recoveries = batch(views_of(images), wanted);
  for (std::size_t i = 0; i < images.size(); ++i)
    test::expect_same(recoveries[i], single(images[i], wanted));
}

TEST(BatchRecoverer, AcceptsNoImagesAndRejectsBadOnes) {
  BatchRecoverer batch(load_model("classic"), 2);
  EXPECT_TRUE(batch({}).empty());
  auto images = images_of(20, 20, 3);
  images[1] = GrayImage(1, 1);
  EXPECT_TRUE(test::throws_error_with({"image 1", "1x1"}, [&] { batch(views_of(images)); }));
}

TEST(BatchRecoverer, NamesTheFirstBadImageEvenIfALaterOneFailsSooner) {
  BatchRecoverer batch(load_model("classic"), 2);
  std::vector<GrayImage> images{GrayImage(1500, 1500, 0.5F), GrayImage(1, 1)};
  images[0].pixels.back() = std::numeric_limits<float>::quiet_NaN();
  for (int repeat = 0; repeat < 5; ++repeat)
    EXPECT_TRUE(
        test::throws_error_with({"image 0", "(1499, 1499)"}, [&] { batch(views_of(images)); }));
}

TEST(BatchRecoverer, GivesEveryIndexAWorkersOwnRecoverer) {
  const auto images = images_of(40, 30, 12);
  const Model model = load_model("classic");
  LineRecoverer single(model);
  for (const int threads : {1, 3}) {
    BatchRecoverer batch(model, threads);
    EXPECT_EQ(batch.workers(), static_cast<std::size_t>(threads));
    std::vector<LineRecoverer*> used(batch.workers(), nullptr);
    std::vector<Recovery> recoveries(images.size());
    std::vector<std::atomic<int>> visits(images.size());
    batch.for_each(images.size(), [&](std::size_t i, std::size_t worker, LineRecoverer& recover) {
      ++visits[i];
      if (used.at(worker) == nullptr) used[worker] = &recover;
      EXPECT_EQ(used[worker], &recover);
      recoveries[i] = recover(images[i]);
    });
    for (std::size_t i = 0; i < images.size(); ++i) {
      EXPECT_EQ(visits[i], 1);
      test::expect_same(recoveries[i], single(images[i]));
    }
    std::erase(used, nullptr);
    EXPECT_EQ(std::set<LineRecoverer*>(used.begin(), used.end()).size(), used.size());
  }
}

TEST(BatchRecoverer, RethrowsTheExceptionOfTheFirstIndex) {
  BatchRecoverer batch(load_model("classic"), 3);
  for (int repeat = 0; repeat < 100; ++repeat) {
    std::size_t thrown = 99;
    try {
      batch.for_each(20, [](std::size_t i, std::size_t, LineRecoverer&) { throw i; });
    } catch (const std::size_t index) {
      thrown = index;
    }
    ASSERT_EQ(thrown, 0U);
  }
}

}  // namespace
}  // namespace vsmax
