// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "block_on_host.h"
#include "cuda_runtime.h"
#include "guarded_memory.h"

uint3 threadIdx, blockIdx;
dim3 blockDim, gridDim;

namespace cuda_on_host {

struct Graph {
  std::vector<std::function<void()>> work;
};
struct Stream {
  std::unique_ptr<Graph> capture;
};

namespace {

constexpr std::size_t kUsualSharedBytes = 48 << 10;
constexpr std::size_t kMostSharedBytes = 227 << 10;
constexpr unsigned kMostBlocksPerCluster = 8;
constexpr int kProcessors = 66;

std::mutex one_at_a_time;  // whatever threads launch
bool divergent = false;
bool impatient = false;
bool clustered = false;
int compiled_for = 90;

std::array<Block, kMostBlocksPerCluster> cluster;
unsigned cluster_size = 1;

unsigned product(dim3 size) { return size.x * size.y * size.z; }
dim3 place_in(dim3 size, std::size_t i) {
  return {static_cast<unsigned>(i % size.x), static_cast<unsigned>(i / size.x % size.y),
          static_cast<unsigned>(i / size.x / size.y)};
}

// Lets all blocks of the cluster, which have begun, run to their ends.
void run_cluster() {
  bool goes_on = true;
  while (goes_on) {
    goes_on = false;
    for (unsigned turn = 0; turn < cluster_size; ++turn)
      if (!cluster[in_order(turn, cluster_size)].run()) {
        divergent = true;
        return;
      }
    for (unsigned i = 0; i < cluster_size; ++i)
      goes_on = cluster[i].open_cluster_barrier() || goes_on;
  }
}

std::map<const void*, std::size_t>& allowed_shared_memory() {
  static std::map<const void*, std::size_t> allowed;
  return allowed;
}
std::size_t most_shared_bytes(const void* kernel) {
  const auto allowed = allowed_shared_memory().find(kernel);
  return std::max(kUsualSharedBytes,
                  allowed == allowed_shared_memory().end() ? 0 : allowed->second);
}

dim3 cluster_of(const cudaLaunchConfig_t& config) {
  for (unsigned i = 0; i < config.numAttrs; ++i)
    if (config.attrs[i].id == cudaLaunchAttributeClusterDimension)
      return config.attrs[i].val.clusterDim;
  return {};
}
bool starts_early(const cudaLaunchConfig_t& config) {
  for (unsigned i = 0; i < config.numAttrs; ++i)
    if (config.attrs[i].id == cudaLaunchAttributeProgrammaticStreamSerialization)
      return config.attrs[i].val.programmaticStreamSerializationAllowed != 0;
  return false;
}

bool is_possible(const cudaLaunchConfig_t& config, const void* kernel) {
  const auto [grid, threads] = std::pair(config.gridDim, config.blockDim);
  const dim3 together = cluster_of(config);
  const unsigned size = product(together);
  return product(threads) > 0 && product(threads) <= 1024 && grid.x > 0 && grid.y > 0 &&
         grid.z > 0 && grid.x <= 0x7FFFFFFFU && grid.y <= 0xFFFFU && grid.z <= 0xFFFFU &&
         size > 0 && size <= (compiled_for < 90 ? 1 : kMostBlocksPerCluster) &&
         grid.x % together.x == 0 && grid.y % together.y == 0 && grid.z % together.z == 0 &&
         config.dynamicSmemBytes <= most_shared_bytes(kernel);
}

GuardedMemory& device_memory() {
  static auto* const memory = new GuardedMemory;  // outlives all that it gives out
  return *memory;
}

void perform(std::vector<Copy>& copies) {
  for (const Copy& copy : copies) std::memcpy(copy.to, copy.from, copy.bytes);
  copies.clear();
}

cudaError_t put_on(cudaStream_t stream, std::function<void()> work) {
  if (stream != nullptr && stream->capture) {
    stream->capture->work.push_back(std::move(work));
    return cudaSuccess;
  }
  const std::lock_guard lock(one_at_a_time);
  work();
  return cudaSuccess;
}

}  // namespace

void set_order(Order wanted) { order = wanted; }
bool took_divergent_barrier() { return std::exchange(divergent, false); }
bool missed_previous_kernel() { return std::exchange(impatient, false); }
bool used_clusters() { return std::exchange(clustered, false); }
void set_architecture(int wanted) { compiled_for = wanted; }
int architecture() { return compiled_for; }

cudaError_t allow_shared_memory(const void* kernel, int bytes) {
  const auto wanted = static_cast<std::size_t>(bytes);
  std::size_t& allowed = allowed_shared_memory()[kernel];
  // The limit is that of all threads: if one lowered it, another's launch could fail.
  if (wanted > kMostSharedBytes || wanted < allowed) return cudaErrorInvalidValue;
  allowed = wanted;
  return cudaSuccess;
}

cudaError_t launch(const cudaLaunchConfig_t& config, const void* kernel,
                   std::function<void()> thread) {
  if (!is_possible(config, kernel)) return cudaErrorInvalidConfiguration;
  return put_on(config.stream, [=, grid = config.gridDim, threads = config.blockDim,
                                together = cluster_of(config), bytes = config.dynamicSmemBytes,
                                early = starts_early(config)] {
    gridDim = grid;
    blockDim = threads;
    cluster_size = product(together);
    clustered = clustered || cluster_size > 1;
    const dim3 clusters(grid.x / together.x, grid.y / together.y, grid.z / together.z);
    const std::size_t all = static_cast<std::size_t>(clusters.x) * clusters.y * clusters.z;
    for (std::size_t turn = 0; turn < all; ++turn) {
      const dim3 at = place_in(clusters, in_order(turn, all));
      for (unsigned i = 0; i < cluster_size; ++i) {
        const dim3 in = place_in(together, i);
        cluster[i].begin(
            {at.x * together.x + in.x, at.y * together.y + in.y, at.z * together.z + in.z}, thread,
            product(threads), bytes, early);
      }
      run_cluster();
      for (unsigned i = 0; i < cluster_size; ++i)
        impatient = cluster[i].missed_previous() || impatient;
    }
  });
}

// As many as fit if each block takes a multiprocessor.
cudaError_t clusters_at_once(const cudaLaunchConfig_t& config, const void* kernel, int* count) {
  if (!is_possible(config, kernel)) return cudaErrorInvalidConfiguration;
  *count = kProcessors / static_cast<int>(product(cluster_of(config)));
  return cudaSuccess;
}

void* dynamic_shared_memory() { return running->shared(); }
void wait_for_block() { running->wait(State::kAtBlockBarrier); }
void wait_for_warp() { running->wait(State::kAtWarpBarrier); }
void wait_for_cluster() { running->wait(State::kAtClusterBarrier); }
void wait_for_previous() { running->current().waited = true; }
void let_next_start() { impatient = impatient || !running->current().waited; }

const void* shared_of_block(const void* shared, unsigned rank) {
  const auto offset =
      static_cast<std::size_t>(static_cast<const std::byte*>(shared) - running->shared());
  if (rank >= cluster_size || offset >= running->shared_bytes()) std::abort();
  return cluster[rank].shared() + offset;
}

void publish_in_warp(const void* value, std::size_t bytes) {
  Fiber& fiber = running->current();
  fiber.phase = !fiber.phase;
  if (bytes > kSlotBytes) std::abort();
  std::memcpy(warp_slot(threadIdx.x % kWarp), value, bytes);
  wait_for_warp();
}

void* warp_slot(unsigned lane) {
  return running->warp().slots[running->current().phase][lane].data();
}

void copy_later(void* to, const void* from, std::size_t bytes) {
  running->current().uncommitted.push_back({to, from, bytes});
}

void commit_copies() {
  Fiber& fiber = running->current();
  fiber.groups.push_back(std::exchange(fiber.uncommitted, {}));
}

void wait_for_copies(int groups_left) {
  auto& groups = running->current().groups;
  while (groups.size() > static_cast<std::size_t>(groups_left)) {
    perform(groups.front());
    groups.erase(groups.begin());
  }
}

}  // namespace cuda_on_host

using cuda_on_host::Graph;
using cuda_on_host::Stream;

const char* cudaGetErrorString(cudaError_t error) {
  switch (error) {
    case cudaSuccess:
      return "no error";
    case cudaErrorInvalidValue:
      return "invalid argument";
    case cudaErrorMemoryAllocation:
      return "out of memory";
    case cudaErrorInvalidConfiguration:
      return "invalid configuration argument";
    case cudaErrorNoDevice:
      return "no CUDA-capable device is detected";
  }
  return "unknown error";
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int) {
  switch (attribute) {
    case cudaDevAttrMultiProcessorCount:
      *value = cuda_on_host::kProcessors;
      break;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
      *value = static_cast<int>(cuda_on_host::kMostSharedBytes);
      break;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
      *value = static_cast<int>(cuda_on_host::kMostSharedBytes) + 1024;
      break;
  }
  return cudaSuccess;
}

cudaError_t cudaMalloc(void** memory, std::size_t bytes) {
  *memory = cuda_on_host::device_memory().allocate(bytes);
  return *memory == nullptr ? cudaErrorMemoryAllocation : cudaSuccess;
}

cudaError_t cudaFree(void* memory) {
  if (memory != nullptr) cuda_on_host::device_memory().free(memory);
  return cudaSuccess;
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind,
                            cudaStream_t stream) {
  return cuda_on_host::put_on(stream, [=] { std::memcpy(to, from, bytes); });
}

cudaError_t cudaMemsetAsync(void* to, int byte, std::size_t bytes, cudaStream_t stream) {
  return cuda_on_host::put_on(stream, [=] { std::memset(to, byte, bytes); });
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
  *stream = new Stream;
  return cudaSuccess;
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  delete stream;
  return cudaSuccess;
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode) {
  if (stream == nullptr || stream->capture) return cudaErrorInvalidValue;
  stream->capture = std::make_unique<Graph>();
  return cudaSuccess;
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  if (stream == nullptr || !stream->capture) return cudaErrorInvalidValue;
  *graph = stream->capture.release();
  return cudaSuccess;
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* exec, cudaGraph_t graph, unsigned long long) {
  *exec = graph;
  return cudaSuccess;
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t) {
  const std::lock_guard lock(cuda_on_host::one_at_a_time);
  for (const auto& work : exec->work) work();
  return cudaSuccess;
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) {
  delete exec;
  return cudaSuccess;
}
