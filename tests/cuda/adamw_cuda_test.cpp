// SPDX-License-Identifier: Apache-2.0
// The kernel is AdamW as PyTorch defines it, computed in double.
#include "vsmax/torch/train/adamw_cuda.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "cuda_test.h"
#include "support/random.h"

namespace vsmax {
namespace {

// All vectors of an optimiser.
template <class Value>
struct State {
  std::vector<Value> values, gradient, means, squares, average;
};

class AdamWCuda : public test::CudaTest {
 protected:
  // Gradients of very different sizes, as layers have them; some are 0.
  State<float> random_state(std::size_t length) {
    State<float> state;
    for (std::size_t i = 0; i < length; ++i) {
      const double size = std::pow(10.0, random_.uniform(-6.0, 2.0));
      const bool untouched = i % 7 == 3;
      state.values.push_back(number(-1.0, 1.0));
      state.gradient.push_back(untouched ? 0.0F : number(-size, size));
      state.means.push_back(untouched ? 0.0F : number(-size, size));
      state.squares.push_back(untouched ? 0.0F : number(0.0, size * size));
      state.average.push_back(number(-1.0, 1.0));
    }
    return state;
  }

  float number(double least, double most) {
    return static_cast<float>(random_.uniform(least, most));
  }

  test::Random random_;
};

State<double> widened(const State<float>& state) {
  const auto wide = [](const std::vector<float>& from) {
    return std::vector<double>(from.begin(), from.end());
  };
  return {wide(state.values), wide(state.gradient), wide(state.means), wide(state.squares),
          wide(state.average)};
}

// The definition, parameter by parameter.
void step_in_double(State<double>& state, const AdamWSettings& settings, int step,
                    double learning_rate, double clip) {
  for (std::size_t i = 0; i < state.values.size(); ++i) {
    const double g = state.gradient[i] * clip;
    double& mean = state.means[i];
    double& square = state.squares[i];
    mean = settings.beta1 * mean + (1.0 - settings.beta1) * g;
    square = settings.beta2 * square + (1.0 - settings.beta2) * g * g;
    const double unbiased_mean = mean / (1.0 - std::pow(settings.beta1, step));
    const double unbiased_square = square / (1.0 - std::pow(settings.beta2, step));
    double& value = state.values[i];
    value -= learning_rate * settings.weight_decay * value;
    value -= learning_rate * unbiased_mean / (std::sqrt(unbiased_square) + 1e-8);
    const double kept = std::min(settings.average, step / (step + 9.0));
    state.average[i] = kept * state.average[i] + (1.0 - kept) * value;
  }
}

// `clip`: nullptr for none.
State<float> step_on_device(const State<float>& state, const AdamWSettings& settings, int step,
                            double learning_rate, const float* clip) {
  const bool averages = settings.average > 0.0;
  DeviceArray<float> values(state.values);
  const DeviceArray<float> gradient(state.gradient);
  DeviceArray<float> means(state.means);
  DeviceArray<float> squares(state.squares);
  DeviceArray<float> average(state.average);
  const DeviceArray<AdamWNumbers> numbers(
      std::vector{adamw_numbers(settings, step, learning_rate)});
  const DeviceArray<float> factor(std::vector{clip != nullptr ? *clip : 0.0F});
  check_cuda(adamw_cuda(
      {values.data(), gradient.data(), means.data(), squares.data(),
       averages ? average.data() : nullptr, static_cast<std::int64_t>(state.values.size())},
      settings, numbers.data(), clip != nullptr ? factor.data() : nullptr, nullptr));
  return {values.to_host(), state.gradient, means.to_host(), squares.to_host(), average.to_host()};
}

State<float> in_any_order(const State<float>& state, const AdamWSettings& settings, int step,
                          double learning_rate, const float* clip) {
  State<float> result;
  std::tie(result.values, result.means, result.squares, result.average) = test::in_any_order([&] {
    const State<float> after = step_on_device(state, settings, step, learning_rate, clip);
    return std::tuple(after.values, after.means, after.squares, after.average);
  });
  result.gradient = state.gradient;
  return result;
}

void expect_near(const std::vector<float>& found, const std::vector<double>& truth,
                 const std::vector<double>& size) {
  constexpr double kRoundings = 4.0 * std::numeric_limits<float>::epsilon();
  ASSERT_EQ(found.size(), truth.size());
  for (std::size_t i = 0; i < found.size(); ++i)
    ASSERT_NEAR(static_cast<double>(found[i]), truth[i], kRoundings * size[i] + 1e-37) << i;
}

// How large the terms of each sum are: their roundings do not cancel where they do.
std::vector<double> sizes(const std::vector<float>& a, double weight_a, const std::vector<float>& b,
                          double weight_b) {
  std::vector<double> sums;
  for (std::size_t i = 0; i < a.size(); ++i)
    sums.push_back(weight_a * std::abs(static_cast<double>(a[i])) +
                   weight_b * std::abs(static_cast<double>(b[i])));
  return sums;
}

TEST_F(AdamWCuda, IsTheDefinition) {
  for (const std::size_t length : {1, 31, 256, 257, 1000})
    for (const int step : {1, 2, 100, 100000})
      for (const double average : {0.0, 0.3, 0.999}) {
        const AdamWSettings settings{0.9, 0.99, 0.05, 0.0, average};
        const State<float> before = random_state(length);
        constexpr double kLearningRate = 0.01;
        const float clip = 0.37F;
        const bool clips = step == 2;
        const State<float> after =
            in_any_order(before, settings, step, kLearningRate, clips ? &clip : nullptr);
        State<double> truth = widened(before);
        step_in_double(truth, settings, step, kLearningRate,
                       clips ? static_cast<double>(clip) : 1.0);
        expect_near(after.means, truth.means, sizes(before.means, 1.0, before.gradient, 1.0));
        expect_near(after.squares, truth.squares, truth.squares);
        // A step is at most about the learning rate times what its means make of it.
        std::vector<double> size(length, 1.0);
        for (std::size_t i = 0; i < length; ++i)
          size[i] += std::abs(truth.values[i] - static_cast<double>(before.values[i]));
        expect_near(after.values, truth.values, size);
        if (average > 0.0)
          expect_near(after.average, truth.average, size);
        else
          EXPECT_EQ(after.average, before.average);
      }
}

TEST_F(AdamWCuda, ACapturedStepFollowsTheNumbersOnTheDevice) {
  const AdamWSettings settings;
  State<float> truth = random_state(300);
  DeviceArray<float> values(truth.values);
  const DeviceArray<float> gradient(truth.gradient);
  DeviceArray<float> means(truth.means);
  DeviceArray<float> squares(truth.squares);
  DeviceArray<AdamWNumbers> numbers(1);
  cudaStream_t stream = nullptr;
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t step = nullptr;
  check_cuda(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  check_cuda(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  check_cuda(
      adamw_cuda({values.data(), gradient.data(), means.data(), squares.data(), nullptr, 300},
                 settings, numbers.data(), nullptr, stream));
  check_cuda(cudaStreamEndCapture(stream, &graph));
  check_cuda(cudaGraphInstantiate(&step, graph, 0));
  for (const int count : {1, 2, 3}) {
    const double learning_rate = 0.01 / count;
    const AdamWNumbers now = adamw_numbers(settings, count, learning_rate);
    check_cuda(cudaMemcpyAsync(numbers.data(), &now, sizeof(now), cudaMemcpyHostToDevice, stream));
    check_cuda(cudaGraphLaunch(step, stream));
    check_cuda(cudaStreamSynchronize(stream));
    truth = step_on_device(truth, settings, count, learning_rate, nullptr);
    EXPECT_EQ(values.to_host(), truth.values);
    EXPECT_EQ(means.to_host(), truth.means);
    EXPECT_EQ(squares.to_host(), truth.squares);
  }
  check_cuda(cudaGraphExecDestroy(step));
  check_cuda(cudaGraphDestroy(graph));
  check_cuda(cudaStreamDestroy(stream));
}

TEST_F(AdamWCuda, ABadGradientStaysInItsPlace) {
  const AdamWSettings settings{0.9, 0.999, 1e-4, 0.0, 0.5};
  State<float> before = random_state(300);
  const State<float> good = step_on_device(before, settings, 5, 1e-3, nullptr);
  before.gradient[299] = std::numeric_limits<float>::quiet_NaN();
  before.gradient[7] = 1e30F;  // its square is infinite
  const State<float> bad = step_on_device(before, settings, 5, 1e-3, nullptr);
  EXPECT_TRUE(std::isnan(bad.squares[299]));
  EXPECT_TRUE(std::isinf(bad.squares[7]));
  for (std::size_t i = 0; i < 299; ++i) {
    if (i != 7) {
      ASSERT_EQ(bad.values[i], good.values[i]);
    }
  }
}

TEST_F(AdamWCuda, NoParametersAreNoError) {
  EXPECT_EQ(adamw_cuda({}, {}, nullptr, nullptr, nullptr), cudaSuccess);
}

}  // namespace
}  // namespace vsmax
