// SPDX-License-Identifier: Apache-2.0
// Memory of a CUDA device.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "vsmax/base/error.h"

namespace vsmax {

inline void check_cuda(cudaError_t status) {
  if (status != cudaSuccess) throw Error(std::string("CUDA: ") + cudaGetErrorString(status));
}

template <class Value>
class DeviceArray {
 public:
  DeviceArray() = default;
  // Uninitialised.
  explicit DeviceArray(std::size_t size) : size_(size) {
    if (size == 0) return;
    void* memory = nullptr;
    check_cuda(cudaMalloc(&memory, size * sizeof(Value)));
    data_ = static_cast<Value*>(memory);
  }
  // A copy of the host's values.
  explicit DeviceArray(std::span<const Value> values) : DeviceArray(values.size()) {
    if (size_ != 0)
      check_cuda(cudaMemcpy(data_, values.data(), size_ * sizeof(Value), cudaMemcpyHostToDevice));
  }
  explicit DeviceArray(const std::vector<Value>& values)
      : DeviceArray(std::span<const Value>(values)) {}
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;
  DeviceArray(DeviceArray&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  DeviceArray& operator=(DeviceArray&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~DeviceArray() { cudaFree(data_); }

  Value* data() { return data_; }
  const Value* data() const { return data_; }
  std::size_t size() const { return size_; }

  // Waits for the default stream.
  std::vector<Value> to_host() const {
    std::vector<Value> values(size_);
    if (size_ != 0)
      check_cuda(cudaMemcpy(values.data(), data_, size_ * sizeof(Value), cudaMemcpyDeviceToHost));
    return values;
  }

 private:
  Value* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace vsmax
