// SPDX-License-Identifier: Apache-2.0
#if VSMAX_WITH_HIGHWAY
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "vsmax/readout/exp_kernels.cpp"
#include <hwy/foreach_target.h>
#endif
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "vsmax/base/every_target.h"
#include "vsmax/readout/exp_kernels.h"

HWY_BEFORE_NAMESPACE();
namespace vsmax::HWY_NAMESPACE {
namespace {

using Vector = float __attribute__((vector_size(VSMAX_VECTOR_BYTES)));
using Integers = std::int32_t __attribute__((vector_size(VSMAX_VECTOR_BYTES)));
constexpr std::size_t kLanes = sizeof(Vector) / sizeof(float);

// The first `count` values, and `rest` in the other lanes.
inline Vector load(const float* from, std::size_t count, float rest) {
  Vector value = rest - Vector{};
  for (std::size_t lane = 0; lane < count; ++lane) value[lane] = from[lane];
  return value;
}

inline Vector load(const float* from) {
  Vector value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

// exp(x) for x <= 0: 2^n times a polynomial of the remainder r, |r| <= log(2) / 2 (Cephes, expf).
inline Vector exp_of(const Vector& x) {
  constexpr float kLeast = -86.0F;
  constexpr float kLog2 = 1.44269504088896341F;
  constexpr float kHigh = 0.693359375F;  // log(2) in two parts; n times the first is exact
  constexpr float kLow = -2.12194440e-4F;
  constexpr int kBias = 127;
  constexpr int kMantissaBits = 23;
  const Integers tiny = x < kLeast;
  const Vector inside = tiny ? Vector{} : x;
  const Integers n = __builtin_convertvector(inside * kLog2 - 0.5F, Integers);  // towards zero
  const Vector whole = __builtin_convertvector(n, Vector);
  const Vector r = (inside - whole * kHigh) - whole * kLow;
  Vector series = 1.9875691500e-4F - Vector{};
  series = series * r + 1.3981999507e-3F;
  series = series * r + 8.3334519073e-3F;
  series = series * r + 4.1665795894e-2F;
  series = series * r + 1.6666665459e-1F;
  series = series * r + 5.0000001201e-1F;
  series = series * r * r + r + 1.0F;
  const Integers bits = (n + kBias) << kMantissaBits;
  Vector power;
  std::memcpy(&power, &bits, sizeof power);
  return tiny ? Vector{} : series * power;
}

// The sum of the lanes, added pairwise.
inline double sum_of(const Vector& value) {
  float lanes[kLanes];
  std::memcpy(lanes, &value, sizeof lanes);
#pragma GCC unroll 4
  for (std::size_t half = kLanes / 2; half > 0; half /= 2)
#pragma GCC unroll 8
    for (std::size_t lane = 0; lane < half; ++lane) lanes[lane] += lanes[lane + half];
  return static_cast<double>(lanes[0]);
}

float largest_of(const float* values, std::size_t count) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  Vector largest = values[0] - Vector{};
  Integers fit = largest < kInfinity;  // neither NaN nor +infinity
  for (std::size_t i = 0; i < count; i += kLanes) {
    const Vector value =
        i + kLanes <= count ? load(values + i) : load(values + i, count - i, values[0]);
    largest = value > largest ? value : largest;
    fit &= value < kInfinity;
  }
  float result = largest[0];
  std::int32_t all_fit = -1;
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    result = std::max(result, largest[lane]);
    all_fit &= fit[lane];
  }
  return all_fit != 0 ? result : std::numeric_limits<float>::quiet_NaN();
}

ExpSums row_sums(const float* logits, std::size_t count, float largest, float inverse_temperature,
                 const float* const (&tables)[3], float* weights) {
  Vector plain{};
  Vector moments[3]{};
  const auto weigh = [&](const Vector& logit, std::size_t i) {
    const Vector weight = exp_of((logit - largest) * inverse_temperature);
    plain += weight;
    for (std::size_t m = 0; m < 3; ++m) moments[m] += weight * load(tables[m] + i);
    return weight;
  };
  std::size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    const Vector weight = weigh(load(logits + i), i);
    if (weights != nullptr) std::memcpy(weights + i, &weight, sizeof weight);
  }
  if (i < count) {  // lanes past the end weigh nothing
    const float nothing = -std::numeric_limits<float>::infinity();
    const Vector weight = weigh(load(logits + i, count - i, nothing), i);
    if (weights != nullptr)
      for (std::size_t lane = 0; i + lane < count; ++lane) weights[i + lane] = weight[lane];
  }
  return {sum_of(plain), {sum_of(moments[0]), sum_of(moments[1]), sum_of(moments[2])}};
}

}  // namespace
}  // namespace vsmax::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace vsmax {

HWY_EXPORT(largest_of);
HWY_EXPORT(row_sums);

float largest_logit(const float* values, std::size_t count) {
  return HWY_DYNAMIC_DISPATCH(largest_of)(values, count);
}

std::size_t padded_size(std::size_t count) {
  constexpr std::size_t kWidest = 16;
  return (count + kWidest - 1) / kWidest * kWidest;
}

ExpSums exp_row(const float* logits, std::size_t count, float largest, float inverse_temperature,
                const float* const (&tables)[3], float* weights) {
  return HWY_DYNAMIC_DISPATCH(row_sums)(logits, count, largest, inverse_temperature, tables,
                                        weights);
}

}  // namespace vsmax
#endif
