// SPDX-License-Identifier: Apache-2.0
// Matrix products of a warp on tensor cores, and asynchronous copies into shared memory: PTX
// instructions available from Ampere (sm_80) on. All lanes of a warp must call the matrix functions
// together. Only for .cu files; when these are compiled as C++, host versions are used instead.
//
// The register layout of a 16x8x16 product, with g = lane / 4 and c = lane % 4 (PTX ISA, "Matrix
// Fragments for mma.m16n8k16"; each register of a and b holds two bfloat16s, the first in its lower
// half):
//   a[0]: A[g][2c, 2c+1]      a[1]: A[g+8][2c, 2c+1]
//   a[2]: A[g][2c+8, 2c+9]    a[3]: A[g+8][2c+8, 2c+9]
//   b[0]: B[2c, 2c+1][g]      b[1]: B[2c+8, 2c+9][g]
//   d[0, 1]: D[g][2c, 2c+1]   d[2, 3]: D[g+8][2c, 2c+1]
#pragma once

#if !defined(__CUDACC__)
#include "tensor_core_on_host.h"
#else

#include <cuda_runtime.h>

namespace vsmax {

// d += A B, with bfloat16 operands and float sums.
__device__ inline void multiply_add(float (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// The same with half as many columns of A: a[0], a[1] and b[0] of the layout above.
__device__ inline void multiply_add(float (&d)[4], const unsigned (&a)[2], unsigned b) {
  asm("mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 "
      "{%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(b));
}

// Loads four 8x8 matrices of 16-bit values from shared memory. Lane 8 i + j passes the address of
// row j (16 bytes) of matrix i; lane 4 j + c receives values 2c and 2c+1 of that row in m[i].
__device__ inline void load_matrices(unsigned (&m)[4], const void* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(m[0]), "=r"(m[1]), "=r"(m[2]), "=r"(m[3])
               : "r"(static_cast<unsigned>(__cvta_generic_to_shared(row)))
               : "memory");
}

// The same, but transposes each matrix: lane 4 j + c receives value j of rows 2c and 2c+1.
__device__ inline void load_matrices_transposed(unsigned (&m)[4], const void* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(m[0]), "=r"(m[1]), "=r"(m[2]), "=r"(m[3])
               : "r"(static_cast<unsigned>(__cvta_generic_to_shared(row)))
               : "memory");
}

// Starts copying 16 bytes from global to shared memory. If not `inside`, writes zeros instead and
// does not read `from`.
__device__ inline void copy_async(void* to, const void* from, bool inside) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;"
               :
               : "r"(static_cast<unsigned>(__cvta_generic_to_shared(to))), "l"(from),
                 "r"(inside ? 16 : 0)
               : "memory");
}
// Makes this thread's copies since the last call a group.
__device__ inline void commit_copies() { asm volatile("cp.async.commit_group;" ::: "memory"); }
// Waits until at most the last `Groups` of this thread's groups are in flight. Other threads see
// the copies only after a barrier.
template <int Groups>
__device__ void wait_for_copies() {
  asm volatile("cp.async.wait_group %0;" ::"n"(Groups) : "memory");
}

// Packs two bfloat16s, the first in the lower half.
__device__ inline unsigned bfloat16s(float first, float second) {
  unsigned both;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(second), "f"(first));
  return both;
}
// The same for the positive parts, max(x, 0); NaN stays NaN.
__device__ inline unsigned positive_bfloat16s(float first, float second) {
  unsigned both;
  asm("cvt.rn.relu.bf16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(second), "f"(first));
  return both;
}

}  // namespace vsmax

#endif

namespace vsmax {

// Two bfloat16s whose sum is x, up to 2^-17 of it.
__device__ inline unsigned split_bfloat16(float x) {
  const float first = __uint_as_float(bfloat16s(0.0F, x));
  return bfloat16s(x, x - first);
}

}  // namespace vsmax
