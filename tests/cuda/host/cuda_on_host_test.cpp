// SPDX-License-Identifier: Apache-2.0
// The host finds what it is there to find: missing barriers, unfinished copies, bad launches.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "vsmax/base/cuda_cluster.h"
#include "vsmax/base/cuda_graph.h"
#include "vsmax/base/cuda_launch.h"

namespace vsmax {
namespace {

constexpr unsigned kThreads = 96;

// Every thread takes its right neighbour's value.
__global__ void rotate(const int* from, int* to, bool with_barrier) {
  auto* shared = dynamic_shared<int>();
  shared[threadIdx.x] = from[threadIdx.x];
  if (with_barrier) __syncthreads();
  to[threadIdx.x] = shared[(threadIdx.x + 1) % blockDim.x];
}

__global__ void exchange(const int* from, int* to) {
  const int value = from[threadIdx.x];
  const int sum = value + __shfl_xor_sync(0xFFFFFFFFU, value, 1);
  to[threadIdx.x] = sum + __shfl_up_sync(0xFFFFFFFFU, value, 2);
}

__global__ void wait_apart() {
  if (threadIdx.x < 32)
    __syncthreads();
  else
    __syncwarp();
  if (threadIdx.x < 16) __syncwarp();
}

__global__ void copy_and_wait(const int* from, int* to, int groups_left) {
  auto* shared = dynamic_shared<int>();
  shared[threadIdx.x] = -1;
  cuda_on_host::copy_later(shared + threadIdx.x, from + threadIdx.x, sizeof(int));
  cuda_on_host::commit_copies();
  cuda_on_host::wait_for_copies(groups_left);
  to[threadIdx.x] = shared[threadIdx.x];
}

constexpr unsigned kBlocks = 3;

// Every block takes the next one's values.
__global__ void rotate_blocks(const int* from, int* to, bool with_barrier, bool stays) {
  auto* shared = dynamic_shared<int>();
  const unsigned own = blockIdx.z * blockDim.x + threadIdx.x;
  shared[threadIdx.x] = from[own];
  if (with_barrier) sync_cluster();
  to[own] = load_of_block(shared + threadIdx.x, (blockIdx.z + 1) % kBlocks);
  if (stays) sync_cluster();
}

__global__ void wait_for_block_and_cluster() {
  if (threadIdx.x < 32)
    __syncthreads();
  else
    sync_cluster();
}

std::vector<int> numbers() {
  std::vector<int> values(kThreads);
  std::iota(values.begin(), values.end(), 0);
  return values;
}

template <class... Options>
std::vector<int> run(void (*kernel)(const int*, int*, Options...), Options... options) {
  const DeviceArray<int> from(numbers());
  DeviceArray<int> to(kThreads);
  check_cuda(launch({1, kThreads, nullptr, kThreads * sizeof(int)}, kernel, from.data(), to.data(),
                    options...));
  return to.to_host();
}

std::vector<int> run_in(cuda_on_host::Order order, bool with_barrier) {
  cuda_on_host::set_order(order);
  const auto result = run(rotate, with_barrier);
  cuda_on_host::set_order(cuda_on_host::Order::kUpwards);
  return result;
}

TEST(CudaOnHost, AMissingBarrierMakesTheOrderMatter) {
  using cuda_on_host::Order;
  EXPECT_NE(run_in(Order::kUpwards, false), run_in(Order::kDownwards, false));
  EXPECT_EQ(run_in(Order::kUpwards, true), run_in(Order::kDownwards, true));
  EXPECT_EQ(run_in(Order::kUpwards, true)[kThreads - 1], 0);
}

LaunchShape cluster_shape(unsigned blocks, unsigned per_cluster) {
  LaunchShape shape{dim3(1, 1, blocks), kThreads / kBlocks, nullptr, kThreads * sizeof(int)};
  shape.blocks_per_cluster = per_cluster;
  return shape;
}

std::vector<int> rotate_blocks_in(cuda_on_host::Order order, bool with_barrier, bool stays) {
  cuda_on_host::set_order(order);
  const DeviceArray<int> from(numbers());
  DeviceArray<int> to(kThreads);
  check_cuda(launch(cluster_shape(kBlocks, kBlocks), rotate_blocks, from.data(), to.data(),
                    with_barrier, stays));
  cuda_on_host::set_order(cuda_on_host::Order::kUpwards);
  return to.to_host();
}

TEST(CudaOnHost, BlocksOfAClusterNeedItsBarriers) {
  using cuda_on_host::Order;
  std::vector<int> rotated = numbers();
  std::rotate(rotated.begin(), rotated.begin() + kThreads / kBlocks, rotated.end());
  for (const Order order : {Order::kUpwards, Order::kDownwards}) {
    EXPECT_EQ(rotate_blocks_in(order, true, true), rotated);
    EXPECT_NE(rotate_blocks_in(order, false, true), rotated);  // the next one has not begun
    EXPECT_NE(rotate_blocks_in(order, true, false), rotated);  // the next one has ended
  }
  EXPECT_FALSE(cuda_on_host::took_divergent_barrier());
  check_cuda(launch({1, 64}, wait_for_block_and_cluster));
  EXPECT_TRUE(cuda_on_host::took_divergent_barrier());
}

TEST(CudaOnHost, ImpossibleClustersAreRefused) {
  const auto status = [](unsigned blocks, unsigned per_cluster) {
    return launch(cluster_shape(blocks, per_cluster), rotate, nullptr, nullptr, true);
  };
  EXPECT_NE(status(4, 3), cudaSuccess);
  EXPECT_NE(status(9, 9), cudaSuccess);
  int at_once = 0;
  check_cuda(clusters_at_once(cluster_shape(6, 3), rotate, &at_once));
  EXPECT_GT(at_once, 0);
  cuda_on_host::set_architecture(80);
  EXPECT_NE(status(3, 3), cudaSuccess);
  check_cuda(clusters_at_once(cluster_shape(6, 3), rotate, &at_once));
  EXPECT_EQ(at_once, 0);
  cuda_on_host::set_architecture(90);
}

TEST(CudaOnHost, LanesSeeEachOthersValues) {
  const auto found = run(exchange);
  for (int i = 0; i < static_cast<int>(kThreads); ++i)
    EXPECT_EQ(found[static_cast<std::size_t>(i)], i + (i ^ 1) + (i % 32 < 2 ? i : i - 2));
}

TEST(CudaOnHost, ThreadsThatNeverMeetAreReported) {
  check_cuda(launch({1, 64}, wait_apart));
  EXPECT_TRUE(cuda_on_host::took_divergent_barrier());
  EXPECT_FALSE(cuda_on_host::took_divergent_barrier());
}

TEST(CudaOnHost, CopiesArriveWhenTheyAreWaitedFor) {
  EXPECT_EQ(run(copy_and_wait, 0), numbers());
  EXPECT_EQ(run(copy_and_wait, 1), std::vector<int>(kThreads, -1));
}

TEST(CudaOnHost, ImpossibleLaunchesAreRefused) {
  EXPECT_NE(launch({1, 1025}, wait_apart), cudaSuccess);
  EXPECT_NE(launch({dim3(1, 65536), 32}, wait_apart), cudaSuccess);
  EXPECT_NE(launch({1, 32, nullptr, 49 << 10}, wait_apart), cudaSuccess);
  EXPECT_NE(
      cudaFuncSetAttribute(wait_apart, cudaFuncAttributeMaxDynamicSharedMemorySize, 228 << 10),
      cudaSuccess);
}

TEST(CudaOnHost, AGraphDoesItsWorkWhenItIsStarted) {
  const CudaStream stream;
  const DeviceArray<int> from(numbers());
  DeviceArray<int> to(kThreads);
  const CudaGraph graph(stream, [&] {
    check_cuda(launch({1, kThreads, stream.get(), kThreads * sizeof(int)}, rotate, from.data(),
                      to.data(), true));
  });
  EXPECT_EQ(to.to_host(), std::vector<int>(kThreads, -1));  // memory begins with all bits set
  graph.start(stream);
  EXPECT_EQ(to.to_host()[0], 1);
}

}  // namespace
}  // namespace vsmax
