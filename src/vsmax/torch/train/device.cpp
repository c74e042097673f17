// SPDX-License-Identifier: Apache-2.0
#include "vsmax/torch/train/device.h"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <torch/version.h>
#if VSMAX_HAS_CUDA
#include <cuda_runtime_api.h>
#endif

#include <cstdlib>

#include "vsmax/base/error.h"
#include "vsmax/base/parallel.h"

namespace vsmax {

c10::Device open_device(const std::string& name) {
  if (name == "cpu") return {c10::kCPU};
  if (name != "cuda") throw Error("the device is cpu or cuda, not '" + name + "'");
  if (VSMAX_HAS_CUDA == 0)
    throw Error("this vsmax-torch was built without CUDA; --device cpu does without");
  if (!at::globalContext().hasCUDA())
    throw Error("there is no CUDA device that this LibTorch can use; --device cpu does without");
  return {c10::kCUDA, 0};
}

std::string device_name(c10::Device device) {
#if VSMAX_HAS_CUDA
  cudaDeviceProp properties{};
  if (device.is_cuda() && cudaGetDeviceProperties(&properties, 0) == cudaSuccess)
    return static_cast<const char*>(properties.name);
#endif
  return device.is_cuda() ? "cuda" : "cpu";
}

std::string torch_version() { return TORCH_VERSION; }

void make_reproducible(int threads) {
  at::set_num_threads(resolve_threads(threads));
  // cuBLAS is repeatable only with a workspace of its own, read when it starts.
  setenv("CUBLAS_WORKSPACE_CONFIG", ":4096:8", 0);
  at::Context& context = at::globalContext();
  // Operations that have no deterministic form say so, and go on.
  context.setDeterministicAlgorithms(true, /*warn_only=*/true);
#if TORCH_VERSION_MAJOR >= 2
  // Would write NaN to every new tensor first, which costs time and changes no result.
  context.setDeterministicFillUninitializedMemory(false);
#endif
  context.setDeterministicCuDNN(true);
  context.setBenchmarkCuDNN(false);  // the fastest algorithm of today is not that of tomorrow
  context.setAllowTF32CuDNN(false);
  context.setAllowTF32CuBLAS(false);
}

}  // namespace vsmax
