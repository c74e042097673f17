// SPDX-License-Identifier: Apache-2.0
// Shrinking an image by averaging over equal rectangles.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "vsmax/geometry/image_frame.h"
#include "vsmax/image/gray_image.h"
#include "vsmax/image/image_view.h"

namespace vsmax {

// Keeps its memory from call to call.
class AreaAverage {
 public:
  // result: for each of the target's pixels the mean over its share of the source.
  void operator()(std::span<const float> pixels, const ImageFrame& source, const ImageFrame& target,
                  std::vector<float>& result);
  // The same for one channel of a view, read row by row without copying the image.
  void operator()(const ImageView& image, std::size_t channel, const ImageFrame& target,
                  std::vector<float>& result);

 private:
  // Which samples along one side make up each of the target's cells, and with what weights.
  struct Side {
    struct Share {
      std::size_t begin = 0;  // first sample of the cell
      std::size_t end = 0;
      std::size_t weights = 0;  // where its samples' weights begin
    };
    std::vector<Share> cells;
    std::vector<double> weights;

    void divide(int from, int to);
  };

  // row_at(y) points to the pixels of a row; valid until the next call of row_at.
  template <class RowAt>
  void average(const RowAt& row_at, const ImageFrame& source, const ImageFrame& target,
               std::vector<float>& result);

  Side across_;
  Side down_;
  std::vector<float> row_;     // of a view, as floats
  std::vector<float> narrow_;  // the image averaged along its rows only
  std::vector<double> sums_;   // of one row of the result
};

GrayImage area_average(const GrayImage& image, const ImageFrame& target);

}  // namespace vsmax
