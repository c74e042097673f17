// SPDX-License-Identifier: Apache-2.0
// Sums of rows, vectorised for every instruction set.
#pragma once

#include <array>
#include <cstddef>

namespace vsmax {

// out[i] = a[i] + b[i] + c[i] + d[i]
void sum_four_rows(const std::array<const float*, 4>& rows, std::size_t count, float* out);
// out[i] = a[i] + b[i], where out may be a or b.
void sum_two_rows(const float* a, const float* b, std::size_t count, float* out);
// run[i] = max(run[i], 0) + next[i], best[i] = max(best[i], run[i]): one step of Kadane's algorithm
// for the greatest sum over consecutive terms.
void extend_runs(const float* next, std::size_t count, float* run, float* best);

}  // namespace vsmax
