// SPDX-License-Identifier: Apache-2.0
#include "vsmax/torch/photos/crop_rows.h"

#include <ATen/Context.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

#include "vsmax/torch/photos/polar_lines.h"

namespace vsmax {
namespace {

TEST(CropRows, AreAFunctionOfTheSeed) {
  const Canvas canvas{3, {48, 40}, torch::kCPU};
  const auto draw = [&](std::uint64_t seed) {
    at::manual_seed(seed);
    return draw_crop_rows(canvas);
  };
  const CropRows some = draw(1);
  const CropRows again = draw(1);
  EXPECT_EQ(some.images.sizes(), (std::vector<int64_t>{3, 3, 40, 48}));
  EXPECT_TRUE(torch::equal(some.images, again.images));
  EXPECT_TRUE(torch::equal(some.rows, again.rows));
  EXPECT_FALSE(torch::equal(some.rows, draw(2).rows));
  EXPECT_TRUE(torch::isfinite(some.images).all().item<bool>());
  EXPECT_TRUE(torch::isfinite(some.rows).all().item<bool>());
}

TEST(CropRows, MayBeAsSmallAsTheFrontEndAllows) {
  at::manual_seed(1);
  EXPECT_TRUE(torch::isfinite(draw_crop_rows({2, {8, 8}, torch::kCPU}).images).all().item<bool>());
}

TEST(CropRows, AllMeetInOnePoint) {
  at::manual_seed(2);
  const ImageFrame frame{96, 72};
  const auto rows = draw_crop_rows({20, frame, torch::kCPU}).rows.to(torch::kDouble);
  const auto theta = rows.select(-1, 0);
  // Three lines n . p = rho meet if their homogeneous coordinates are dependent.
  const auto lines = torch::stack({torch::cos(theta), torch::sin(theta), rows.select(-1, 1)}, -1);
  const auto volume = torch::linalg_det(torch::stack(
      {lines.select(1, 0), lines.select(1, 7), lines.select(1, lines.size(1) - 1)}, 1));
  EXPECT_LT(volume.abs().max().item<double>(), 1e-5);
}

// Plants are green: near the two rows in the middle there is more of it than halfway between them.
TEST(CropRows, BearTheirPlants) {
  constexpr int kFields = 200;
  const ImageFrame frame{96, 96};
  at::manual_seed(8);
  const CropRows fields = draw_crop_rows({kFields, frame, torch::kCPU});
  const auto green =
      fields.images.select(1, 1) * 2.0 - fields.images.select(1, 0) - fields.images.select(1, 2);
  const auto [x, y] = pixel_positions(frame, torch::kCPU);
  const int64_t middle = fields.rows.size(1) / 2;
  int greener = 0;
  for (int64_t i = 0; i < kFields; ++i) {
    // Where the rows cross each line of pixels; halfway between two rows is halfway on the ground.
    const auto column = [&, &y = y](int64_t row) {
      const auto polar = fields.rows[i][row];
      const double theta = polar[0].item<double>();
      const double rho = polar[1].item<double>() * frame.half_diagonal();
      return (rho - y * std::sin(theta)) / std::cos(theta);
    };
    const auto left = column(middle);
    const auto right = column(middle + 1);
    const auto reach = (right - left).abs() * 0.15;
    const auto lower = (y > 0.0).to(torch::kFloat);
    const auto mean_at = [&, &x = x](const torch::Tensor& place) {
      const auto band = ((x - place).abs() <= reach).to(torch::kFloat) * lower;
      return ((green[i] * band).sum() / band.sum().clamp_min(1.0)).item<double>();
    };
    greener += mean_at(left) + mean_at(right) > 2.0 * mean_at(0.5 * (left + right)) ? 1 : 0;
  }
  EXPECT_GT(greener, kFields * 3 / 4);
}

}  // namespace
}  // namespace vsmax
