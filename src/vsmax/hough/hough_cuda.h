// SPDX-License-Identifier: Apache-2.0
// The Hough transform (Eq. 7) and its adjoint (Eq. 9) on CUDA. Deterministic: every sum is computed
// in a fixed order, which depends neither on the device nor on the other images of a batch.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "vsmax/hough/grid.h"
#include "vsmax/hough/hough_cuda_table.h"

namespace vsmax {

// A grid and its HoughCudaTable, as device pointers, which are null where the table is empty.
struct HoughTableOnDevice {
  int width, height, thetas, rhos;
  double bin_width;
  const double* normals;

  const HoughLineGroup* groups;
  const std::uint16_t* edges;
  int first_row_angle;

  const HoughBinSum* sums;
  const std::uint32_t* first_sum;
  const std::uint16_t* pixel_sums;
  int packs_per_pass, most_sums;
};

// `upload` copies a vector to the device and returns a 16-byte aligned device pointer to its
// values, null if it is empty.
template <class Upload>
HoughTableOnDevice hough_table_on_device(const HoughGrid& grid, const HoughCudaTable& table,
                                         const Upload& upload) {
  return {grid.frame().width,   grid.frame().height,     grid.thetas(),
          grid.rhos(),          grid.bin_width(),        upload(table.normals),
          upload(table.groups), upload(table.edges),     table.first_row_angle,
          upload(table.sums),   upload(table.first_sum), upload(table.pixel_sums),
          table.packs_per_pass, table.most_sums};
}

// images: batch x H x W; accumulators: batch x T x R. Each function overwrites its result.
//
// Pixel and Cell are both double, or float and __nv_bfloat16 in any combination. Images may also be
// std::uint8_t, with cells of float or __nv_bfloat16; their values are scaled so that black is 0
// and white is 1. Sums are float, but double for double and exact integers for std::uint8_t.
template <class Pixel, class Cell>
cudaError_t hough_forward_cuda(const HoughTableOnDevice& table, const Pixel* images,
                               Cell* accumulators, std::int64_t batch, cudaStream_t stream);
// The same types, except std::uint8_t.
template <class Cell, class Pixel>
cudaError_t hough_adjoint_cuda(const HoughTableOnDevice& table, const Cell* accumulators,
                               Pixel* images, std::int64_t batch, cudaStream_t stream);

}  // namespace vsmax
