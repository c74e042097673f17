// SPDX-License-Identifier: Apache-2.0
#include "vsmax/torch/train/device.h"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <torch/version.h>
#ifdef VSMAX_WITH_CUDA
#include <cuda_runtime_api.h>
#endif

#include <cstdlib>
#include <string>

#include "vsmax/base/error.h"
#include "vsmax/base/parallel.h"
#include "vsmax/torch/models/line_model.h"

namespace vsmax {

c10::Device open_device(const std::string& name, [[maybe_unused]] int number) {
  if (name == "cpu") return {c10::kCPU};
  if (name != "cuda") throw Error("the device must be cpu or cuda, not '" + name + "'");
#ifdef VSMAX_WITH_CUDA
  if (!at::globalContext().hasCUDA())
    throw Error("there is no CUDA device that this LibTorch can use; try --device cpu");
  if (number == 0) return {c10::kCUDA, 0};
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess || number >= count ||
      cudaSetDevice(number) != cudaSuccess)
    throw Error("process " + std::to_string(number) +
                " on this machine needs a GPU of its own, but the number of GPUs is " +
                std::to_string(count));
  return {c10::kCUDA, static_cast<c10::DeviceIndex>(number)};
#else
  throw Error("this vsmax-torch was built without CUDA; try --device cpu");
#endif
}

std::string device_name(c10::Device device) {
#ifdef VSMAX_WITH_CUDA
  cudaDeviceProp properties{};
  if (device.is_cuda() && cudaGetDeviceProperties(&properties, device.index()) == cudaSuccess)
    return static_cast<const char*>(properties.name);
#endif
  return device.is_cuda() ? "cuda" : "cpu";
}

std::string torch_version() { return TORCH_VERSION; }

void make_reproducible(int threads) {
  at::set_num_threads(resolve_threads(threads));
  // cuBLAS is deterministic only with a fixed workspace; it reads this variable when it starts.
  setenv("CUBLAS_WORKSPACE_CONFIG", ":4096:8", 0);
  at::Context& context = at::globalContext();
  // Operations without a deterministic implementation only warn.
  context.setDeterministicAlgorithms(true, /*warn_only=*/true);
#if TORCH_VERSION_MAJOR >= 2
  // Filling every new tensor with NaN first would cost time and change no result.
  context.setDeterministicFillUninitializedMemory(false);
#endif
  context.setAllowTF32CuBLAS(false);
  use_reproducible_convolutions();
}

}  // namespace vsmax
