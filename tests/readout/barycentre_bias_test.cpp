// SPDX-License-Identifier: Apache-2.0
// How far the line of a barycentre lies from the centre of the distribution (Eq. 55, 56).
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "vsmax/geometry/embedded_line.h"
#include "vsmax/hough/grid.h"

namespace vsmax {
namespace {

using Vector = std::array<double, 3>;

Vector cross(const Vector& a, const Vector& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

Vector applied(const SquareMatrix<3>& matrix, const Vector& vector) {
  return {dot(matrix[0], vector), dot(matrix[1], vector), dot(matrix[2], vector)};
}

// The mean of l l' over normal distributed lines, theta and rho apart, cut at three deviations. A
// line beyond the seam is the same line, so nothing has to be wrapped.
struct Spread {
  double theta = 0.0;
  double rho = 0.0;  // in units of D
  double correlation = 0.0;
};

constexpr int kSteps = 12;  // to either side

// Of the variance 1, after the cut.
double variance_left() {
  double weights = 0.0;
  double squares = 0.0;
  for (int i = -kSteps; i <= kSteps; ++i) {
    const double x = 3.0 * i / kSteps;
    weights += std::exp(-0.5 * x * x);
    squares += std::exp(-0.5 * x * x) * x * x;
  }
  return squares / weights;
}

SquareMatrix<3> mean_around(UnitLine centre, const Spread& spread) {
  LineEmbedding sum{};
  double weights = 0.0;
  for (int i = -kSteps; i <= kSteps; ++i)
    for (int j = -kSteps; j <= kSteps; ++j) {
      const double x = 3.0 * i / kSteps;
      const double y = 3.0 * j / kSteps;
      const double weight = std::exp(-0.5 * (x * x + y * y));
      const double along =
          spread.correlation * x + std::sqrt(1.0 - spread.correlation * spread.correlation) * y;
      const LineEmbedding one =
          embedding_from_line({centre.theta + spread.theta * x, centre.rho + spread.rho * along});
      for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += weight * one[k];
      weights += weight;
    }
  for (double& value : sum) value /= weights;
  return symmetric_from_veronese<3>(sum);
}

// The largest angle that Eq. 56 allows.
double bound_of(const SquareMatrix<3>& mean, const Vector& centre) {
  // Any basis of the plane across the centre.
  const Vector axis = std::abs(centre[2]) < 0.9 ? Vector{0.0, 0.0, 1.0} : Vector{1.0, 0.0, 0.0};
  Vector first = cross(centre, axis);
  const double length = std::sqrt(dot(first, first));
  for (double& value : first) value /= length;
  const Vector second = cross(centre, first);
  const Vector image = applied(mean, centre);
  const double along = dot(centre, image);
  const double pull = std::hypot(dot(first, image), dot(second, image));
  const double a = dot(first, applied(mean, first));
  const double b = dot(first, applied(mean, second));
  const double c = dot(second, applied(mean, second));
  const double across = 0.5 * (a + c) + std::hypot(0.5 * (a - c), b);
  if (along <= across) return std::numbers::pi / 2.0;
  return 0.5 * std::atan(2.0 * pull / (along - across));
}

double angle_to(const SquareMatrix<3>& mean, const Vector& centre) {
  const Vector found = symmetric_eigen(mean).leading();
  const Vector normal = cross(found, centre);
  return std::asin(std::min(1.0, std::sqrt(dot(normal, normal))));
}

TEST(BarycentreBias, IsBoundedByTheGapOnAllLinesOfThePaper) {
  const HoughGrid grid = HoughGrid::paper();
  const double bin_theta = std::numbers::pi / grid.thetas();
  const double bin_rho = 2.0 / (grid.rhos() - 1);
  const std::vector<Cell> cells = grid.resolvable_cells();
  ASSERT_EQ(cells.size(), 14395U);
  double tightest = 0.0;  // of the angles, as a share of their bound
  for (const double bins : {0.5, 4.0})
    for (const Cell cell : cells) {
      const UnitLine line = unit_from_pixel(grid.line(cell), grid.frame());
      const Vector centre = vector_from_line(line);
      const auto mean = mean_around(line, {bins * bin_theta, bins * bin_rho, 0.5});
      const double angle = angle_to(mean, centre);
      const double bound = bound_of(mean, centre);
      ASSERT_LE(angle, bound + 1e-12) << line.theta << " " << line.rho;
      if (bound > 1e-9) tightest = std::max(tightest, angle / bound);
    }
  EXPECT_GT(tightest, 0.99) << "the bound says something";
}

// The second order of Eq. 55; what is left over is of the fourth.
TEST(BarycentreBias, IsASecondOrderShiftOfRhoAndTheta) {
  for (const double rho : {-0.9, -0.3, 0.0, 0.2, 0.7})
    for (const double theta : {0.3, 1.2, 2.5})
      for (const Spread& spread :
           {Spread{0.02, 0.0, 0.0}, {0.0, 0.03, 0.0}, {0.02, 0.02, 0.8}, {0.01, 0.03, -0.5}}) {
        const auto mean = mean_around({theta, rho}, spread);
        const UnitLine found = line_from_vector(symmetric_eigen(mean).leading());
        const double t = variance_left() * spread.theta * spread.theta;
        const double s = variance_left() * spread.rho * spread.rho;
        const double c = variance_left() * spread.correlation * spread.theta * spread.rho;
        const double rest = 4.0 * (t + s) * (t + s);
        EXPECT_NEAR(found.rho - rho, rho * (0.5 * t - s / (1.0 + rho * rho)), rest);
        EXPECT_NEAR(found.theta - theta, -c * rho / (1.0 + rho * rho), rest);
      }
}

TEST(BarycentreBias, IsNothingForALineThroughTheCentreOfTheImage) {
  const auto mean = mean_around({1.0, 0.0}, {0.3, 0.4, 0.0});
  EXPECT_LT(angle_to(mean, vector_from_line(UnitLine{1.0, 0.0})), 1e-12);
}

}  // namespace
}  // namespace vsmax
