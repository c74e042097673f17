// SPDX-License-Identifier: Apache-2.0
// A CUDA stream, and CUDA graphs: work that is captured once and then launched as a whole.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

#include "vsmax/base/device_array.h"

namespace vsmax {

class CudaStream {
 public:
  CudaStream() { check_cuda(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)); }
  CudaStream(const CudaStream&) = delete;
  CudaStream& operator=(const CudaStream&) = delete;
  ~CudaStream() { cudaStreamDestroy(stream_); }

  cudaStream_t get() const { return stream_; }
  void wait() const { check_cuda(cudaStreamSynchronize(stream_)); }

 private:
  cudaStream_t stream_ = nullptr;
};

class CudaGraph {
 public:
  // `enqueue()` puts the work on the stream, where it is captured, not executed. The same work must
  // have been run before, because kernels cannot be loaded during capture.
  template <class Enqueue>
  CudaGraph(const CudaStream& stream, const Enqueue& enqueue) {
    check_cuda(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeThreadLocal));
    cudaGraph_t graph = nullptr;
    try {
      enqueue();
    } catch (...) {
      cudaStreamEndCapture(stream.get(), &graph);
      if (graph != nullptr) cudaGraphDestroy(graph);
      throw;
    }
    check_cuda(cudaStreamEndCapture(stream.get(), &graph));
    const cudaError_t status = cudaGraphInstantiate(&graph_, graph, 0);
    cudaGraphDestroy(graph);
    check_cuda(status);
  }
  CudaGraph(const CudaGraph&) = delete;
  CudaGraph& operator=(const CudaGraph&) = delete;
  ~CudaGraph() { cudaGraphExecDestroy(graph_); }

  void start(const CudaStream& stream) const { check_cuda(cudaGraphLaunch(graph_, stream.get())); }

 private:
  cudaGraphExec_t graph_ = nullptr;
};

// Page-locked host memory, which the device can read and write directly, without a staging copy.
template <class Value>
class PinnedArray {
 public:
  explicit PinnedArray(std::size_t size) : size_(size) {
    void* memory = nullptr;
    check_cuda(cudaMallocHost(&memory, size * sizeof(Value)));
    data_ = static_cast<Value*>(memory);
  }
  PinnedArray(const PinnedArray&) = delete;
  PinnedArray& operator=(const PinnedArray&) = delete;
  ~PinnedArray() { cudaFreeHost(data_); }

  Value* data() { return data_; }
  const Value* data() const { return data_; }
  std::size_t size() const { return size_; }

 private:
  Value* data_ = nullptr;
  std::size_t size_ = 0;
};

template <class Value>
void copy_to_device(Value* to, const Value* from, std::size_t count, cudaStream_t stream) {
  check_cuda(cudaMemcpyAsync(to, from, count * sizeof(Value), cudaMemcpyHostToDevice, stream));
}
template <class Value>
void copy_to_host(Value* to, const Value* from, std::size_t count, cudaStream_t stream) {
  check_cuda(cudaMemcpyAsync(to, from, count * sizeof(Value), cudaMemcpyDeviceToHost, stream));
}

}  // namespace vsmax
