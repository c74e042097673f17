// SPDX-License-Identifier: Apache-2.0
// A warp's matrix products on tensor cores, and copies into shared memory that run beside the
// arithmetic: PTX instructions from Ampere (sm_80) on. All lanes of a warp call them together. Only
// for .cu files; where these are compiled as C++, the host's versions take their place.
//
// How a 16x8x16 product lies in the lanes' registers, g = lane / 4 and c = lane % 4 (PTX ISA,
// "Matrix Fragments for mma.m16n8k16"; a register of a and b holds two bfloat16s, the first in its
// lower half):
//   a[0]: A[g][2c, 2c+1]    a[1]: A[g+8][2c, 2c+1]    a[2]: A[g][2c+8, 2c+9]    a[3]: A[g+8][2c+8,
//   2c+9]; b0: B[2c, 2c+1][g]; b1: B[2c+8, 2c+9][g]; d[0, 1]: D[g][2c, 2c+1]; d[2, 3]: D[g+8][2c,
//   2c+1].
#pragma once

#if !defined(__CUDACC__)
#include "tensor_core_on_host.h"
#else

#include <cuda_runtime.h>

namespace vsmax {

// d += A B, of bfloat16s, summed in float.
__device__ inline void multiply_add(float (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// Four 8x8 matrices of 16-bit values from shared memory. Lane 8 i + j gives the address of row j of
// matrix i, 16 bytes; lane 4 j + c receives in m[i] the values 2c and 2c+1 of row j of matrix i.
__device__ inline void load_matrices(unsigned (&m)[4], const void* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(m[0]), "=r"(m[1]), "=r"(m[2]), "=r"(m[3])
               : "r"(static_cast<unsigned>(__cvta_generic_to_shared(row)))
               : "memory");
}

// The same, but each matrix transposed: lane 4 j + c receives the values j of rows 2c and 2c+1.
__device__ inline void load_matrices_transposed(unsigned (&m)[4], const void* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(m[0]), "=r"(m[1]), "=r"(m[2]), "=r"(m[3])
               : "r"(static_cast<unsigned>(__cvta_generic_to_shared(row)))
               : "memory");
}

// 16 bytes from global to shared memory, or zeros where not `inside`; then `from` is not read.
__device__ inline void copy_async(void* to, const void* from, bool inside) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;"
               :
               : "r"(static_cast<unsigned>(__cvta_generic_to_shared(to))), "l"(from),
                 "r"(inside ? 16 : 0)
               : "memory");
}
// Ends a group of this thread's copies.
__device__ inline void commit_copies() { asm volatile("cp.async.commit_group;" ::: "memory"); }
// Until at most `Groups` of this thread's last groups are under way. Other threads see the copies
// after a barrier.
template <int Groups>
__device__ void wait_for_copies() {
  asm volatile("cp.async.wait_group %0;" ::"n"(Groups) : "memory");
}

// Two bfloat16s, the first in the lower half.
__device__ inline unsigned bfloat16s(float first, float second) {
  unsigned both;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(second), "f"(first));
  return both;
}
// The positive parts (of NaN: NaN) as two bfloat16s, the first in the lower half.
__device__ inline unsigned positive_bfloat16s(float first, float second) {
  unsigned both;
  asm("cvt.rn.relu.bf16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(second), "f"(first));
  return both;
}

}  // namespace vsmax

#endif
