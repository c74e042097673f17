// SPDX-License-Identifier: Apache-2.0
// The two ways to continue an accumulator past theta = 0 and pi. On the single cover (T rows) the
// seam glues with a flip of rho (Moebius padding, Eq. 13); on the double cover (2T rows, theta over
// the full circle) it is an ordinary circular wrap (Eq. 12).
#pragma once

#include <cstddef>
#include <string>

namespace vsmax {

enum class Cover { kSingle, kDouble };

// A row of the accumulator, and whether rho runs backwards in it.
struct CoverRow {
  int row = 0;
  bool flipped = false;
};

// The row that stands at index t, for any t within one period of the `rows` rows of the cover.
inline CoverRow cover_row(Cover cover, int rows, int t) {
  const bool outside = t < 0 || t >= rows;
  return {t < 0 ? t + rows : (t >= rows ? t - rows : t), outside && cover == Cover::kSingle};
}

// out[t] = in[t], out[T+t][r] = in[t][R-1-r]: 2T x R from T x R (Eq. 12).
template <class Value>
void double_cover(const Value* single, std::size_t thetas, std::size_t rhos, Value* twice) {
  for (std::size_t t = 0; t < thetas; ++t)
    for (std::size_t r = 0; r < rhos; ++r) {
      twice[t * rhos + r] = single[t * rhos + r];
      twice[(thetas + t) * rhos + rhos - 1 - r] = single[t * rhos + r];
    }
}

// The adjoint of double_cover, which also folds a distribution on the double cover onto the lines:
// out[t][r] = in[t][r] + in[T+t][R-1-r].
template <class Value>
void fold_double_cover(const Value* twice, std::size_t thetas, std::size_t rhos, Value* single) {
  for (std::size_t t = 0; t < thetas; ++t)
    for (std::size_t r = 0; r < rhos; ++r)
      single[t * rhos + r] = twice[t * rhos + r] + twice[(thetas + t) * rhos + rhos - 1 - r];
}

}  // namespace vsmax
