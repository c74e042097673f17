// SPDX-License-Identifier: Apache-2.0
// The exponentials of a row of logits and their moments along rho in one pass (Eq. 15, 17).
#pragma once

#include <cstddef>

namespace vsmax {

// The largest of one or more values; NaN if any of them is NaN or +infinity.
float largest_logit(const float* values, std::size_t count);

// Sums over a row of w = exp((a - largest) / temperature), with a finite largest: w, and w times
// each of three tables.
struct ExpSums {
  double plain = 0.0;
  double moments[3] = {};
};

// Tables have room for whole vectors: padded_size(count) values, zeros past count.
std::size_t padded_size(std::size_t count);

// weights: receives the `count` exponentials; may be null or alias the logits. Relative error of
// a weight: 1e-6; weights below 1e-37 become 0.
ExpSums exp_row(const float* logits, std::size_t count, float largest, float inverse_temperature,
                const float* const (&tables)[3], float* weights);

}  // namespace vsmax
