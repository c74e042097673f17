// SPDX-License-Identifier: Apache-2.0
// Images of a straight edge, and the refinement of Eq. 41 to 43 written out, one formula at a time.
#pragma once

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <vector>

#include "support/random.h"
#include "support/refined_lines.h"
#include "vsmax/geometry/line.h"
#include "vsmax/image/gray_image.h"

namespace vsmax::test {

struct Edge {
  PixelLine line;
  double before = 0.2;  // grey value where x cos(theta) + y sin(theta) < rho
  double after = 0.8;
  double blur = 0.8;  // deviation in pixels
};

inline GrayImage image_of_edge(const ImageFrame& frame, const Edge& edge) {
  GrayImage image(frame);
  const double c = std::cos(edge.line.theta);
  const double s = std::sin(edge.line.theta);
  for (int row = 0; row < frame.height; ++row)
    for (int column = 0; column < frame.width; ++column) {
      const double distance = frame.x(column) * c + frame.y(row) * s - edge.line.rho;
      const double part = 0.5 * std::erfc(-distance / (edge.blur * std::numbers::sqrt2));
      image.at(column, row) = static_cast<float>(edge.before + (edge.after - edge.before) * part);
    }
  return image;
}

inline void add_noise(GrayImage& image, double deviation, Random& random) {
  for (float& value : image.pixels) value += static_cast<float>(deviation * random.normal());
}

inline double reference_sample(const GrayImage& image, double x, double y) {
  const double column = std::clamp(x + 0.5 * (image.width - 1), 0.0, image.width - 1.0);
  const double row = std::clamp(y + 0.5 * (image.height - 1), 0.0, image.height - 1.0);
  double sum = 0.0;
  for (int i = static_cast<int>(row); i <= std::min(static_cast<int>(row) + 1, image.height - 1);
       ++i)
    for (int j = static_cast<int>(column);
         j <= std::min(static_cast<int>(column) + 1, image.width - 1); ++j)
      sum += image.at(j, i) * (1.0 - std::abs(row - i)) * (1.0 - std::abs(column - j));
  return sum;
}

inline std::optional<PixelLine> reference_fit(const GrayImage& image, PixelLine line, double unit,
                                              int reach) {
  constexpr int kPlaces = 256;
  const auto visible = visible_segment(line, image.frame());
  if (!visible) return std::nullopt;
  const Eigen::Vector2d begin(visible->begin[0], visible->begin[1]);
  const Eigen::Vector2d end(visible->end[0], visible->end[1]);
  const Eigen::Vector2d normal(std::cos(line.theta), std::sin(line.theta));
  if ((end - begin).norm() < 4.0 * reach * unit) return std::nullopt;

  // Eq. 41: the derivative across the line at every place and every half unit.
  Eigen::MatrixXd g(kPlaces, 4 * reach + 1);
  for (int i = 0; i < kPlaces; ++i)
    for (int j = 0; j < g.cols(); ++j) {
      const Eigen::Vector2d at = begin + (i + 0.5) / kPlaces * (end - begin);
      double sum = 0.0;
      for (double x = -3.0; x <= 3.0; x += 0.5) {
        const Eigen::Vector2d p = at + (0.5 * j - reach + x) * unit * normal;
        sum += x * std::exp(-x * x / 2.0) * reference_sample(image, p[0], p[1]);
      }
      g(i, j) = sum;
    }

  // Eq. 42: the polarity, and the edge point of every place.
  const Eigen::VectorXd t = Eigen::VectorXd::LinSpaced(g.cols(), -reach, reach);
  const Eigen::VectorXd mean = g.colwise().mean();
  Eigen::Index strongest = 0;
  (mean.array() * (-2.0 * (t.array() / reach).square()).exp()).abs().maxCoeff(&strongest);
  const Eigen::ArrayXd window =
      (mean[strongest] < 0.0 ? -1.0 : 1.0) * (-1.125 * (t.array() / reach).square()).exp();
  Eigen::VectorXd y(kPlaces);
  Eigen::VectorXd weight(kPlaces);
  for (int i = 0; i < kPlaces; ++i) {
    const Eigen::ArrayXd r = (g.row(i).transpose().array() * window).max(0.0);
    Eigen::Index k = 0;
    r.maxCoeff(&k);
    k = std::clamp<Eigen::Index>(k, 1, g.cols() - 2);
    const double bend = r[k - 1] - 2.0 * r[k] + r[k + 1];
    const double vertex = bend < 0.0 ? (r[k - 1] - r[k + 1]) / (2.0 * bend) : 0.0;
    y[i] = t[k] + 0.5 * std::clamp(vertex, -0.5, 0.5);
    weight[i] = r[k];
  }
  std::vector<double> sorted(weight.begin(), weight.end());
  std::sort(sorted.begin(), sorted.end());
  const double median = sorted[kPlaces / 2];
  if (median <= 0.0) return std::nullopt;
  weight = (weight / median).cwiseMin(2.0);

  // Eq. 43: Tukey's biweight.
  Eigen::MatrixXd basis(kPlaces, 2);
  for (int i = 0; i < kPlaces; ++i) basis.row(i) << 1.0, (2.0 * i + 1.0) / kPlaces - 1.0;
  Eigen::Vector2d p(0.0, 0.0);
  for (int round = 0; round < 6; ++round) {
    const double cutoff = 4.0 * std::max(1.0, reach / 6.0 * std::pow(0.7, round));
    const Eigen::ArrayXd part = (1.0 - ((y - basis * p) / cutoff).array().square()).max(0.0);
    const Eigen::VectorXd w = (weight.array() * part.square()).sqrt();
    p = (w.asDiagonal() * basis).colPivHouseholderQr().solve(w.asDiagonal() * y);
  }
  if (((y - basis * p).array().abs() < 1.5).count() < kPlaces / 2) return std::nullopt;
  const Eigen::Vector2d a = begin + (p[0] - p[1]) * unit * normal;
  const Eigen::Vector2d b = end + (p[0] + p[1]) * unit * normal;
  const Eigen::Vector2d across = Eigen::Vector2d(b[1] - a[1], a[0] - b[0]).normalized();
  return canonical(PixelLine{std::atan2(across[1], across[0]), across.dot(a)});
}

inline PixelLine reference_refinement(const GrayImage& image, PixelLine line, double reduction) {
  const double coarsest = std::max(1.0, 0.5 * reduction);
  auto next = reference_fit(image, line, coarsest, 12);
  PixelLine refined = line;
  for (double unit = coarsest; next; unit = std::max(1.0, 0.5 * unit)) {
    refined = *next;
    next = reference_fit(image, refined, unit, 6);
    if (next) refined = *next;
    if (unit == 1.0) break;
  }
  const bool near = shift_between(refined, line, image.frame()) <= 6.0 * coarsest &&
                    angle_between(refined.theta, line.theta) <= std::numbers::pi / 120.0;
  return near && visible_segment(refined, image.frame()) ? refined : line;
}

}  // namespace vsmax::test
