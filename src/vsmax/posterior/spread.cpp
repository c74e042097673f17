// SPDX-License-Identifier: Apache-2.0
#include "vsmax/posterior/spread.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>

namespace vsmax {
namespace {

struct Point {
  double value = 0.0;
  double weight = 0.0;
};

// The value below which this share of the weight lies; half of a point's weight lies on either side
// of it.
double weighted_quantile(std::span<const Point> sorted, double total, double share) {
  double below = 0.0;
  double previous_value = sorted.front().value;
  double previous_share = 0.0;
  for (const Point& point : sorted) {
    const double here = (below + 0.5 * point.weight) / total;
    if (here >= share) {
      if (here <= previous_share) return point.value;
      const double between = (share - previous_share) / (here - previous_share);
      return previous_value + between * (point.value - previous_value);
    }
    below += point.weight;
    previous_value = point.value;
    previous_share = here;
  }
  return previous_value;
}

struct Intervals {
  std::array<double, 2> narrow{};
  std::array<double, 2> wide{};
};

Intervals intervals_of(std::vector<Point> points, double center) {
  std::sort(points.begin(), points.end(),
            [](const Point& a, const Point& b) { return a.value < b.value; });
  double total = 0.0;
  for (const Point& point : points) total += point.weight;
  const auto between = [&](double tail) {
    return std::array{center + weighted_quantile(points, total, tail),
                      center + weighted_quantile(points, total, 1.0 - tail)};
  };
  return {between(0.16), between(0.025)};
}

}  // namespace

LineSpread spread_around(PixelLine estimate, const std::vector<WeightedLine>& lines) {
  std::vector<Point> thetas;
  std::vector<Point> rhos;
  thetas.reserve(lines.size());
  rhos.reserve(lines.size());
  double weight = 0.0;
  double theta_square = 0.0;
  double rho_square = 0.0;
  double product = 0.0;
  for (const WeightedLine& other : lines) {
    double theta = other.line.theta - estimate.theta;
    double rho = other.line.rho;
    if (std::abs(theta) > std::numbers::pi / 2.0) {  // the other representative is nearer
      theta -= std::copysign(std::numbers::pi, theta);
      rho = -rho;
    }
    rho -= estimate.rho;
    thetas.push_back({theta, other.weight});
    rhos.push_back({rho, other.weight});
    if (!other.close) continue;
    weight += other.weight;
    theta_square += other.weight * theta * theta;
    rho_square += other.weight * rho * rho;
    product += other.weight * theta * rho;
  }
  LineSpread spread;
  spread.theta_sd = std::sqrt(theta_square / weight);
  spread.rho_sd = std::sqrt(rho_square / weight);
  const double norm = std::sqrt(theta_square * rho_square);
  spread.correlation = norm > 0.0 ? product / norm : 0.0;
  const Intervals theta = intervals_of(std::move(thetas), estimate.theta);
  const Intervals rho = intervals_of(std::move(rhos), estimate.rho);
  spread.theta_68 = theta.narrow;
  spread.theta_95 = theta.wide;
  spread.rho_68 = rho.narrow;
  spread.rho_95 = rho.wide;
  return spread;
}

}  // namespace vsmax
