// SPDX-License-Identifier: Apache-2.0
#include "vsmax/evidence/area_average.h"

#include <algorithm>
#include <cmath>

namespace vsmax {

void AreaAverage::Side::divide(int from, int to) {
  cells.clear();
  weights.clear();
  const double step = static_cast<double>(from) / to;
  for (int cell = 0; cell < to; ++cell) {
    const double left = cell * step;
    const double right = (cell + 1) * step;
    const int begin = static_cast<int>(std::floor(left));
    const int end = std::min(from, static_cast<int>(std::ceil(right)));
    cells.push_back(
        {static_cast<std::size_t>(begin), static_cast<std::size_t>(end), weights.size()});
    for (int i = begin; i < end; ++i)
      weights.push_back(std::max(0.0, std::min<double>(i + 1, right) - std::max<double>(i, left)) /
                        step);
  }
}

template <class RowAt>
void AreaAverage::average(const RowAt& row_at, const ImageFrame& source, const ImageFrame& target,
                          std::vector<float>& result) {
  across_.divide(source.width, target.width);
  down_.divide(source.height, target.height);
  const auto columns = static_cast<std::size_t>(target.width);
  const auto rows = static_cast<std::size_t>(source.height);
  narrow_.resize(rows * columns);
  for (std::size_t y = 0; y < rows; ++y) {
    const float* row = row_at(y);
    for (std::size_t x = 0; x < columns; ++x) {
      const auto& cell = across_.cells[x];
      const double* weights = across_.weights.data() + cell.weights;
      double sum = 0.0;
      for (std::size_t i = cell.begin; i < cell.end; ++i)
        sum += weights[i - cell.begin] * static_cast<double>(row[i]);
      narrow_[y * columns + x] = static_cast<float>(sum);
    }
  }

  result.resize(target.pixels());
  for (std::size_t y = 0; y < static_cast<std::size_t>(target.height); ++y) {
    const auto& cell = down_.cells[y];
    sums_.assign(columns, 0.0);
    for (std::size_t i = cell.begin; i < cell.end; ++i) {
      const double weight = down_.weights[cell.weights + i - cell.begin];
      for (std::size_t x = 0; x < columns; ++x)
        sums_[x] += weight * static_cast<double>(narrow_[i * columns + x]);
    }
    std::transform(sums_.begin(), sums_.end(), result.data() + y * columns,
                   [](double sum) { return static_cast<float>(sum); });
  }
}

void AreaAverage::operator()(std::span<const float> pixels, const ImageFrame& source,
                             const ImageFrame& target, std::vector<float>& result) {
  average([&](std::size_t y) { return pixels.data() + y * static_cast<std::size_t>(source.width); },
          source, target, result);
}

void AreaAverage::operator()(const ImageView& image, std::size_t channel, const ImageFrame& target,
                             std::vector<float>& result) {
  row_.resize(static_cast<std::size_t>(image.frame().width));
  average(
      [&](std::size_t y) {
        image.copy_channel_to(channel, static_cast<int>(y), row_.data());
        return static_cast<const float*>(row_.data());
      },
      image.frame(), target, result);
}

GrayImage area_average(const GrayImage& image, const ImageFrame& target) {
  GrayImage result(target);
  AreaAverage()(image.pixels, image.frame(), target, result.pixels);
  return result;
}

}  // namespace vsmax
