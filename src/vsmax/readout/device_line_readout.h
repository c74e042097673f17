// SPDX-License-Identifier: Apache-2.0
// The tables of line_readout_cuda, on the device.
#pragma once

#include <limits>
#include <vector>

#include "vsmax/base/device_array.h"
#include "vsmax/hough/grid.h"
#include "vsmax/readout/line_readout_cuda.h"
#include "vsmax/readout/veronese_cuda_table.h"

namespace vsmax {

class DeviceLineReadout {
 public:
  DeviceLineReadout(const HoughGrid& grid, Cover cover, double temperature)
      : shape_(grid.shape(cover)),
        frame_(grid.frame()),
        temperature_(temperature),
        values_(readout_table_values(shape_)),
        midpoints_(midpoints_of(grid)) {}

  LineReadoutOnDevice on_device() const {
    return {shape_, frame_, temperature_, readout_table_at(shape_, values_.data()),
            midpoints_.data()};
  }

 private:
  static std::vector<double> midpoints_of(const HoughGrid& grid) {
    constexpr double kNowhere = std::numeric_limits<double>::quiet_NaN();
    std::vector<double> values;
    for (std::size_t i = 0; i < grid.cells(); ++i) {
      const auto visible = visible_segment(grid.line(grid.shape().cell(i)), grid.frame());
      const auto middle = visible ? visible->midpoint() : std::array{kNowhere, kNowhere};
      values.insert(values.end(), middle.begin(), middle.end());
    }
    return values;
  }

  CellShape shape_;
  ImageFrame frame_;
  double temperature_;
  DeviceArray<double> values_;
  DeviceArray<double> midpoints_;
};

}  // namespace vsmax
