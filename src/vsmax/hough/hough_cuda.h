// SPDX-License-Identifier: Apache-2.0
// The Hough transform (Eq. 7) and its adjoint (Eq. 9) on CUDA, from the same table of runs as the
// core's. Deterministic: every cell and every pixel is summed by one thread in a fixed order.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

namespace vsmax {

// The runs of a row at one angle: bin first_bin + i holds the columns edges[begin + i] up to
// edges[begin + i + 1].
struct alignas(8) RowRunsOnDevice {
  std::uint32_t begin;
  std::uint16_t runs;
  std::uint16_t first_bin;
};

// A grid; the pointers are the device's. As in BinEdges, t <= T/2 and the upper half of the rows.
struct HoughTableOnDevice {
  int width, height, thetas, rhos;
  double bin_width;
  const RowRunsOnDevice* rows;  // min(T/2 + 1, T) x (H + 1) / 2
  const std::uint16_t* edges;
  const double* cosines;  // T
  const double* sines;    // T
};

// The most columns an image may have: two rows of prefix sums must fit a block's shared memory.
std::size_t hough_cuda_most_columns(std::size_t value_size);

// images: batch x H x W; accumulators: batch x T x R; each overwrites its result. Value: float or
// double.
template <class Value>
cudaError_t hough_forward_cuda(const HoughTableOnDevice& table, const Value* images,
                               Value* accumulators, std::int64_t batch, cudaStream_t stream);
template <class Value>
cudaError_t hough_adjoint_cuda(const HoughTableOnDevice& table, const Value* accumulators,
                               Value* images, std::int64_t batch, cudaStream_t stream);

}  // namespace vsmax
