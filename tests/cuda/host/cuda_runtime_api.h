// SPDX-License-Identifier: Apache-2.0
// CUDA without a GPU: as much of its runtime and language as our kernels use, so that their own
// sources run, compiled as C++, on any machine. Clusters of blocks run one after the other, the
// threads of a cluster as fibers that switch at barriers and warp operations; between those they
// run one after the other, and the blocks of a cluster between its barriers, upwards or downwards,
// so that a missing barrier shows (see Order). The device's memory is the host's, with an unmapped
// page behind every array; it begins as NaNs, as does shared memory, which is NaNs again as soon as
// its block has ended.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <tuple>
#include <utility>

enum cudaError_t {
  cudaSuccess = 0,
  cudaErrorInvalidValue = 1,
  cudaErrorMemoryAllocation = 2,
  cudaErrorInvalidConfiguration = 9,
  cudaErrorNoDevice = 100,
};
enum cudaMemcpyKind {
  cudaMemcpyHostToHost,
  cudaMemcpyHostToDevice,
  cudaMemcpyDeviceToHost,
  cudaMemcpyDeviceToDevice,
  cudaMemcpyDefault,
};
enum cudaDeviceAttr {
  cudaDevAttrMultiProcessorCount,
  cudaDevAttrMaxSharedMemoryPerBlockOptin,
  cudaDevAttrMaxSharedMemoryPerMultiprocessor,
};
enum cudaFuncAttribute { cudaFuncAttributeMaxDynamicSharedMemorySize };
enum cudaStreamCaptureMode { cudaStreamCaptureModeThreadLocal };
inline constexpr unsigned cudaStreamNonBlocking = 1;
inline constexpr unsigned cudaEventDisableTiming = 2;

struct dim3 {
  unsigned x = 1, y = 1, z = 1;
  constexpr dim3(unsigned a = 1, unsigned b = 1, unsigned c = 1) : x(a), y(b), z(c) {}
};
using uint3 = dim3;

namespace cuda_on_host {
struct Stream;
struct Graph;
}  // namespace cuda_on_host
using cudaStream_t = cuda_on_host::Stream*;
using cudaGraph_t = cuda_on_host::Graph*;
using cudaGraphExec_t = cuda_on_host::Graph*;
using cudaEvent_t = int*;

// Kernels never start early here, but those that may have to wait for the previous one.
enum cudaLaunchAttributeID {
  cudaLaunchAttributeClusterDimension,
  cudaLaunchAttributeProgrammaticStreamSerialization,
};
struct cudaLaunchAttribute {
  cudaLaunchAttributeID id;
  struct {
    dim3 clusterDim;
    int programmaticStreamSerializationAllowed;
  } val;
};
struct cudaFuncAttributes {
  int ptxVersion;
};
struct cudaLaunchConfig_t {
  dim3 gridDim, blockDim;
  std::size_t dynamicSmemBytes = 0;
  cudaStream_t stream = nullptr;
  cudaLaunchAttribute* attrs = nullptr;
  unsigned numAttrs = 0;
};

const char* cudaGetErrorString(cudaError_t error);
inline cudaError_t cudaGetLastError() { return cudaSuccess; }
inline cudaError_t cudaGetDeviceCount(int* count) { return *count = 1, cudaSuccess; }
inline cudaError_t cudaGetDevice(int* device) { return *device = 0, cudaSuccess; }
inline cudaError_t cudaSetDevice(int device) {
  return device == 0 ? cudaSuccess : cudaErrorNoDevice;
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device);

cudaError_t cudaMalloc(void** memory, std::size_t bytes);
cudaError_t cudaFree(void* memory);
inline cudaError_t cudaMallocHost(void** memory, std::size_t bytes) {
  return cudaMalloc(memory, bytes);
}
inline cudaError_t cudaFreeHost(void* memory) { return cudaFree(memory); }
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream = nullptr);
cudaError_t cudaMemsetAsync(void* to, int byte, std::size_t bytes, cudaStream_t stream = nullptr);
inline cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind) {
  std::memcpy(to, from, bytes);
  return cudaSuccess;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
inline cudaError_t cudaStreamSynchronize(cudaStream_t) { return cudaSuccess; }
inline cudaError_t cudaDeviceSynchronize() { return cudaSuccess; }
inline cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
  return *event = nullptr, cudaSuccess;
}
inline cudaError_t cudaEventDestroy(cudaEvent_t) { return cudaSuccess; }
inline cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t = nullptr) { return cudaSuccess; }
inline cudaError_t cudaEventSynchronize(cudaEvent_t) { return cudaSuccess; }

// A graph is the list of what was put on its stream.
cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode);
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph);
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* exec, cudaGraph_t graph,
                                 unsigned long long flags = 0);
cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream);
inline cudaError_t cudaGraphDestroy(cudaGraph_t) { return cudaSuccess; }  // its executable is it
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec);

namespace cuda_on_host {

// In which order the threads of a block, the blocks of a cluster, and the clusters take their
// turns. A kernel whose result depends on it lacks a barrier.
enum class Order { kUpwards, kDownwards };
void set_order(Order order);

// Of threads that can never all meet. Set by a launch, cleared by reading.
bool took_divergent_barrier();

// Whether a thread of a kernel that may start early ended, or let the next kernel start, without
// waiting for the previous one. Set by a launch, cleared by reading.
bool missed_previous_kernel();

// Whether there were clusters of several blocks. Set by a launch, cleared by reading.
bool used_clusters();

// The compute capability that kernels are compiled for, times ten: 90 unless set. Below, there are
// no clusters.
void set_architecture(int architecture);
int architecture();

cudaError_t allow_shared_memory(const void* kernel, int bytes);
cudaError_t clusters_at_once(const cudaLaunchConfig_t& config, const void* kernel, int* count);
cudaError_t launch(const cudaLaunchConfig_t& config, const void* kernel,
                   std::function<void()> thread);

// For the code of kernels.
void* dynamic_shared_memory();
void wait_for_block();
void wait_for_warp();
void wait_for_cluster();
// Where a block of this cluster has what is at `shared` in this block's dynamic shared memory.
const void* shared_of_block(const void* shared, unsigned block);
void wait_for_previous();
void let_next_start();
// Where this lane leaves its value for the others, and where it finds theirs; good until its next
// warp operation.
void* warp_slot(unsigned lane);
void publish_in_warp(const void* value, std::size_t bytes);

// Copies that happen as late as they may: when they are waited for.
void copy_later(void* to, const void* from, std::size_t bytes);
void commit_copies();
void wait_for_copies(int groups_left);

}  // namespace cuda_on_host

template <class... Parameters>
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, void (*)(Parameters...)) {
  return *attributes = {cuda_on_host::architecture()}, cudaSuccess;
}
template <class... Parameters>
cudaError_t cudaFuncSetAttribute(void (*kernel)(Parameters...), cudaFuncAttribute, int bytes) {
  return cuda_on_host::allow_shared_memory(reinterpret_cast<const void*>(kernel), bytes);
}

template <class... Parameters>
cudaError_t cudaOccupancyMaxActiveClusters(int* count, void (*kernel)(Parameters...),
                                           const cudaLaunchConfig_t* config) {
  return cuda_on_host::clusters_at_once(*config, reinterpret_cast<const void*>(kernel), count);
}

template <class... Parameters, class... Arguments>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* config, void (*kernel)(Parameters...),
                               Arguments&&... arguments) {
  return cuda_on_host::launch(
      *config, reinterpret_cast<const void*>(kernel),
      [kernel, values = std::tuple<Parameters...>(std::forward<Arguments>(arguments)...)] {
        std::apply(kernel, values);
      });
}
