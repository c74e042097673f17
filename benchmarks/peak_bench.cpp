// SPDX-License-Identifier: Apache-2.0
// The machine's peak: multiplications and additions per second in registers, and bytes per second
// read from the first-level cache and from memory.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "peak_bench.cpp"
#include <benchmark/benchmark.h>
#include <hwy/foreach_target.h>

#include <cstring>
#include <vector>

#include "vsmax/base/every_target.h"

HWY_BEFORE_NAMESPACE();
namespace vsmax::HWY_NAMESPACE {
namespace {

using Vector = float __attribute__((vector_size(VSMAX_VECTOR_BYTES)));
constexpr std::size_t kLanes = sizeof(Vector) / sizeof(float);
constexpr std::size_t kChains = 12;  // enough to cover the latency, few enough for the registers

// Returns the number of operations.
double multiply_and_add(std::size_t rounds, float* result) {
  Vector sums[kChains];
  for (std::size_t i = 0; i < kChains; ++i) sums[i] = Vector{} + static_cast<float>(i);
  const Vector factor = Vector{} + 0.999F;
  const Vector term = Vector{} + 0.001F;
  for (std::size_t round = 0; round < rounds; ++round)
#pragma GCC unroll 12
    for (std::size_t i = 0; i < kChains; ++i) sums[i] = sums[i] * factor + term;
  Vector sum{};
  for (std::size_t i = 0; i < kChains; ++i) sum += sums[i];
  *result = sum[0];
  return 2.0 * kChains * kLanes * static_cast<double>(rounds);
}

float read_all(const float* values, std::size_t count) {
  Vector sums[8] = {};
  for (std::size_t i = 0; i + 8 * kLanes <= count; i += 8 * kLanes)
#pragma GCC unroll 8
    for (std::size_t j = 0; j < 8; ++j) {
      Vector value;
      std::memcpy(&value, values + i + j * kLanes, sizeof value);
      sums[j] += value;
    }
  Vector sum{};
  for (const Vector& part : sums) sum += part;
  return sum[0];
}

}  // namespace
}  // namespace vsmax::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace vsmax {

HWY_EXPORT(multiply_and_add);
HWY_EXPORT(read_all);

namespace {

void peak_arithmetic(benchmark::State& state) {
  double operations = 0.0;
  float result = 0.0F;
  for (auto _ : state) {
    operations = HWY_DYNAMIC_DISPATCH(multiply_and_add)(10000, &result);
    benchmark::DoNotOptimize(result);
  }
  state.counters["GFLOP/s"] =
      benchmark::Counter(operations * 1e-9, benchmark::Counter::kIsIterationInvariantRate);
}

void peak_reading(benchmark::State& state) {
  const std::vector<float> values(static_cast<std::size_t>(state.range(0)) / sizeof(float), 1.0F);
  for (auto _ : state)
    benchmark::DoNotOptimize(HWY_DYNAMIC_DISPATCH(read_all)(values.data(), values.size()));
  state.counters["GB/s"] = benchmark::Counter(static_cast<double>(state.range(0)) * 1e-9,
                                              benchmark::Counter::kIsIterationInvariantRate);
}

BENCHMARK(peak_arithmetic)->Name("peak/arithmetic");
BENCHMARK(peak_reading)->Name("peak/reading, bytes")->Arg(16 << 10)->Arg(64 << 20);

}  // namespace
}  // namespace vsmax
#endif
