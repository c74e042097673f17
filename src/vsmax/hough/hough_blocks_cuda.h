// SPDX-License-Identifier: Apache-2.0
// Internal to hough_forward_cuda.cu: what a device has room for, and how an image's angles are
// divided among its blocks.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>

#include "vsmax/base/cuda_launch.h"
#include "vsmax/hough/bin_rule.h"
#include "vsmax/hough/hough_cuda.h"

namespace vsmax::hough_cuda {

struct Processors {
  int count = 0;
  int shared_of_each = 0;
  int shared_of_block = 0;

  cudaError_t find() {
    int device = 0;
    if (const auto status = cudaGetDevice(&device); status != cudaSuccess) return status;
    for (const auto& [value, attribute] :
         {std::pair(&count, cudaDevAttrMultiProcessorCount),
          std::pair(&shared_of_each, cudaDevAttrMaxSharedMemoryPerMultiprocessor),
          std::pair(&shared_of_block, cudaDevAttrMaxSharedMemoryPerBlockOptin)})
      if (const auto status = cudaDeviceGetAttribute(value, attribute, device);
          status != cudaSuccess)
        return status;
    return cudaSuccess;
  }

  // What a block may use if `blocks` are to run at a time; each needs another kilobyte.
  std::size_t shared_bytes(int blocks) const {
    return static_cast<std::size_t>(
        std::max(0, std::min(shared_of_block, shared_of_each / blocks - 1024)));
  }
};

// How the angles are divided among the blocks of an image.
struct AngleShares {
  int column_angles, row_angles;

  explicit AngleShares(const HoughTableOnDevice& table)
      : column_angles(table.first_row_angle),
        row_angles(half_thetas(table.thetas) - table.first_row_angle) {}

  unsigned column_blocks(int angles) const { return blocks_for(column_angles, angles); }
  unsigned blocks(int angles) const {
    return column_blocks(angles) + blocks_for(row_angles, angles);
  }
};

}  // namespace vsmax::hough_cuda
