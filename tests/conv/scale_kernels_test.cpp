// SPDX-License-Identifier: Apache-2.0
// Feature maps at half and twice their size, against their definitions in double.
#include "vsmax/conv/scale_kernels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "support/random.h"

namespace vsmax {
namespace {

constexpr std::size_t kCell = kConvChannels;

const std::vector<FeatureShape> kOutputs{{2, 2, {}}, {2, 6, {}}, {8, 4, {}}, {6, 10, {}}};

std::size_t floats(const FeatureShape& shape) { return shape.rows * shape.columns * kCell; }

TEST(ScaleKernels, HalvingAveragesFourCells) {
  test::Random random;
  for (const FeatureShape& shape : kOutputs) {
    const std::size_t columns = 2 * shape.columns;
    const auto input = random.normals<float>(4 * floats(shape));
    std::vector<float> output(floats(shape));
    halve(shape, input.data(), output.data(), {0, shape.rows});
    for (std::size_t i = 0; i < output.size(); ++i) {
      const std::size_t y = i / kCell / shape.columns;
      const std::size_t x = i / kCell % shape.columns;
      double sum = 0.0;
      for (std::size_t k = 0; k < 4; ++k)
        sum += input[((2 * y + k / 2) * columns + 2 * x + k % 2) * kCell + i % kCell];
      EXPECT_NEAR(output[i], sum / 4.0, 1e-6);
    }
  }
}

// The value at position p, in cells, of a line of samples that is constant beyond its ends.
struct Blend {
  std::size_t lower, upper;
  double share;  // of the upper one
};
Blend blend(double p, std::size_t count) {
  const double inside = std::clamp(p, 0.0, static_cast<double>(count - 1));
  const auto lower = static_cast<std::size_t>(inside);
  return {lower, std::min(lower + 1, count - 1), inside - static_cast<double>(lower)};
}

TEST(ScaleKernels, DoublingInterpolatesBetweenCentres) {
  test::Random random;
  for (const FeatureShape& shape : kOutputs) {
    const std::size_t columns = shape.columns / 2;
    const auto input = random.normals<float>(floats(shape) / 4);
    const auto before = random.normals<float>(floats(shape));
    auto output = before;
    add_doubled(shape, input.data(), output.data(), {0, shape.rows});
    for (std::size_t i = 0; i < output.size(); ++i) {
      const auto y = static_cast<double>(i / kCell / shape.columns);
      const auto x = static_cast<double>(i / kCell % shape.columns);
      const Blend v = blend((y + 0.5) / 2.0 - 0.5, shape.rows / 2);
      const Blend h = blend((x + 0.5) / 2.0 - 0.5, columns);
      const auto at = [&](std::size_t row, std::size_t column) -> double {
        return input[(row * columns + column) * kCell + i % kCell];
      };
      const double value =
          (1.0 - v.share) *
              ((1.0 - h.share) * at(v.lower, h.lower) + h.share * at(v.lower, h.upper)) +
          v.share * ((1.0 - h.share) * at(v.upper, h.lower) + h.share * at(v.upper, h.upper));
      EXPECT_NEAR(output[i] - before[i], value, 2e-6);
    }
  }
}

TEST(ScaleKernels, PiecesOfRowsMakeTheSameBits) {
  test::Random random;
  const FeatureShape shape{8, 6, {}};
  const auto large = random.normals<float>(4 * floats(shape));
  const auto small = random.normals<float>(floats(shape) / 4);
  std::vector<float> whole(floats(shape), 1.0F);
  std::vector<float> pieces(floats(shape), 1.0F);
  halve(shape, large.data(), whole.data(), {0, 8});
  add_doubled(shape, small.data(), whole.data(), {0, 8});
  for (const RowRange range : {RowRange{0, 3}, RowRange{3, 8}})
    halve(shape, large.data(), pieces.data(), range);
  for (const RowRange range : {RowRange{5, 8}, RowRange{0, 5}})
    add_doubled(shape, small.data(), pieces.data(), range);
  EXPECT_EQ(whole, pieces);
}

}  // namespace
}  // namespace vsmax
