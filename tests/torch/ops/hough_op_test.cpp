// SPDX-License-Identifier: Apache-2.0
// The Hough operators: what they compute, their derivatives, and every shape they must take.
#include <vector>

#include "support/hough_images.h"
#include "support/hough_reference.h"
#include "torch/ops/gradcheck.h"
#include "vsmax/torch/ops/ops.h"

namespace vsmax::test {
namespace {

using HoughOp = OnDevice;

torch::Tensor reference_hough(const HoughGrid& grid, const torch::Tensor& image) {
  const auto values = image.to(torch::kCPU, torch::kDouble).contiguous();
  const auto result = reference::hough_forward(grid, values.data_ptr<double>());
  return torch::tensor(result, torch::kDouble).view({grid.thetas(), grid.rhos()});
}

torch::Tensor reference_adjoint(const HoughGrid& grid, const torch::Tensor& accumulator) {
  const auto values = accumulator.to(torch::kCPU, torch::kDouble).contiguous();
  const auto result = reference::hough_adjoint(grid, values.data_ptr<double>());
  return torch::tensor(result, torch::kDouble).view({grid.frame().height, grid.frame().width});
}

TEST_P(HoughOp, IntegersAreExactOnEveryGrid) {
  for (const HoughGrid& grid : many_grids()) {
    SCOPED_TRACE(name_of(grid));
    const auto& frame = grid.frame();
    const auto images =
        torch::randint(0, 256, {3, frame.height, frame.width}, torch::kFloat).to(device());
    const auto accumulators =
        torch::randint(0, 256, {3, grid.thetas(), grid.rhos()}, torch::kFloat).to(device());
    const auto forward = ops::hough(images, grid.thetas(), grid.rhos());
    const auto adjoint = ops::hough_adjoint(accumulators, frame.width, frame.height);
    for (int64_t b = 0; b < 3; ++b) {
      ASSERT_EQ(distance(forward[b], reference_hough(grid, images[b])), 0.0);
      ASSERT_EQ(distance(adjoint[b], reference_adjoint(grid, accumulators[b])), 0.0);
    }
  }
}

TEST_P(HoughOp, PaperSizeMatchesTheReference) {
  const HoughGrid grid = HoughGrid::paper();
  const auto images = torch::rand({2, 256, 256}, torch::kDouble).to(device());
  const auto truth = reference_hough(grid, images[1]);
  EXPECT_LT(distance(ops::hough(images, 127, 127)[1], truth), 1e-10);
  EXPECT_LT(distance(ops::hough(images.to(torch::kFloat), 127, 127)[1], truth), 2e-3);
  const auto accumulator = random_on(float64(), {127, 127});
  const auto back = reference_adjoint(grid, accumulator);
  EXPECT_LT(distance(ops::hough_adjoint(accumulator, 256, 256), back), 1e-10);
  EXPECT_LT(distance(ops::hough_adjoint(accumulator.to(torch::kFloat), 256, 256), back), 2e-4);
}

TEST_P(HoughOp, AdjointLaw) {
  const auto x = random_on(float64(), {2, 20, 33});
  const auto y = random_on(float64(), {2, 13, 9});
  const double left = (ops::hough(x, 13, 9) * y).sum().item<double>();
  const double right = (x * ops::hough_adjoint(y, 33, 20)).sum().item<double>();
  EXPECT_NEAR(left, right, 1e-9);
}

TEST_P(HoughOp, Derivatives) {
  const TensorFunction forward = [](const Tensors& x) { return ops::hough(x[0], 5, 7); };
  const TensorFunction adjoint = [](const Tensors& x) { return ops::hough_adjoint(x[0], 6, 5); };
  check_jacobian(forward, {random_on(float64(), {2, 5, 6})});
  check_jacobian(adjoint, {random_on(float64(), {2, 5, 7})});
  check_random_directions(forward, {random_on(float64(), {3, 31, 20})});
  // Linear, so its second derivative vanishes; with a square it does not.
  check_second_derivative([](const Tensors& x) { return ops::hough(x[0] * x[0], 5, 7).square(); },
                          {random_on(float64(), {2, 5, 6})});
  check_second_derivative(
      [](const Tensors& x) { return ops::hough_adjoint(x[0] * x[0], 6, 5).square(); },
      {random_on(float64(), {2, 5, 7})});
}

TEST_P(HoughOp, ShapesAndTypes) {
  const auto image = random_on(float64(), {2, 3, 12, 10});
  const auto all = ops::hough(image, 7, 9);
  ASSERT_EQ(all.sizes(), torch::IntArrayRef({2, 3, 7, 9}));
  EXPECT_LT(distance(all[1][2], ops::hough(image[1][2], 7, 9)), 1e-12);
  EXPECT_EQ(ops::hough(image[1][2], 7, 9).dim(), 2);

  const auto turned = image.transpose(-1, -2);
  EXPECT_TRUE(same_bits(ops::hough(turned, 7, 9), ops::hough(turned.contiguous(), 7, 9)));
  EXPECT_TRUE(same_bits(ops::hough_adjoint(all.flip({-1}), 10, 12),
                        ops::hough_adjoint(all.flip({-1}).contiguous(), 10, 12)));

  auto empty = torch::zeros({0, 12, 10}, float32()).requires_grad_();
  const auto none = ops::hough(empty, 7, 9);
  EXPECT_EQ(none.sizes(), torch::IntArrayRef({0, 7, 9}));
  none.sum().backward();
  EXPECT_EQ(empty.grad().sizes(), empty.sizes());

  auto half = image.to(torch::kBFloat16).detach().requires_grad_();
  const auto wide = ops::hough(half, 7, 9);
  EXPECT_EQ(wide.scalar_type(), torch::kFloat);
  wide.sum().backward();
  EXPECT_EQ(half.grad().scalar_type(), torch::kBFloat16);
}

TEST_P(HoughOp, WrongArgumentsNameTheirValues) {
  const auto image = torch::zeros({4, 5}, float32());
  EXPECT_THROW(ops::hough(image, 7, 8), c10::Error);
  EXPECT_THROW(ops::hough(image, 0, 9), c10::Error);
  EXPECT_THROW(ops::hough(image[0], 7, 9), c10::Error);
  EXPECT_THROW(ops::hough(image.to(torch::kInt), 7, 9), c10::Error);
  EXPECT_THROW(ops::hough_adjoint(image, 1, 1), c10::Error);
  try {
    ops::hough(image, 7, 8);
  } catch (const c10::Error& error) {
    EXPECT_NE(std::string(error.what_without_backtrace()).find("not 8"), std::string::npos);
  }
}

TEST(HoughOpMeta, HasTheShapeWithoutTheWork) {
  const auto image = torch::empty({2, 12, 10}, torch::TensorOptions().device(torch::kMeta));
  EXPECT_EQ(ops::hough(image, 7, 9).sizes(), torch::IntArrayRef({2, 7, 9}));
  EXPECT_TRUE(ops::hough(image, 7, 9).is_meta());
  EXPECT_EQ(ops::hough_adjoint(image.narrow(2, 0, 9), 5, 6).sizes(), torch::IntArrayRef({2, 6, 5}));
}

VSMAX_ON_EACH_DEVICE(HoughOp);

}  // namespace
}  // namespace vsmax::test
