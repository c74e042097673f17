// SPDX-License-Identifier: Apache-2.0
// Shrinking an image by the mean over equal rectangles.
#pragma once

#include <vector>

#include "vsmax/image/image.h"

namespace vsmax {

// Keeps its memory from call to call.
class AreaAverage {
 public:
  // result: the mean of the image over each of width x height equal rectangles.
  void operator()(const GrayImage& image, int width, int height, GrayImage& result);

 private:
  // How samples along one side make up cells.
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

  Side across_;
  Side down_;
  std::vector<float> narrow_;  // the image averaged along its rows alone
  std::vector<double> sums_;   // of one row of the result
};

GrayImage area_average(const GrayImage& image, int width, int height);

}  // namespace vsmax
