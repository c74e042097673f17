// SPDX-License-Identifier: Apache-2.0
// The network from a weights file, and what is said where the file does not fit.
#include <gtest/gtest.h>

#include "support/error_message.h"
#include "support/parameter_count.h"
#include "support/random.h"
#include "support/reference_net.h"
#include "vsmax/refine/refine_net.h"

namespace vsmax {
namespace {

using test::throws_error_with;

TEST(RefineNetFile, GivesTheWeightsItHolds) {
  test::Random random;
  const auto layers = test::random_layers(random);
  const RefineNet net(test::file_of(layers), "net");
  EXPECT_EQ(test::parameter_count(net.layers()), 37601U);
  for (std::size_t l = 0; l < layers.size(); ++l) {
    EXPECT_EQ(net.layers()[l].inputs, layers[l].inputs);
    EXPECT_EQ(net.layers()[l].outputs, layers[l].outputs);
    EXPECT_EQ(net.layers()[l].weights, layers[l].weights);
    EXPECT_EQ(net.layers()[l].biases, layers[l].biases);
  }
}

TEST(RefineNetFile, NamesTheTensorThatIsMissing) {
  test::Random random;
  const auto whole = test::file_of(test::random_layers(random));
  for (const auto& [key, tensor] : whole.tensors) {
    auto file = whole;
    file.tensors.erase(key);
    EXPECT_TRUE(throws_error_with({"net.safetensors", key, "missing"},
                                  [&] { RefineNet(file, "net.safetensors"); }));
  }
}

TEST(RefineNetFile, NamesTheTensorOfTheWrongShape) {
  test::Random random;
  const auto whole = test::file_of(test::random_layers(random));
  for (const auto& [key, tensor] : whole.tensors) {
    auto file = whole;
    auto& shape = file.tensors[key].shape;
    shape.push_back(1);
    EXPECT_TRUE(
        throws_error_with({"net.safetensors", key}, [&] { RefineNet(file, "net.safetensors"); }));
  }
  auto file = whole;
  file.tensors["refine.0.weight"].shape = {32, 1, 9};
  EXPECT_TRUE(throws_error_with({"refine.0.weight", "32x1x9", "32x1x3x3"},
                                [&] { RefineNet(file, "net"); }));
  file = whole;
  file.tensors["refine.5.bias"].shape = {};
  EXPECT_TRUE(throws_error_with({"refine.5.bias"}, [&] { RefineNet(file, "net"); }));
}

TEST(RefineNetFile, NamesTheTensorThatIsSuperfluous) {
  test::Random random;
  for (const char* key : {"refine.6.weight", "refine.0", "refine.0.scale"}) {
    auto file = test::file_of(test::random_layers(random));
    file.tensors[key] = {{1}, {0.0F}};
    EXPECT_TRUE(
        throws_error_with({"net.safetensors", key}, [&] { RefineNet(file, "net.safetensors"); }));
  }
}

TEST(RefineNetFile, OfNothingIsAnError) {
  EXPECT_TRUE(throws_error_with({"net", "refine.0"}, [] { RefineNet(SafeTensors{}, "net"); }));
}

}  // namespace
}  // namespace vsmax
