// SPDX-License-Identifier: Apache-2.0
// Where tensors live, and the switches that make a run repeatable.
#pragma once

#include <c10/core/Device.h>

#include <string>

namespace vsmax {

// "cpu" or "cuda"; the GPU with this number becomes the current one. Throws Error if there is no
// such device.
c10::Device open_device(const std::string& name, int number = 0);

// "NVIDIA H200", or "cpu".
std::string device_name(c10::Device device);

// Of LibTorch.
std::string torch_version();

// Fixes the number of CPU threads (0: one per processor), on which the order of sums depends, and
// makes CUDA use deterministic algorithms and plain float32.
void make_reproducible(int threads);

}  // namespace vsmax
