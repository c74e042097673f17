// SPDX-License-Identifier: Apache-2.0
#if VSMAX_WITH_HIGHWAY
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "vsmax/posterior/sum_kernels.cpp"
#include <hwy/foreach_target.h>
#endif
#include <cstring>

#include "vsmax/base/every_target.h"
#include "vsmax/posterior/sum_kernels.h"

HWY_BEFORE_NAMESPACE();
namespace vsmax::HWY_NAMESPACE {
namespace {

using Vector = float __attribute__((vector_size(VSMAX_VECTOR_BYTES)));
constexpr std::size_t kLanes = sizeof(Vector) / sizeof(float);

inline Vector load(const float* from) {
  Vector value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

inline void store(const Vector& value, float* to) { std::memcpy(to, &value, sizeof value); }

void four_rows(const std::array<const float*, 4>& rows, std::size_t count, float* out) {
  const auto [a, b, c, d] = rows;
  std::size_t i = 0;
  for (; i + kLanes <= count; i += kLanes)
    store((load(a + i) + load(b + i)) + (load(c + i) + load(d + i)), out + i);
  for (; i < count; ++i) out[i] = (a[i] + b[i]) + (c[i] + d[i]);
}

void two_rows(const float* a, const float* b, std::size_t count, float* out) {
  std::size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) store(load(a + i) + load(b + i), out + i);
  for (; i < count; ++i) out[i] = a[i] + b[i];
}

void runs(const float* next, std::size_t count, float* run, float* best) {
  std::size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    Vector sum = load(run + i);
    sum = (sum > 0.0F ? sum : Vector{}) + load(next + i);
    const Vector before = load(best + i);
    store(sum, run + i);
    store(sum > before ? sum : before, best + i);
  }
  for (; i < count; ++i) {
    run[i] = (run[i] > 0.0F ? run[i] : 0.0F) + next[i];
    best[i] = run[i] > best[i] ? run[i] : best[i];
  }
}

}  // namespace
}  // namespace vsmax::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace vsmax {

HWY_EXPORT(four_rows);
HWY_EXPORT(two_rows);
HWY_EXPORT(runs);

void sum_four_rows(const std::array<const float*, 4>& rows, std::size_t count, float* out) {
  HWY_DYNAMIC_DISPATCH(four_rows)(rows, count, out);
}

void sum_two_rows(const float* a, const float* b, std::size_t count, float* out) {
  HWY_DYNAMIC_DISPATCH(two_rows)(a, b, count, out);
}

void extend_runs(const float* next, std::size_t count, float* run, float* best) {
  HWY_DYNAMIC_DISPATCH(runs)(next, count, run, best);
}

}  // namespace vsmax
#endif
