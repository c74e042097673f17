// SPDX-License-Identifier: Apache-2.0
// Kernels compiled once per instruction set; Google Highway picks the best one at run time. Without
// Highway they are compiled once, for the compiler's own target.
//
// A kernel file starts with
//   #if VSMAX_WITH_HIGHWAY
//   #undef HWY_TARGET_INCLUDE
//   #define HWY_TARGET_INCLUDE "vsmax/hough/this_file.cpp"
//   #include <hwy/foreach_target.h>  // includes this file again for each target
//   #endif
//   #include "vsmax/base/every_target.h"
// and has its kernels in HWY_NAMESPACE, between HWY_BEFORE_NAMESPACE and HWY_AFTER_NAMESPACE, and
// their callers inside #if HWY_ONCE. The kernels use the compiler's vector extensions, so that one
// source serves every target, with or without Highway.
// There is no include guard, because this file is included once per target.

#if VSMAX_WITH_HIGHWAY
#include <hwy/highway.h>
#elif !defined(HWY_NAMESPACE)
#define HWY_NAMESPACE one_target
#define HWY_BEFORE_NAMESPACE() static_assert(true, "")
#define HWY_AFTER_NAMESPACE() static_assert(true, "")
#define HWY_ONCE 1
#define HWY_EXPORT(function) static_assert(true, "")
#define HWY_DYNAMIC_DISPATCH(function) one_target::function
#endif

// The widest vector of the target, in bytes.
#undef VSMAX_VECTOR_BYTES
#if VSMAX_WITH_HIGHWAY
#if HWY_TARGET == HWY_AVX2
#define VSMAX_VECTOR_BYTES 32
#elif HWY_ARCH_X86 && HWY_TARGET < HWY_AVX2
#define VSMAX_VECTOR_BYTES 64
#else
#define VSMAX_VECTOR_BYTES 16
#endif
#elif defined(__AVX512F__)
#define VSMAX_VECTOR_BYTES 64
#elif defined(__AVX2__)
#define VSMAX_VECTOR_BYTES 32
#else
#define VSMAX_VECTOR_BYTES 16
#endif
