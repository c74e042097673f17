// SPDX-License-Identifier: Apache-2.0
// Images without a line, such as a detector meets and should not trust: noise, clouds, blobs,
// gradients, textures, steps. And lines that are not the paper's: wide, short, dark.
#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "support/random.h"
#include "vsmax/geometry/line.h"
#include "vsmax/image/gray_image.h"

namespace vsmax::test {

inline void stretch(GrayImage& image, double low, double high) {
  const auto [least, most] = std::minmax_element(image.pixels.begin(), image.pixels.end());
  const double from = *least;
  const double range = std::max(1e-12, static_cast<double>(*most) - from);
  for (float& value : image.pixels)
    value = static_cast<float>(low + (high - low) * (value - from) / range);
}

inline void add_noise(GrayImage& image, Random& random, double sigma) {
  for (float& value : image.pixels)
    value = static_cast<float>(std::clamp(value + sigma * random.normal(), 0.0, 1.0));
}

// Calls body(x, y) -> value for every pixel, in a frame turned by `angle`.
template <class Body>
void paint(GrayImage& image, double angle, const Body& body) {
  const double c = std::cos(angle);
  const double s = std::sin(angle);
  const ImageFrame frame = image.frame();
  for (int row = 0; row < image.height; ++row)
    for (int column = 0; column < image.width; ++column) {
      const double x = frame.x(column);
      const double y = frame.y(row);
      image.at(column, row) += static_cast<float>(body(c * x + s * y, c * y - s * x));
    }
}

// Smooth noise whose features have the size (across, along), turned by `angle`.
inline void add_octave(GrayImage& image, Random& random, double across, double along,
                       double strength, double angle) {
  constexpr int kSide = 64;
  const auto lattice = random.normals<double>(kSide * kSide);
  const auto at = [&](long u, long v) {
    return lattice[static_cast<std::size_t>((u & (kSide - 1)) * kSide + (v & (kSide - 1)))];
  };
  const auto smooth = [](double t) { return t * t * (3.0 - 2.0 * t); };
  const double shift = random.uniform(0.0, kSide);
  paint(image, angle, [&](double x, double y) {
    const double u = x / across + shift;
    const double v = y / along + shift;
    const long i = std::lround(std::floor(u));
    const long j = std::lround(std::floor(v));
    const double a = smooth(u - std::floor(u));
    const double b = smooth(v - std::floor(v));
    return strength * ((1 - b) * ((1 - a) * at(i, j) + a * at(i + 1, j)) +
                       b * ((1 - a) * at(i, j + 1) + a * at(i + 1, j + 1)));
  });
}

inline GrayImage white_noise(Random& random, const ImageFrame& frame) {
  GrayImage image(frame, static_cast<float>(random.uniform(0.0, 0.6)));
  add_noise(image, random, random.uniform(0.05, 0.6));
  return image;
}

// Short curved strokes of about the same direction, like grass.
inline GrayImage grass(Random& random, const ImageFrame& frame) {
  GrayImage image(frame, 0.5F);
  const double direction = random.uniform(0.0, std::numbers::pi);
  const double length = random.uniform(15.0, 45.0);
  const int strokes = static_cast<int>(frame.width * frame.height / length / 2.0);
  for (int i = 0; i < strokes; ++i) {
    double x = random.uniform(0.0, frame.width);
    double y = random.uniform(0.0, frame.height);
    double angle = direction + random.uniform(-0.5, 0.5);
    const double bend = random.uniform(-0.6, 0.6) / length;
    const auto brightness = static_cast<float>(random.uniform(0.2, 0.8));
    for (double along = 0.0; along < length; along += 0.5) {
      const auto column = static_cast<int>(x);
      const auto row = static_cast<int>(y);
      if (x >= 0.0 && y >= 0.0 && column < frame.width && row < frame.height)
        image.at(column, row) = brightness;
      x += 0.5 * std::cos(angle);
      y += 0.5 * std::sin(angle);
      angle += 0.5 * bend;
    }
  }
  add_noise(image, random, 0.02);
  return image;
}

// Waves around two points.
inline GrayImage ripples(Random& random, const ImageFrame& frame) {
  GrayImage image(frame, 0.5F);
  for (int i = 0; i < 2; ++i) {
    const double x0 = random.uniform(-0.6, 0.6) * frame.width;
    const double y0 = random.uniform(-0.6, 0.6) * frame.height;
    const double wave = random.uniform(6.0, 25.0);
    paint(image, 0.0, [&](double x, double y) {
      return 0.15 * std::sin(std::hypot(x - x0, y - y0) / wave * 2.0 * std::numbers::pi);
    });
  }
  add_noise(image, random, 0.03);
  return image;
}

inline GrayImage clouds(Random& random, const ImageFrame& frame) {
  GrayImage image(frame);
  const double fall = random.uniform(0.5, 1.2);
  for (double size = 2.0; size < 200.0; size *= 2.0)
    add_octave(image, random, size, size, std::pow(size, fall),
               random.uniform(0.0, std::numbers::pi));
  stretch(image, random.uniform(0.0, 0.3), random.uniform(0.6, 1.0));
  return image;
}

inline GrayImage blobs(Random& random, const ImageFrame& frame) {
  GrayImage image(frame, static_cast<float>(random.uniform(0.0, 0.5)));
  for (int i = random.integer(1, 40); i > 0; --i) {
    const double x0 = random.uniform(-0.5, 0.5) * frame.width;
    const double y0 = random.uniform(-0.5, 0.5) * frame.height;
    const double size = random.uniform(1.5, 30.0);
    const double strength = random.uniform(0.1, 0.8) * (random.uniform() < 0.7 ? 1.0 : -1.0);
    const bool hard = random.uniform() < 0.5;
    paint(image, 0.0, [&](double x, double y) {
      const double d = std::hypot(x - x0, y - y0) / size;
      return strength * (hard ? (d < 1.0 ? 1.0 : 0.0) : std::exp(-0.5 * d * d));
    });
  }
  add_noise(image, random, random.uniform() < 0.5 ? 0.0 : random.uniform(0.0, 0.1));
  return image;
}

inline GrayImage gradient(Random& random, const ImageFrame& frame) {
  GrayImage image(frame);
  const double x0 = random.uniform(-1.0, 1.0) * frame.width;
  const double y0 = random.uniform(-1.0, 1.0) * frame.height;
  const int kind = random.integer(0, 2);
  paint(image, random.uniform(0.0, 2.0 * std::numbers::pi), [&](double x, double y) {
    return kind == 0 ? x : kind == 1 ? std::hypot(x - x0, y - y0) : x * std::abs(x);
  });
  stretch(image, random.uniform(0.0, 0.3), random.uniform(0.6, 1.0));
  add_noise(image, random, random.uniform() < 0.4 ? 0.0 : random.uniform(0.0, 0.15));
  return image;
}

inline GrayImage weave(Random& random, const ImageFrame& frame) {
  GrayImage image(frame);
  const double p = random.uniform(4.0, 24.0);
  const double q = random.uniform(4.0, 24.0);
  const int kind = random.integer(0, 2);
  paint(image, random.uniform(0.0, std::numbers::pi), [&](double x, double y) {
    const double u = std::sin(std::numbers::pi * x / p);
    const double v = std::sin(std::numbers::pi * y / q);
    const bool over = (std::lround(std::floor(x / p)) + std::lround(std::floor(y / q))) % 2 != 0;
    return kind == 0 ? std::abs(over ? u : v) : kind == 1 ? u * u + v * v : over ? 1.0 : 0.0;
  });
  const double uneven = random.uniform(0.0, 0.3);
  add_octave(image, random, 3.0, 3.0, uneven, 0.0);
  add_octave(image, random, 30.0, 30.0, uneven, 0.0);
  stretch(image, random.uniform(0.0, 0.3), random.uniform(0.6, 1.0));
  add_noise(image, random, random.uniform(0.0, 0.1));
  return image;
}

inline GrayImage bark(Random& random, const ImageFrame& frame) {
  GrayImage image(frame);
  const double angle = random.uniform(0.0, std::numbers::pi);
  for (double size = 1.5; size < 40.0; size *= 2.0)
    add_octave(image, random, size, size * random.uniform(2.0, 8.0),
               std::pow(size, random.uniform(0.0, 0.8)), angle + random.uniform(-0.05, 0.05));
  stretch(image, 0.0, 1.0);
  return image;
}

// Pebbles: each pixel belongs to the nearest of many points, and gaps between them are dark.
inline GrayImage gravel(Random& random, const ImageFrame& frame) {
  struct Pebble {
    double x, y, value;
  };
  const double spacing = random.uniform(6.0, 20.0);
  const int columns = static_cast<int>(frame.width / spacing) + 1;
  const int rows = static_cast<int>(frame.height / spacing) + 1;
  std::vector<Pebble> pebbles;
  for (int v = 0; v < rows; ++v)
    for (int u = 0; u < columns; ++u)
      pebbles.push_back(
          {(u + random.uniform()) * spacing, (v + random.uniform()) * spacing, random.uniform()});
  GrayImage image(frame);
  paint(image, 0.0, [&](double x, double y) {
    x += frame.half_width();
    y += frame.half_height();
    const int u0 = static_cast<int>(x / spacing);
    const int v0 = static_cast<int>(y / spacing);
    double first = 1e9;
    double second = 1e9;
    double value = 0.0;
    for (int v = std::max(0, v0 - 2); v <= std::min(rows - 1, v0 + 2); ++v)
      for (int u = std::max(0, u0 - 2); u <= std::min(columns - 1, u0 + 2); ++u) {
        const Pebble& pebble = pebbles[static_cast<std::size_t>(v * columns + u)];
        const double d = std::hypot(x - pebble.x, y - pebble.y);
        second = std::min(second, std::max(first, d));
        if (d < first) value = pebble.value;
        first = std::min(first, d);
      }
    return value * std::min(1.0, (second - first) / 3.0);
  });
  add_noise(image, random, random.uniform(0.0, 0.08));
  return image;
}

inline GrayImage texture(Random& random, const ImageFrame& frame) {
  const int kind = random.integer(0, 2);
  return kind == 0 ? weave(random, frame) : kind == 1 ? bark(random, frame) : gravel(random, frame);
}

// Two areas that meet in the line, brighter on the side of its normal.
inline GrayImage step(Random& random, const ImageFrame& frame, PixelLine line) {
  const double low = random.uniform(0.0, 0.3);
  const double high = random.uniform(0.6, 1.0);
  const double blur = random.uniform(0.2, 3.0);
  GrayImage image(frame, static_cast<float>(low));
  paint(image, line.theta, [&](double x, double) {
    return (high - low) * std::clamp((x - line.rho) / blur + 0.5, 0.0, 1.0);
  });
  add_noise(image, random, random.uniform() < 0.3 ? 0.0 : random.uniform(0.0, 0.1));
  return image;
}

inline PixelLine random_line(Random& random, const ImageFrame& frame, double within = 0.6) {
  const double theta = random.uniform(0.0, std::numbers::pi);
  return {theta, random.uniform(-within, within) * frame.reach(std::cos(theta), std::sin(theta))};
}

// The middle `share` of a line's visible part, `width` pixels wide, with a soft edge.
struct Stroke {
  double width = 1.0;
  double share = 1.0;
  double strength = 0.4;  // above the background, below it if negative
};
inline void draw(GrayImage& image, PixelLine line, const Stroke& stroke) {
  const auto visible = visible_segment(line, image.frame());
  if (!visible) return;
  const double c = std::cos(line.theta);
  const double s = std::sin(line.theta);
  const auto [x0, y0] = visible->midpoint();
  const double half =
      0.5 * stroke.share *
      std::hypot(visible->end[0] - visible->begin[0], visible->end[1] - visible->begin[1]);
  paint(image, line.theta, [&](double across, double along) {
    if (std::abs(along - (c * y0 - s * x0)) > half) return 0.0;
    return stroke.strength *
           std::clamp(0.5 * (stroke.width + 1.0) - std::abs(across - line.rho), 0.0, 1.0);
  });
}

}  // namespace vsmax::test
