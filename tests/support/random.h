// SPDX-License-Identifier: Apache-2.0
// Random input for tests, seeded from the name of the running test: every run sees the same
// numbers, every test its own. Nothing here depends on the standard library's distributions.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <random>
#include <string>
#include <vector>

namespace vsmax::test {

// FNV-1a over "Suite.Test".
inline std::uint64_t seed_from_test_name() {
  const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const char c : std::string(info->test_suite_name()) + "." + info->name()) {
    hash ^= static_cast<std::uint8_t>(c);
    hash *= 0x100000001b3ULL;
  }
  return hash;
}

class Random {
 public:
  Random() : engine_(seed_from_test_name()) {}

  double uniform(double low = 0.0, double high = 1.0) {
    return low + (high - low) * (static_cast<double>(engine_() >> 11) * 0x1p-53);
  }

  // Both ends included.
  int integer(int low, int high) {
    return low + static_cast<int>(engine_() % static_cast<std::uint64_t>(high - low + 1));
  }

  double normal() {
    const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform()));
    return radius * std::cos(2.0 * std::numbers::pi * uniform());
  }

  // A unit vector, uniform on the sphere.
  template <std::size_t M>
  std::array<double, M> direction() {
    std::array<double, M> u{};
    double squares = 0.0;
    while (squares < 1e-3) {
      squares = 0.0;
      for (double& x : u) {
        x = normal();
        squares += x * x;
      }
    }
    for (double& x : u) x /= std::sqrt(squares);
    return u;
  }

  template <class Value>
  std::vector<Value> uniforms(std::size_t count, double low = 0.0, double high = 1.0) {
    std::vector<Value> values(count);
    for (Value& value : values) value = static_cast<Value>(uniform(low, high));
    return values;
  }

  template <class Value>
  std::vector<Value> normals(std::size_t count, double mean = 0.0, double deviation = 1.0) {
    std::vector<Value> values(count);
    for (Value& value : values) value = static_cast<Value>(mean + deviation * normal());
    return values;
  }

  template <class Value>
  std::vector<Value> integers(std::size_t count, int low, int high) {
    std::vector<Value> values(count);
    for (Value& value : values) value = static_cast<Value>(integer(low, high));
    return values;
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace vsmax::test
