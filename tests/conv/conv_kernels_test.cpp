// SPDX-License-Identifier: Apache-2.0
// The layers' kernels against one another and against sums in double.
#include "vsmax/conv/conv_kernels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "support/largest_error.h"
#include "support/random.h"

namespace vsmax {
namespace {

constexpr std::size_t kPairs = kConvChannels * kConvChannels;

std::vector<FeatureShape> shapes() {
  std::vector<FeatureShape> list;
  for (const std::optional<Cover> cover :
       {std::optional<Cover>{}, std::optional(Cover::kSingle), std::optional(Cover::kDouble)})
    for (const auto& [rows, rhos] : {std::pair<std::size_t, std::size_t>{1, 1},
                                     {1, 3},
                                     {2, 5},
                                     {3, 1},
                                     {4, 4},
                                     {5, 17},
                                     {9, 31},
                                     {14, 33},
                                     {6, 64}})
      list.push_back({rows, rhos, cover});
  return list;
}

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
  const auto rows = static_cast<int>(shape.rows);
  const auto rhos = static_cast<int>(shape.columns);
  for (int t = 0; t < rows; ++t)
    for (int r = 0; r < rhos; ++r)
      for (std::size_t o = 0; o < kConvChannels; ++o) {
        Value sum = layer.biases[o];
        for (std::size_t tap = 0; tap < 9; ++tap) {
          const int row = t + static_cast<int>(tap / 3) - 1;
          const int place = r + static_cast<int>(tap % 3) - 1;
          if (place < 0 || place >= rhos) continue;
          if (!shape.cover && (row < 0 || row >= rows)) continue;
          const SeamRow source = row_across_seam(shape.cover.value_or(Cover::kSingle), rows, row);
          const int column = source.flipped ? rhos - 1 - place : place;
          const auto cell = static_cast<std::size_t>(source.row * rhos + column);
          for (std::size_t i = 0; i < kConvChannels; ++i)
            sum += static_cast<Value>(layer.weights[tap * kPairs + i * kConvChannels + o]) *
                   static_cast<Value>(input[cell * kConvChannels + i]);
        }
        output[static_cast<std::size_t>(t * rhos + r) * kConvChannels + o] = std::max(sum, Value{});
      }
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
  for (const auto& shape : shapes()) {
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
  for (const auto& shape : shapes()) {
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
