// SPDX-License-Identifier: Apache-2.0
// Internal to hough_forward_cuda.cu: the transform where there is no table, or shared memory is too
// small. A warp takes a cell and walks over the rows.
#pragma once

#include <cstddef>
#include <cstdint>

#include "vsmax/hough/bin_rule.h"
#include "vsmax/hough/hough_cuda.h"
#include "vsmax/hough/hough_cuda_values.h"
#include "vsmax/hough/hough_tiles_cuda.h"

namespace vsmax::hough_cuda {

// The first column of a row that votes for the bin or one above it, at t <= T/2.
__device__ inline int first_column(const HoughTableOnDevice& table, int t, int row, int bin) {
  const double cosine = table.normals[t];
  const double sine = table.normals[table.thetas + t];
  const double half_width = 0.5 * (table.width - 1);
  const double y = row - 0.5 * (table.height - 1);
  const int wanted = bin - (table.rhos - 1) / 2;
  const auto reached = [&](int column) {
    return vote_bin(column - half_width, y, cosine, sine, table.bin_width) >= wanted;
  };
  if (reached(0)) return 0;
  if (!reached(table.width - 1)) return table.width;
  // The search only corrects the estimate's rounding.
  const double estimate = ((wanted - 0.5) * table.bin_width - y * sine) / cosine + half_width;
  int column = static_cast<int>(min(max(estimate, 1.0), table.width - 1.0));
  while (reached(column - 1)) --column;
  while (!reached(column)) ++column;
  return column;
}

// blockIdx.y: an angle t; blockIdx.x: bins of all images.
template <class Pixel, class Cell>
__global__ void __launch_bounds__(kDirectThreads)
    direct_forward_kernel(HoughTableOnDevice table, const Pixel* images, Cell* accumulators,
                          std::int64_t batch) {
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  const std::int64_t cell =
      static_cast<std::int64_t>(blockIdx.x) * (kDirectThreads / kWarp) + threadIdx.x / kWarp;
  if (cell >= batch * table.rhos) return;
  const std::int64_t image = cell / table.rhos;
  const int bin = static_cast<int>(cell % table.rhos);
  const int t = static_cast<int>(blockIdx.y);
  // Beyond T/2, columns are counted from the right.
  const bool mirror = 2 * t > table.thetas;
  const Pixel* first_row = images + static_cast<std::size_t>(image) *
                                        static_cast<std::size_t>(table.height) *
                                        static_cast<std::size_t>(table.width);
  Sum<Pixel> total = 0;
  for (int begin = 0; begin < table.height; begin += kWarp) {
    const int rows = min(kWarp, table.height - begin);
    int first = 0;
    int end = 0;
    if (lane < rows) {
      const int as = mirror ? table.thetas - t : t;
      first = first_column(table, as, begin + lane, bin);
      end = first_column(table, as, begin + lane, bin + 1);
    }
    for (int i = 0; i < rows; ++i) {
      const int row_first = __shfl_sync(kWholeWarp, first, i);
      const int row_end = __shfl_sync(kWholeWarp, end, i);
      const Pixel* row = first_row + static_cast<std::size_t>(begin + i) * table.width;
      Sum<Pixel> sum = 0;
      for (int column = row_first + lane; column < row_end; column += kWarp)
        sum += load(row + (mirror ? table.width - 1 - column : column));
      total += sum;
    }
  }
#pragma unroll
  for (int step = kWarp / 2; step > 0; step /= 2) total += __shfl_xor_sync(kWholeWarp, total, step);
  if (lane == 0)
    store(total, accumulators +
                     (static_cast<std::size_t>(image) * table.thetas + t) *
                         static_cast<std::size_t>(table.rhos) +
                     bin);
}

}  // namespace vsmax::hough_cuda
