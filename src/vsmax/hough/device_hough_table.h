// SPDX-License-Identifier: Apache-2.0
// Owns, in device memory, the table that hough_forward_cuda and hough_adjoint_cuda take.
#pragma once

#include <memory>
#include <vector>

#include "vsmax/base/device_array.h"
#include "vsmax/hough/hough_cuda.h"
#include "vsmax/hough/hough_cuda_table.h"

namespace vsmax {

class DeviceHoughTable {
 public:
  explicit DeviceHoughTable(const HoughGrid& grid)
      : table_(hough_table_on_device(grid, make_hough_cuda_table(grid), [this](const auto& values) {
          auto array =
              std::make_shared<DeviceArray<typename std::decay_t<decltype(values)>::value_type>>(
                  values);
          const auto* data = array->data();
          arrays_.push_back(std::move(array));
          return data;
        })) {}

  const HoughTableOnDevice& on_device() const { return table_; }

 private:
  std::vector<std::shared_ptr<void>> arrays_;
  HoughTableOnDevice table_;
};

}  // namespace vsmax
