// SPDX-License-Identifier: Apache-2.0
// Images of a thin line on uneven ground, and the refinement of Eq. 64 and 65 written out, one
// formula at a time.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <vector>

#include "support/edge_reference.h"
#include "vsmax/geometry/line.h"
#include "vsmax/image/gray_image.h"

namespace vsmax::test {

struct Ridge {
  PixelLine line;
  double width = 2.0;   // pixels
  double height = 0.3;  // negative: dark
};

// On waves that are everywhere higher than the line.
inline GrayImage image_of_ridge(const ImageFrame& frame, const Ridge& ridge) {
  GrayImage image(frame);
  const double c = std::cos(ridge.line.theta);
  const double s = std::sin(ridge.line.theta);
  for (int row = 0; row < frame.height; ++row)
    for (int column = 0; column < frame.width; ++column) {
      const double x = frame.x(column);
      const double y = frame.y(row);
      const double ground = 0.5 + 0.25 * std::sin(x / 31.0 + 1.0) + 0.2 * std::cos(y / 23.0);
      const double inside =
          std::clamp(0.5 * ridge.width + 0.5 - std::abs(x * c + y * s - ridge.line.rho), 0.0, 1.0);
      image.at(column, row) = static_cast<float>(ground + ridge.height * inside);
    }
  return image;
}

struct ReferenceRidge {
  PixelLine line;
  double height = 0.0;
};

inline double median_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// Eq. 64 and 65 for one width of the filter.
inline std::optional<ReferenceRidge> reference_ridge(const GrayImage& image, PixelLine line,
                                                     double sign, double step, double reach,
                                                     double width, int places) {
  const auto visible = visible_segment(line, image.frame());
  const double c = std::cos(line.theta);
  const double s = std::sin(line.theta);
  const int steps = static_cast<int>(std::ceil(reach / step));
  const auto u = [&](int i) { return (2.0 * i + 1.0) / places - 1.0; };

  std::vector<double> filter;
  const int half = static_cast<int>(std::ceil(3.5 * width / step));
  double sum = 0.0;
  for (int k = -half; k <= half; ++k) {
    const double x = k * step / width;
    filter.push_back((1.0 - x * x) * std::exp(-x * x / 2.0));
    sum += filter.back();
  }
  double norm = 0.0;
  for (double& tap : filter) {
    tap -= sum / static_cast<double>(filter.size());
    norm += tap * tap;
  }

  const auto wide = static_cast<std::size_t>(2 * steps + 1);
  std::vector<std::vector<double>> r(static_cast<std::size_t>(places), std::vector<double>(wide));
  std::vector<double> all;
  std::vector<double> highest;
  for (int i = 0; i < places; ++i) {
    auto& row = r[static_cast<std::size_t>(i)];
    for (int j = -steps; j <= steps; ++j) {
      double& response = row[static_cast<std::size_t>(j + steps)];
      for (int k = -half; k <= half; ++k) {
        const double t = (j + k) * step;
        const double part = 0.5 * (1.0 + u(i));
        const double x = visible->begin[0] + part * (visible->end[0] - visible->begin[0]) + t * c;
        const double y = visible->begin[1] + part * (visible->end[1] - visible->begin[1]) + t * s;
        response += sign * filter[static_cast<std::size_t>(k + half)] / std::sqrt(norm) *
                    reference_sample(image, x, y);
      }
      all.push_back(std::abs(response));
    }
    highest.push_back(*std::max_element(row.begin(), row.end()));
  }
  const double limit = std::max(3.0 * 1.4826 * median_of(all), median_of(highest));
  double squares = 0.0;
  for (auto& row : r)
    for (double& response : row) {
      response = std::clamp(response, -limit, limit);
      squares += response * response;
    }

  const auto height = [&](int shift, int slope) {
    double total = 0.0;
    for (int i = 0; i < places; ++i) {
      const double at = shift + slope * u(i) + steps;
      const auto low = static_cast<std::size_t>(std::floor(at));
      const double fraction = at - std::floor(at);
      const auto& row = r[static_cast<std::size_t>(i)];
      total += row[low] + (fraction > 0.0 ? fraction * (row[low + 1] - row[low]) : 0.0);
    }
    return total;
  };
  int shift = 0;
  int slope = 0;
  double best = -1e300;
  for (int b = -steps; b <= steps; ++b)
    for (int a = -(steps - std::abs(b)); a <= steps - std::abs(b); ++a)
      if (height(a, b) > best) {
        best = height(a, b);
        shift = a;
        slope = b;
      }
  if (std::abs(shift) + std::abs(slope) + 1 >= steps) return std::nullopt;
  const auto vertex = [best](double before, double after) {
    const double bend = before - 2.0 * best + after;
    return bend < 0.0 ? std::clamp((before - after) / (2.0 * bend), -0.5, 0.5) : 0.0;
  };
  const double a = step * (shift + vertex(height(shift - 1, slope), height(shift + 1, slope)));
  const double b = step * (slope + vertex(height(shift, slope - 1), height(shift, slope + 1)));
  const double chance = std::sqrt(squares / static_cast<double>(wide));
  // Through the points at u = -1 and 1.
  const double x0 = visible->begin[0] + (a - b) * c;
  const double y0 = visible->begin[1] + (a - b) * s;
  const double x1 = visible->end[0] + (a + b) * c;
  const double y1 = visible->end[1] + (a + b) * s;
  const double length = std::hypot(x1 - x0, y1 - y0);
  const double nx = (y1 - y0) / length;
  const double ny = (x0 - x1) / length;
  return ReferenceRidge{canonical(PixelLine{std::atan2(ny, nx), nx * x0 + ny * y0}), best / chance};
}

inline PixelLine reference_on_ridge(const GrayImage& image, PixelLine line, bool dark,
                                    double reach) {
  const auto visible = visible_segment(line, image.frame());
  const double length =
      std::hypot(visible->end[0] - visible->begin[0], visible->end[1] - visible->begin[1]);
  if (length < 4.0 * reach) return line;
  const int places = std::clamp(static_cast<int>(length), 64, 1024);
  const double sign = dark ? -1.0 : 1.0;
  std::optional<ReferenceRidge> best;
  double width = 0.0;
  for (const double each : {0.8, 1.6, 3.2}) {
    const auto ridge = reference_ridge(image, line, sign, 0.5, reach, each, places);
    if (!ridge || (best && ridge->height <= best->height)) continue;
    best = ridge;
    width = each;
  }
  if (!best || best->height < 6.0) return line;
  const auto fine = reference_ridge(image, best->line, sign, 0.25, 1.5, width, places);
  return fine ? fine->line : best->line;
}

}  // namespace vsmax::test
