// SPDX-License-Identifier: Apache-2.0
// Marks the small mathematical functions that CUDA kernels and the core share, so that both run the
// same code.
#pragma once

#if defined(__CUDACC__)
#define VSMAX_HOST_DEVICE __host__ __device__
#else
#define VSMAX_HOST_DEVICE
#endif

// Placed before a loop, unrolls it on a GPU: with constant indices, arrays stay in registers.
#if defined(__CUDA_ARCH__)
#define VSMAX_UNROLL _Pragma("unroll")
#else
#define VSMAX_UNROLL
#endif
