// SPDX-License-Identifier: Apache-2.0
// The front end's forward pass against its definition in double.
#include "vsmax/evidence/front_net.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "support/error_message.h"
#include "support/parameter_count.h"
#include "support/random.h"
#include "support/reference_front_net.h"

namespace vsmax {
namespace {

std::vector<float> evidence_of(const FrontNet& net, const std::vector<float>& image,
                               const ImageFrame& frame, FrontNet::Scratch& scratch) {
  std::vector<float> evidence(frame.pixels(), 77.0F);
  net.forward(image, frame, evidence, scratch);
  return evidence;
}

TEST(FrontNet, HasFewParameters) {
  test::Random random;
  const FrontNet net = test::random_front_net(random);
  EXPECT_EQ(test::parameter_count(net.layers()), 93665U);
}

TEST(FrontNet, AgreesWithTheReference) {
  test::Random random;
  const FrontNet net = test::random_front_net(random);
  FrontNet::Scratch scratch;  // shared by all sizes
  for (const ImageFrame frame : {ImageFrame{8, 8}, {24, 16}, {8, 40}, {16, 8}}) {
    const auto image = random.normals<float>(3 * frame.pixels());
    const auto evidence = evidence_of(net, image, frame, scratch);
    const auto truth = test::reference_front(net.layers(), image, frame);
    const double largest = *std::max_element(truth.begin(), truth.end());
    for (std::size_t i = 0; i < truth.size(); ++i)
      ASSERT_NEAR(evidence[i], truth[i], 1e-4 * largest) << frame.width << "x" << frame.height;
  }
}

TEST(FrontNet, GivesTheSameBitsOnAnyNumberOfThreads) {
  test::Random random;
  const FrontNet net = test::random_front_net(random);
  const ImageFrame frame{32, 56};
  const auto image = random.normals<float>(3 * frame.pixels());
  FrontNet::Scratch scratch;
  const auto alone = evidence_of(net, image, frame, scratch);
  for (const int threads : {2, 3, 16}) {
    scratch.threads = threads;
    EXPECT_EQ(evidence_of(net, image, frame, scratch), alone);
  }
}

TEST(FrontNet, NamesTheTensorThatDoesNotFit) {
  test::Random random;
  auto file = test::random_front(random);
  file.tensors.erase("front.11.bias");
  EXPECT_TRUE(test::throws_error_with({"my.safetensors", "front.11.bias", "missing"},
                                      [&] { FrontNet(file, "my.safetensors"); }));
  file = test::random_front(random);
  file.tensors["front.0.weight"].shape = {32, 1, 3, 9};
  EXPECT_TRUE(test::throws_error_with({"front.0.weight", "32x1x3x9", "32x3x3x3"},
                                      [&] { FrontNet(file, "my.safetensors"); }));
}

}  // namespace
}  // namespace vsmax
