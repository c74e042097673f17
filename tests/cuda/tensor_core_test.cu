// SPDX-License-Identifier: Apache-2.0
// The warp's instructions do what vsmax/base/tensor_core.h says.
#include <cuda_bf16.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "cuda_test.h"
#include "support/random.h"
#include "vsmax/base/cuda_launch.h"
#include "vsmax/base/tensor_core.h"

namespace vsmax {
namespace {

constexpr int kM = 16;
constexpr int kN = 8;
constexpr int kK = 16;

// One warp: d += a b with a in rows and b in columns, both of bfloat16s, by way of shared memory.
__global__ void product_kernel(const uint4* a, const uint4* b, float* d) {
  uint4* rows = dynamic_shared<uint4>();  // 16 of a, then 8 of b, of two packets each
  const unsigned lane = threadIdx.x;
  copy_async(rows + lane, a + lane, true);
  if (lane < 16) copy_async(rows + 32 + lane, b + lane, true);
  commit_copies();
  wait_for_copies<0>();
  __syncwarp();
  unsigned left[4];
  unsigned right[4];
  load_matrices(left, rows + 2 * (lane % 16) + lane / 16);
  load_matrices(right, rows + 32 + 2 * (lane % 8) + lane / 8 % 2);  // twice the same two
  float sums[4];
  const auto at = [&](int i) -> float& {
    return d[(lane / 4 + (i / 2) * 8) * kN + lane % 4 * 2 + i % 2];
  };
  for (int i = 0; i < 4; ++i) sums[i] = at(i);
  multiply_add(sums, left, {right[0], right[1]});
  for (int i = 0; i < 4; ++i) at(i) = sums[i];
}

// One warp: d = a b with a in columns and b in rows.
__global__ void transposed_product_kernel(const uint4* a, const uint4* b, float* d) {
  uint4* rows = dynamic_shared<uint4>();  // 16 of a with two packets each, then 16 of b with one
  const unsigned lane = threadIdx.x;
  rows[lane] = a[lane];
  if (lane < 16) rows[32 + lane] = b[lane];
  __syncwarp();
  unsigned left[4];
  unsigned right[4];
  load_matrices_transposed(left, rows + 2 * (lane % 8 + lane / 16 * 8) + lane / 8 % 2);
  load_matrices_transposed(right, rows + 32 + lane % 16);  // twice the same two
  float sums[4] = {};
  multiply_add(sums, left, {right[0], right[1]});
  for (unsigned i = 0; i < 4; ++i) d[(lane / 4 + i / 2 * 8) * kN + lane % 4 * 2 + i % 2] = sums[i];
}

// to[i] = from[i] in groups of one packet per lane, where i is not a multiple of 3.
__global__ void copy_kernel(const uint4* from, uint4* to, int groups) {
  uint4* shared = dynamic_shared<uint4>();
  for (int group = 0; group < groups; ++group) {
    const int i = group * 32 + static_cast<int>(threadIdx.x);
    copy_async(shared + i, from + i, i % 3 != 0);
    commit_copies();
  }
  for (int group = 0; group < groups; ++group) {
    if (group + 2 < groups)
      wait_for_copies<2>();
    else
      wait_for_copies<0>();
    __syncwarp();
    const int i = group * 32 + 31 - static_cast<int>(threadIdx.x);  // another lane's
    to[i] = shared[i];
  }
}

__global__ void positive_kernel(const float* values, unsigned* pairs) {
  const unsigned i = threadIdx.x;
  pairs[i] = positive_bfloat16s(values[2 * i], values[2 * i + 1]);
}

class TensorCore : public test::CudaTest {
 protected:
  test::Random random_;
};

DeviceArray<uint4> packets(const std::vector<float>& values) {
  std::vector<uint4> packed(values.size() / 8);
  auto* to = reinterpret_cast<__nv_bfloat16*>(packed.data());
  for (const float value : values) *to++ = __float2bfloat16_rn(value);
  return DeviceArray<uint4>(packed);
}

TEST_F(TensorCore, MultipliesMatrices) {
  const auto a = random_.integers<float>(kM * kK, -128, 127);
  const auto b = random_.integers<float>(kK * kN, -128, 127);  // b[k][n] at n * kK + k
  const auto c = random_.integers<float>(kM * kN, -1000, 1000);
  const auto left = packets(a);
  const auto right = packets(b);
  const auto found = test::in_any_order([&] {
    DeviceArray<float> d(c);
    check_cuda(launch({1, 32, nullptr, 48 * sizeof(uint4)}, product_kernel, left.data(),
                      right.data(), d.data()));
    return d.to_host();
  });
  for (int m = 0; m < kM; ++m)
    for (int n = 0; n < kN; ++n) {
      double sum = c[m * kN + n];
      for (int k = 0; k < kK; ++k) sum += static_cast<double>(a[m * kK + k]) * b[n * kK + k];
      EXPECT_EQ(found[m * kN + n], sum) << m << ", " << n;  // all are integers below 2^24
    }
}

TEST_F(TensorCore, MultipliesTransposedMatrices) {
  const auto a = random_.integers<float>(kM * kK, -128, 127);  // a[m][k] at k * kM + m
  const auto b = random_.integers<float>(kK * kN, -128, 127);  // b[k][n] at k * kN + n
  const auto left = packets(a);
  const auto right = packets(b);
  DeviceArray<float> d(kM * kN);
  check_cuda(launch({1, 32, nullptr, 48 * sizeof(uint4)}, transposed_product_kernel, left.data(),
                    right.data(), d.data()));
  const auto found = d.to_host();
  for (int m = 0; m < kM; ++m)
    for (int n = 0; n < kN; ++n) {
      double sum = 0.0;
      for (int k = 0; k < kK; ++k) sum += static_cast<double>(a[k * kM + m]) * b[k * kN + n];
      EXPECT_EQ(found[m * kN + n], sum) << m << ", " << n;
    }
}

TEST_F(TensorCore, CopiesOrFillsWithZeros) {
  constexpr int kGroups = 5;
  std::vector<uint4> packets(kGroups * 32);
  for (std::uint32_t i = 0; i < packets.size(); ++i) packets[i] = {4 * i, 4 * i + 1, ~i, i + 7};
  const DeviceArray<uint4> from(packets);
  DeviceArray<uint4> to(packets.size());
  check_cuda(launch({1, 32, nullptr, packets.size() * sizeof(uint4)}, copy_kernel, from.data(),
                    to.data(), kGroups));
  const auto found = to.to_host();
  for (std::uint32_t i = 0; i < packets.size(); ++i) {
    const unsigned factor = i % 3 != 0;
    EXPECT_EQ(found[i].x, factor * packets[i].x);
    EXPECT_EQ(found[i].y, factor * packets[i].y);
    EXPECT_EQ(found[i].z, factor * packets[i].z);
    EXPECT_EQ(found[i].w, factor * packets[i].w);
  }
}

TEST_F(TensorCore, RoundsPositivePartsToNearestEven) {
  const float infinity = std::numeric_limits<float>::infinity();
  std::vector<float> values{0.0F,       1.0F,       -1.0F,   1.00390625F, 1.01171875F, 1e-30F,
                            -infinity,  infinity,   NAN,     -1e30F,      3.4e38F,     65280.0F,
                            1.0039063F, 1.0117187F, -1e-40F, 257.0F};
  while (values.size() < 64) values.push_back(static_cast<float>(random_.normal()));
  const DeviceArray<float> from(values);
  DeviceArray<unsigned> to(32);
  check_cuda(launch({1, 32}, positive_kernel, from.data(), to.data()));
  const auto found = to.to_host();
  for (std::size_t i = 0; i < values.size(); ++i) {
    const unsigned bits = i % 2 == 0 ? found[i / 2] << 16 : found[i / 2] & 0xFFFF0000U;
    float value;
    std::memcpy(&value, &bits, sizeof(value));
    if (std::isnan(values[i]))
      EXPECT_TRUE(std::isnan(value));
    else
      EXPECT_EQ(value, __bfloat162float(__float2bfloat16_rn(std::max(values[i], 0.0F))));
  }
}

}  // namespace
}  // namespace vsmax
