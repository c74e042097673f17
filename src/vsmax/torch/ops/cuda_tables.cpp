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

#include "vsmax/readout/veronese_cuda_table.h"

namespace vsmax::ops {
namespace {

// Copies the values to device memory that is never freed. It is not allocated by torch, whose
// allocator hands out memory from a graph's private pool while a CUDA graph is being captured or a
// compiled one is warming up. The relaxed capture mode and the separate stream keep the copy itself
// out of the graph.
template <class Value>
const Value* upload(const std::vector<Value>& values, torch::Device device) {
  if (values.empty()) return nullptr;
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

// The table for a key, made on first use.
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
      std::tuple(width, height, grid.thetas(), grid.rhos(), device.index()), [&] {
        return hough_table_on_device(grid, make_hough_cuda_table(grid),
                                     [&](const auto& values) { return upload(values, device); });
      });
}

const ReadoutTableOnDevice& readout_table(const CellShape& shape, torch::Device device) {
  return kept_table<ReadoutTableOnDevice>(
      std::tuple(shape.thetas, shape.rhos, shape.cover, device.index()),
      [&] { return readout_table_at(shape, upload(readout_table_values(shape), device)); });
}

}  // namespace vsmax::ops
