// SPDX-License-Identifier: Apache-2.0
// The network's forward pass against the slow one in double, and what its padding must do.
#include "vsmax/refine/refine_net.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "support/parameter_count.h"
#include "support/random.h"
#include "support/reference_net.h"

namespace vsmax {
namespace {

// Of numbers about 1 after six layers; a kernel may sum in any order.
constexpr float kRounding = 2e-5F;

std::vector<float> forward(const RefineNet& net, const std::vector<float>& input, CellShape shape,
                           float scale = 1.0F) {
  std::vector<float> logits(input.size(), 77.0F);
  RefineNet::Scratch scratch;
  net.forward({input.data(), shape}, scale, {logits.data(), shape}, scratch);
  return logits;
}

TEST(RefineNet, HasThePapersParameters) {
  test::Random random;
  EXPECT_EQ(test::parameter_count(test::net_of(test::random_layers(random)).layers()), 37601U);
}

TEST(RefineNet, AgreesWithTheReferenceOnBothCovers) {
  test::Random random;
  const auto layers = test::random_layers(random);
  const RefineNet net = test::net_of(layers);
  for (const Cover cover : {Cover::kSingle, Cover::kDouble})
    for (const CellShape& single :
         {CellShape{1, 3}, {2, 5}, {3, 1}, {8, 7}, {5, 17}, {7, 33}, {3, 64}}) {
      const CellShape shape = single.on(cover);
      const auto input = random.uniforms<float>(shape.count(), -2.0, 4.0);
      const auto logits = forward(net, input, shape, 0.25F);
      const auto truth = test::reference_net(layers, input, shape, 0.25);
      double largest = 0.0;
      for (const double value : truth) largest = std::max(largest, std::abs(value));
      for (std::size_t i = 0; i < truth.size(); ++i)
        ASSERT_NEAR(logits[i], truth[i], 1e-5 * largest) << shape.rows() << "x" << shape.rhos;
    }
}

TEST(RefineNet, MethodsAgreeAndThreadsChangeNoBit) {
  test::Random random;
  const RefineNet net = test::net_of(test::random_layers(random));
  for (const CellShape& shape : {CellShape{21, 18}, {11, 18, Cover::kDouble}}) {
    const auto input = random.uniforms<float>(shape.count(), -2.0, 4.0);
    const auto run = [&](int threads, RefineNet::Method method) {
      std::vector<float> logits(input.size());
      RefineNet::Scratch scratch;
      scratch.threads = threads;
      scratch.method = method;
      net.forward({input.data(), shape}, 1.0F, {logits.data(), shape}, scratch);
      return logits;
    };
    const auto one = run(1, RefineNet::Method::kWinograd);
    for (const int threads : {2, 3, 8}) EXPECT_EQ(run(threads, RefineNet::Method::kWinograd), one);
    const auto direct = run(1, RefineNet::Method::kDirect);
    EXPECT_EQ(run(3, RefineNet::Method::kDirect), direct);
    const float largest = *std::max_element(direct.begin(), direct.end());
    for (std::size_t i = 0; i < one.size(); ++i) EXPECT_NEAR(one[i], direct[i], 1e-4F * largest);
  }
}

// Six layers that each take the row before give input[t - 6]; on the single cover rho is flipped
// across the seam.
TEST(RefineNet, CrossesTheSeamAsTheCoverSays) {
  test::Random random;
  for (const CellShape& shape : {CellShape{9, 7}, {5, 7, Cover::kDouble}}) {
    const auto input = random.uniforms<float>(shape.count(), 1.0, 2.0);
    for (const int dt : {-1, 1}) {
      const auto logits = forward(test::net_of(test::shifting_layers(dt, 0)), input, shape);
      for (int t = 0; t < shape.rows(); ++t)
        for (int r = 0; r < shape.rhos; ++r) {
          const int from = t + 6 * dt;
          const int row = (from + shape.rows()) % shape.rows();
          const bool flipped = shape.cover == Cover::kSingle && row != from;
          EXPECT_NEAR(logits[shape.index({t, r})],
                      input[shape.index({row, flipped ? shape.rhos - 1 - r : r})], kRounding);
        }
    }
  }
}

TEST(RefineNet, SeesZerosBeyondTheLargestRho) {
  test::Random random;
  for (const CellShape& shape : {CellShape{4, 15}, {2, 15, Cover::kDouble}}) {
    const auto input = random.uniforms<float>(shape.count(), 1.0, 2.0);
    for (const int dr : {-1, 1}) {
      const auto logits = forward(test::net_of(test::shifting_layers(0, dr)), input, shape);
      for (int t = 0; t < shape.rows(); ++t)
        for (int r = 0; r < shape.rhos; ++r) {
          const int from = r + 6 * dr;
          const bool outside = from < 0 || from >= shape.rhos;
          EXPECT_NEAR(logits[shape.index({t, r})], outside ? 0.0F : input[shape.index({t, from})],
                      kRounding);
        }
    }
  }
}

TEST(RefineNet, TakesThePositivePartBetweenLayersAndNotAfterTheLast) {
  auto layers = test::shifting_layers(0, 0);
  layers[5].biases[0] = -10.0F;
  const std::vector<float> input{-3.0F, 2.0F, 0.0F};
  const auto logits = forward(test::net_of(layers), input, {1, 3});
  EXPECT_NEAR(logits[0], -10.0F, kRounding);
  EXPECT_NEAR(logits[1], -8.0F, kRounding);
  EXPECT_NEAR(logits[2], -10.0F, kRounding);
}

TEST(RefineNet, ShowsAnOverflowInItsLogits) {
  test::Random random;
  auto layers = test::random_layers(random);
  for (float& weight : layers[0].weights) weight *= 1e30F;
  const RefineNet net = test::net_of(layers);
  const CellShape shape{21, 18};
  const std::vector<float> input(shape.count(), 1e30F);
  for (const auto method : {RefineNet::Method::kWinograd, RefineNet::Method::kDirect}) {
    std::vector<float> logits(input.size());
    RefineNet::Scratch scratch;
    scratch.method = method;
    net.forward({input.data(), shape}, 1.0F, {logits.data(), shape}, scratch);
    for (const float logit : logits) EXPECT_FALSE(std::isfinite(logit));
  }
}

TEST(RefineNet, CommutesWithTurningTheDoubleCover) {
  test::Random random;
  const RefineNet net = test::net_of(test::random_layers(random));
  const CellShape shape{6, 9, Cover::kDouble};
  const auto input = random.uniforms<float>(shape.count(), -1.0, 3.0);
  const auto logits = forward(net, input, shape);
  for (const int turn : {1, 5, 6, 11}) {
    auto turned = input;
    std::rotate(turned.begin(), turned.begin() + turn * shape.rhos, turned.end());
    auto expected = logits;
    std::rotate(expected.begin(), expected.begin() + turn * shape.rhos, expected.end());
    const auto result = forward(net, turned, shape);
    for (std::size_t i = 0; i < result.size(); ++i)
      EXPECT_NEAR(result[i], expected[i], kRounding) << "turned by " << turn;
  }
}

TEST(RefineNet, ScalesItsInput) {
  test::Random random;
  const RefineNet net = test::net_of(test::random_layers(random));
  const CellShape shape{5, 9};
  const auto input = random.uniforms<float>(shape.count());
  auto halved = input;
  for (float& x : halved) x *= 0.5F;
  EXPECT_EQ(forward(net, input, shape, 0.5F), forward(net, halved, shape, 1.0F));
}

TEST(RefineNet, MayWriteOverItsInput) {
  test::Random random;
  const RefineNet net = test::net_of(test::random_layers(random));
  for (const CellShape& shape : {CellShape{8, 11}, {4, 11, Cover::kDouble}}) {
    auto memory = random.uniforms<float>(shape.count());
    const auto expected = forward(net, memory, shape);
    RefineNet::Scratch scratch;
    net.forward({memory.data(), shape}, 1.0F, {memory.data(), shape}, scratch);
    EXPECT_EQ(memory, expected);
  }
}

TEST(RefineNet, LeavesNothingInItsScratch) {
  test::Random random;
  const RefineNet net = test::net_of(test::random_layers(random));
  RefineNet::Scratch shared;
  for (const CellShape& single : {CellShape{9, 21}, {3, 5}, {21, 9}, {3, 5}, {2, 40}})
    for (const Cover cover : {Cover::kDouble, Cover::kSingle}) {
      const CellShape shape = single.on(cover);
      const auto input = random.uniforms<float>(shape.count(), -1.0, 3.0);
      std::vector<float> logits(shape.count());
      net.forward({input.data(), shape}, 1.0F, {logits.data(), shape}, shared);
      EXPECT_EQ(logits, forward(net, input, shape));
    }
}

}  // namespace
}  // namespace vsmax
