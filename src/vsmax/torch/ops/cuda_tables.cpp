// SPDX-License-Identifier: Apache-2.0
#include "vsmax/torch/ops/cuda_tables.h"

#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGraphsC10Utils.h>
#include <c10/cuda/CUDAGuard.h>
#include <cuda_runtime_api.h>

#include <map>
#include <mutex>
#include <tuple>
#include <vector>

#include "vsmax/hough/bin_edges.h"
#include "vsmax/readout/veronese_cuda_table.h"

namespace vsmax::ops {
namespace {

// Values in memory of the device's own that is never freed. It does not come from torch's
// allocator: while a CUDA graph is being captured, or a compiled one is warming up, that serves the
// graph's memory. The mode and the stream of the copy keep it out of a graph as well.
template <class Value>
const Value* upload(const std::vector<Value>& values, torch::Device device) {
  const c10::cuda::CUDAGuard guard(device);
  const c10::cuda::CUDAStreamCaptureModeGuard outside_graphs(cudaStreamCaptureModeRelaxed);
  const std::size_t bytes = values.size() * sizeof(Value);
  void* memory = nullptr;
  cudaStream_t stream = nullptr;
  C10_CUDA_CHECK(cudaMalloc(&memory, bytes));
  C10_CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  C10_CUDA_CHECK(cudaMemcpyAsync(memory, values.data(), bytes, cudaMemcpyHostToDevice, stream));
  C10_CUDA_CHECK(cudaStreamSynchronize(stream));
  C10_CUDA_CHECK(cudaStreamDestroy(stream));
  return static_cast<const Value*>(memory);
}

HoughTableOnDevice make_hough_table(const HoughGrid& grid, torch::Device device) {
  const auto [width, height] = grid.frame();
  TORCH_CHECK(width <= 0xFFFF, "vsmax::hough: on CUDA an image may have 65535 columns, not ",
              width);
  std::vector<RowRunsOnDevice> rows;
  std::vector<std::uint16_t> edges;
  std::vector<std::uint16_t> row_edges;
  for (int t = 0; t < half_thetas(grid); ++t)
    for (int row = 0; row < half_lines(grid, Scan::kRows); ++row) {
      const int first = find_row_runs(grid, t, row, row_edges);
      TORCH_CHECK(edges.size() + row_edges.size() <= UINT32_MAX, "vsmax::hough: the table of a ",
                  grid.thetas(), "x", grid.rhos(), " grid for ", width, "x", height,
                  " pixels is too large");
      rows.push_back({static_cast<std::uint32_t>(edges.size()),
                      static_cast<std::uint16_t>(row_edges.size() - 1),
                      static_cast<std::uint16_t>(first)});
      edges.insert(edges.end(), row_edges.begin(), row_edges.end());
    }
  std::vector<double> cosines;
  std::vector<double> sines;
  for (int t = 0; t < grid.thetas(); ++t) {
    cosines.push_back(grid.cos_theta(t));
    sines.push_back(grid.sin_theta(t));
  }
  return {width,
          height,
          grid.thetas(),
          grid.rhos(),
          grid.bin_width(),
          upload(rows, device),
          upload(edges, device),
          upload(cosines, device),
          upload(sines, device)};
}

// The table of a key, made when it is first asked for.
template <class Table, class Key, class Make>
const Table& kept_table(const Key& key, const Make& make) {
  static std::map<Key, Table> tables;
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  const auto found = tables.find(key);
  return found != tables.end() ? found->second : tables.emplace(key, make()).first->second;
}

}  // namespace

const HoughTableOnDevice& hough_table(const HoughGrid& grid, torch::Device device) {
  const auto [width, height] = grid.frame();
  return kept_table<HoughTableOnDevice>(
      std::tuple(width, height, grid.thetas(), grid.rhos(), device.index()),
      [&] { return make_hough_table(grid, device); });
}

const ReadoutTableOnDevice& readout_table(const CellShape& shape, torch::Device device) {
  return kept_table<ReadoutTableOnDevice>(
      std::tuple(shape.thetas, shape.rhos, shape.cover, device.index()),
      [&] { return readout_table_at(shape, upload(readout_table_values(shape), device)); });
}

}  // namespace vsmax::ops
