// SPDX-License-Identifier: Apache-2.0
// Internal: truths of photographs, some of which hold no line: (theta, rho / D), or NaN for none.
#pragma once

#include <torch/types.h>

namespace vsmax {

struct PresentLines {
  torch::Tensor lines;    // [..., 2]; 0 where there is none
  torch::Tensor present;  // [...]: 1 or 0
};

inline PresentLines split_truth(const torch::Tensor& truth) {
  return {torch::nan_to_num(truth, 0.0),
          torch::isnan(truth.select(-1, 0)).logical_not().to(truth.scalar_type())};
}

// The part's share of the mean over all lines present in the whole batch; 0 if there are none.
inline torch::Tensor mean_where(const torch::Tensor& losses, const torch::Tensor& present,
                                const torch::Tensor& whole_present) {
  return (losses * present).sum() / whole_present.sum().clamp_min(1.0);
}

}  // namespace vsmax
