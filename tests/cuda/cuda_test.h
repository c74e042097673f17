// SPDX-License-Identifier: Apache-2.0
// For tests of kernels, on the host and on a GPU.
#pragma once

#include <gtest/gtest.h>

#include <vector>

#include "vsmax/base/device_array.h"

namespace vsmax::test {

class CudaTest : public ::testing::Test {
 protected:
  void SetUp() override {
    int devices = 0;
    if (const cudaError_t status = cudaGetDeviceCount(&devices); status != cudaSuccess)
      GTEST_SKIP() << "no CUDA device: " << cudaGetErrorString(status);
    if (devices == 0) GTEST_SKIP() << "no CUDA device";
  }
};

// What `compute` returns. On the host it must not depend on the order in which threads take their
// turns: on a GPU that order is anyone's guess.
template <class Compute>
auto in_any_order(const Compute& compute) {
#if defined(VSMAX_CUDA_ON_HOST)
  cuda_on_host::set_order(cuda_on_host::Order::kDownwards);
  const auto downwards = compute();
  cuda_on_host::set_order(cuda_on_host::Order::kUpwards);
  const auto upwards = compute();
  EXPECT_TRUE(downwards == upwards) << "the result depends on the order of the threads";
  EXPECT_FALSE(cuda_on_host::took_divergent_barrier()) << "not all threads reach a barrier";
  EXPECT_FALSE(cuda_on_host::missed_previous_kernel()) << "a kernel starts too early";
  return upwards;
#else
  auto first = compute();
  EXPECT_TRUE(first == compute()) << "two runs differ";
  return first;
#endif
}

}  // namespace vsmax::test
