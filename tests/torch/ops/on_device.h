// SPDX-License-Identifier: Apache-2.0
// Tests that run on the CPU and, where there is one, on a CUDA device.
#pragma once

#include <gtest/gtest.h>
#include <torch/cuda.h>
#include <torch/types.h>
#include <torch/utils.h>

#include <string>

#include "vsmax/torch/models/line_model.h"

namespace vsmax::test {

// Random numbers that differ from test to test and never from run to run.
inline void seed_from_test_name() {
  const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
  uint64_t hash = 1469598103934665603ULL;  // FNV-1a
  for (const char c : std::string(info->test_suite_name()) + info->name())
    hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  torch::manual_seed(hash >> 1);
}

inline bool has_cuda() {
#ifdef VSMAX_TEST_CUDA
  return torch::cuda::is_available();
#else
  return false;
#endif
}

class OnDevice : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (GetParam() == "cuda" && !has_cuda())
      GTEST_SKIP() << "no CUDA device, or built without CUDA";
    use_reproducible_convolutions();
    seed_from_test_name();
  }
  torch::Device device() const { return torch::Device(GetParam()); }
  torch::TensorOptions float64() const {
    return torch::TensorOptions().dtype(torch::kDouble).device(device());
  }
  torch::TensorOptions float32() const {
    return torch::TensorOptions().dtype(torch::kFloat).device(device());
  }
};

// The same random numbers on every device.
inline torch::Tensor random_on(torch::TensorOptions options, torch::IntArrayRef shape) {
  return torch::randn(shape, torch::kDouble).to(options);
}

inline std::string device_name(const ::testing::TestParamInfo<std::string>& info) {
  return info.param;
}

// The largest |a - b|, on the CPU in double; infinite where the shapes differ.
inline double distance(const torch::Tensor& a, const torch::Tensor& b) {
  if (a.sizes() != b.sizes()) return INFINITY;
  if (a.numel() == 0) return 0.0;
  const auto difference =
      a.detach().to(torch::kCPU, torch::kDouble) - b.detach().to(torch::kCPU, torch::kDouble);
  return difference.abs().max().item<double>();
}

inline bool same_bits(const torch::Tensor& a, const torch::Tensor& b) {
  return a.sizes() == b.sizes() && a.scalar_type() == b.scalar_type() &&
         torch::equal(a.cpu(), b.cpu());
}

}  // namespace vsmax::test

#define VSMAX_ON_EACH_DEVICE(suite)                                         \
  INSTANTIATE_TEST_SUITE_P(Device, suite, ::testing::Values("cpu", "cuda"), \
                           vsmax::test::device_name)
