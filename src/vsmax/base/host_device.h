// SPDX-License-Identifier: Apache-2.0
// Marks the small mathematics that host and device share, so that CUDA kernels and the core compute
// by the same lines of code.
#pragma once

#if defined(__CUDACC__)
#define VSMAX_HOST_DEVICE __host__ __device__
#else
#define VSMAX_HOST_DEVICE
#endif

// Before a loop whose indices a GPU's compiler must know, so that arrays stay in registers.
#if defined(__CUDA_ARCH__)
#define VSMAX_UNROLL _Pragma("unroll")
#else
#define VSMAX_UNROLL
#endif
