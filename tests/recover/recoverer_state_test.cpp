// SPDX-License-Identifier: Apache-2.0
// A recoverer keeps tables and buffers, which must not show in its results.
#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "support/lines.h"
#include "support/models.h"
#include "vsmax/recover/line_recoverer.h"
#include "vsmax/recover/trace.h"

namespace vsmax {
namespace {

TEST(Recoverer, GivesTheSameImageTheSameLineBitForBit) {
  const auto image = test::image_of({24, 20}, {1.0, 3.0}, 0.3);
  for (const Model& model : test::every_model()) {
    LineRecoverer recover(model);
    const auto first = recover(image);
    EXPECT_FALSE(first.lines.empty());
    test::expect_same(recover(image), first);
    recover(test::noise_image({24, 20}, 0.4));
    test::expect_same(recover(image), first);
    RecoveryTrace trace;
    test::expect_same(recover(image, &trace), first);
  }
}

TEST(Recoverer, WorksOnAlternatingSizes) {
  const std::vector<GrayImage> images{
      test::image_of({24, 20}, {1.0, 3.0}, 0.3), test::image_of({40, 40}, {2.0, -3.0}, 0.3),
      GrayImage(40, 40, 0.5F),  // no line
      test::image_of({20, 24}, {0.5, 1.0}, 0.3), test::image_of({100, 9}, {1.6, 1.0}, 0.3)};
  for (const Model& model : test::every_model()) {
    LineRecoverer shared(model);
    for (int round = 0; round < 2; ++round)
      for (const auto& image : images) {
        LineRecoverer fresh(model);
        test::expect_same(shared(image), fresh(image));
      }
  }
}

TEST(Recoverer, SharesNothingThatChangesWithItsCopies) {
  for (const Model& model : test::every_model()) {
    LineRecoverer original(model);
    const auto a = test::image_of({24, 20}, {1.0, 3.0}, 0.3);
    const auto b = test::image_of({50, 30}, {2.0, -3.0}, 0.3);
    const auto first = original(a);
    LineRecoverer copy(original);
    const auto other = copy(b);
    test::expect_same(original(a), first);
    test::expect_same(copy(b), other);
    test::expect_same(copy(a), first);
    EXPECT_EQ(&copy.model(), &original.model()) << "the model itself is shared";
  }
}

TEST(Recoverer, OutlivesTheOneItWasCopiedFrom) {
  const auto image = test::image_of({24, 20}, {1.0, 3.0}, 0.3);
  for (const Model& model : test::every_model()) {
    auto original = std::make_unique<LineRecoverer>(model);
    const auto first = (*original)(image);
    LineRecoverer copy(*original);
    LineRecoverer moved(std::move(*original));
    original.reset();
    test::expect_same(copy(image), first);
    test::expect_same(moved(image), first);  // with the tables it was moved with
    moved = LineRecoverer(load_model("argmax"));
    EXPECT_EQ(moved.model().name, "argmax");
    EXPECT_EQ(moved(image).lines.size(), 1U);
  }
}

TEST(Recoverer, CopiesWorkOnTheirOwnThreads) {
  const auto image = test::image_of({24, 20}, {1.0, 3.0}, 0.3);
  for (const Model& model : test::every_model()) {
    LineRecoverer original(model);
    const auto expected = original(image);
    std::vector<Recovery> results(3);
    std::vector<std::thread> threads;
    for (auto& result : results)
      threads.emplace_back([&result, &image, copy = original]() mutable {
        for (int repeat = 0; repeat < 5; ++repeat) result = copy(image);
      });
    for (auto& thread : threads) thread.join();
    for (const auto& result : results) test::expect_same(result, expected);
  }
}

}  // namespace
}  // namespace vsmax
