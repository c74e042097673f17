// SPDX-License-Identifier: Apache-2.0
#include "draw/resample.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace vsmax::drawing {

namespace {

// Calls body(j, weight) for the old pixels j under the new pixel i; the weights sum to 1. Measured
// in fractions 1 / (old_size * new_size) of the whole, where all borders are integers.
template <class Body>
void for_each_below(std::int64_t i, std::int64_t new_size, std::int64_t old_size,
                    const Body& body) {
  const std::int64_t begin = i * old_size;
  const std::int64_t end = begin + old_size;
  for (std::int64_t j = begin / new_size; j * new_size < end; ++j) {
    const std::int64_t overlap = std::min(end, (j + 1) * new_size) - std::max(begin, j * new_size);
    body(static_cast<int>(j), static_cast<double>(overlap) / static_cast<double>(old_size));
  }
}

}  // namespace

GrayImage resample(const GrayImage& image, int width, int height) {
  if (width == image.width && height == image.height) return image;
  GrayImage result(width, height);
  std::vector<double> line(static_cast<std::size_t>(image.width));
  for (int row = 0; row < height; ++row) {
    std::fill(line.begin(), line.end(), 0.0);
    for_each_below(row, height, image.height, [&](int j, double weight) {
      for (int i = 0; i < image.width; ++i)
        line[static_cast<std::size_t>(i)] += weight * static_cast<double>(image.at(i, j));
    });
    for (int column = 0; column < width; ++column) {
      double mean = 0.0;
      for_each_below(column, width, image.width, [&](int i, double weight) {
        mean += weight * line[static_cast<std::size_t>(i)];
      });
      result.at(column, row) = static_cast<float>(mean);
    }
  }
  return result;
}

}  // namespace vsmax::drawing
