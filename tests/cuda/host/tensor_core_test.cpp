// SPDX-License-Identifier: Apache-2.0
// The test of the tensor cores as C++: a source file has one language, and the GPU's test has it.
#include "../tensor_core_test.cu"  // NOLINT(bugprone-suspicious-include)

#include "cuda_runtime.h"
