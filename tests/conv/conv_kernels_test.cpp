// SPDX-License-Identifier: Apache-2.0
// The layers' kernels against one another and against sums in double.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "conv/products.h"
#include "support/largest_error.h"
#include "support/random.h"
#include "vsmax/conv/winograd.h"

namespace vsmax {
namespace {

constexpr std::size_t kPairs = kConvChannels * kConvChannels;

struct Layer {
  std::vector<float> weights, biases, transformed;

  explicit Layer(test::Random& random)
      : weights(random.uniforms<float>(9 * kPairs, -0.1, 0.1)),
        biases(random.uniforms<float>(kConvChannels, -0.1, 0.1)),
        transformed(kWinogradPoints * kPairs) {
    transform_weights(weights.data(), transformed.data());
  }
};

// The definition, in Value.
template <class Value>
std::vector<Value> plain_layer(const FeatureShape& shape, const std::vector<float>& input,
                               const Layer& layer) {
  std::vector<Value> output(input.size());
  for (std::size_t k = 0; k < output.size(); ++k) output[k] = layer.biases[k % kConvChannels];
  test::for_each_product(shape, [&](std::size_t to, std::size_t tap, std::size_t from) {
    for (std::size_t o = 0; o < kConvChannels; ++o)
      for (std::size_t i = 0; i < kConvChannels; ++i)
        output[to * kConvChannels + o] +=
            static_cast<Value>(layer.weights[tap * kPairs + i * kConvChannels + o]) *
            static_cast<Value>(input[from * kConvChannels + i]);
  });
  for (Value& value : output) value = std::max(value, Value{});
  return output;
}

class ConvKernels : public ::testing::Test {
 protected:
  std::vector<float> features(const FeatureShape& shape) {
    return random_.uniforms<float>(shape.rows * shape.columns * kConvChannels, -1.0, 2.0);
  }

  void winograd(const FeatureShape& shape, const std::vector<float>& input, RowRange rows,
                std::vector<float>& output) {
    workspace_.resize(winograd_workspace(shape), 99.0F);
    winograd_layer(shape, input.data(), layer_.transformed.data(), layer_.biases.data(),
                   output.data(), rows, workspace_.data());
  }

  test::Random random_;
  const Layer layer_{random_};

 private:
  std::vector<float> workspace_;
};

TEST_F(ConvKernels, DirectErrsAtMostTwiceAsMuchAsPlainFloat) {
  for (const auto& shape : test::feature_shapes()) {
    const auto input = features(shape);
    std::vector<float> output(input.size());
    direct_layer(shape, input.data(), layer_.weights.data(), layer_.biases.data(), output.data(),
                 {0, shape.rows});
    const auto truth = plain_layer<double>(shape, input, layer_);
    EXPECT_LE(test::largest_error(output, truth),
              2.0 * test::largest_error(plain_layer<float>(shape, input, layer_), truth))
        << shape.rows << "x" << shape.columns;
  }
}

TEST_F(ConvKernels, WinogradIsTheSameTo1em4) {
  for (const auto& shape : test::feature_shapes()) {
    const auto input = features(shape);
    std::vector<float> output(input.size());
    winograd(shape, input, {0, shape.rows}, output);
    const auto truth = plain_layer<double>(shape, input, layer_);
    const double largest = *std::max_element(truth.begin(), truth.end());
    EXPECT_LE(test::largest_error(output, truth), 1e-4 * largest)
        << shape.rows << "x" << shape.columns;
  }
}

// Threads take rows in pieces; what lies around a piece must not show.
TEST_F(ConvKernels, PiecesOfRowsMakeTheSameBits) {
  const FeatureShape shape{22, 19, Cover::kSingle};
  const auto input = features(shape);
  std::vector<float> whole(input.size());
  std::vector<float> pieces(input.size());
  winograd(shape, input, {0, shape.rows}, whole);
  for (std::size_t begin = 0; begin < shape.rows; begin += kWinogradRows)
    winograd(shape, input, {begin, std::min(begin + kWinogradRows, shape.rows)}, pieces);
  EXPECT_EQ(whole, pieces);
}

}  // namespace
}  // namespace vsmax
