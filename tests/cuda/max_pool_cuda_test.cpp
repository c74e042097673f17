// SPDX-License-Identifier: Apache-2.0
#include "vsmax/conv/max_pool_cuda.h"

#include <cmath>
#include <limits>
#include <tuple>
#include <type_traits>

#include "cuda_test.h"
#include "support/random.h"

namespace vsmax {
namespace {

float number(float x) { return x; }
float number(__nv_bfloat16 x) { return __bfloat162float(x); }

template <class Value>
Value value_of(float x) {
  if constexpr (std::is_same_v<Value, float>)
    return x;
  else
    return __float2bfloat16_rn(x);
}

constexpr float kNotANumber = 1e30F;  // in its place, because it does not equal itself

template <class Value>
std::vector<float> numbers(const std::vector<Value>& values) {
  std::vector<float> result;
  for (const Value value : values)
    result.push_back(std::isnan(number(value)) ? kNotANumber : number(value));
  return result;
}

std::size_t cells(const PoolShape& shape) {
  return static_cast<std::size_t>(shape.batch * shape.rows * shape.columns * shape.channels);
}
std::size_t windows(const PoolShape& shape) {
  return static_cast<std::size_t>(shape.batch * shape.pooled_rows() * shape.pooled_columns() *
                                  shape.channels);
}

// Where the value of each window lies in the input, by the definition.
std::vector<std::size_t> sources(const PoolShape& shape, const std::vector<float>& input) {
  std::vector<std::size_t> found;
  for (int b = 0; b < shape.batch; ++b)
    for (int row = 0; row < shape.pooled_rows(); ++row)
      for (int column = 0; column < shape.pooled_columns(); ++column)
        for (int c = 0; c < shape.channels; ++c) {
          std::size_t best = input.size();
          for (int y = 2 * row - 1; y <= 2 * row + 1; ++y)
            for (int x = 2 * column - 1; x <= 2 * column + 1; ++x) {
              if (y < 0 || y >= shape.rows || x < 0 || x >= shape.columns) continue;
              const auto at = static_cast<std::size_t>(
                  ((b * shape.rows + y) * shape.columns + x) * shape.channels + c);
              if (best == input.size() || input[at] > input[best] || std::isnan(input[at]))
                best = at;
            }
          found.push_back(best);
        }
  return found;
}

template <class Value>
class MaxPoolCuda : public test::CudaTest {
 protected:
  // Few different values, so that many windows have several largest ones.
  std::vector<Value> random_values(std::size_t count) {
    std::vector<Value> values;
    for (std::size_t i = 0; i < count; ++i)
      values.push_back(value_of<Value>(std::floor(static_cast<float>(random_.uniform(-3.0, 3.0)))));
    return values;
  }

  // The pooled values, and the gradient of the input.
  std::tuple<std::vector<float>, std::vector<float>> pool(const PoolShape& shape,
                                                          const std::vector<Value>& input,
                                                          const std::vector<Value>& grad) {
    return test::in_any_order([&] {
      const DeviceArray<Value> in(input);
      const DeviceArray<Value> pull(grad);
      DeviceArray<Value> out(windows(shape));
      DeviceArray<std::uint8_t> places(windows(shape));
      DeviceArray<Value> grad_input(cells(shape));
      check_cuda(max_pool_cuda(shape, in.data(), out.data(), places.data(), nullptr));
      check_cuda(
          max_pool_backward_cuda(shape, pull.data(), places.data(), grad_input.data(), nullptr));
      return std::tuple(numbers(out.to_host()), numbers(grad_input.to_host()));
    });
  }

  test::Random random_;
};

using Types = ::testing::Types<float, __nv_bfloat16>;
TYPED_TEST_SUITE(MaxPoolCuda, Types);

TYPED_TEST(MaxPoolCuda, IsTheDefinition) {
  for (const PoolShape shape : {PoolShape{1, 1, 1, 1}, PoolShape{2, 2, 3, 8}, PoolShape{3, 7, 4, 5},
                                PoolShape{1, 5, 70, 16}, PoolShape{2, 8, 9, 64}}) {
    const auto input = this->random_values(cells(shape));
    const auto grad = this->random_values(windows(shape));
    const auto [output, grad_input] = this->pool(shape, input, grad);
    const auto from = sources(shape, numbers(input));
    std::vector<float> expected(windows(shape));
    std::vector<float> expected_grad(cells(shape));
    for (std::size_t i = 0; i < from.size(); ++i) {
      expected[i] = number(input[from[i]]);
      expected_grad[from[i]] += number(grad[i]);  // small integers: no rounding
    }
    EXPECT_EQ(output, expected);
    EXPECT_EQ(grad_input, expected_grad);
  }
}

TYPED_TEST(MaxPoolCuda, ANotANumberIsTheLargest) {
  const PoolShape shape{1, 4, 4, 8};
  auto input = this->random_values(cells(shape));
  input[8] = value_of<TypeParam>(std::numeric_limits<float>::quiet_NaN());  // row 0, column 1
  const auto [output, ignored] = this->pool(shape, input, this->random_values(windows(shape)));
  for (std::size_t i = 0; i < output.size(); ++i)
    EXPECT_EQ(output[i] == kNotANumber, i == 0 || i == 8) << i;  // the windows that it lies in
}

}  // namespace
}  // namespace vsmax
