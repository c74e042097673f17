// SPDX-License-Identifier: Apache-2.0
// Layers in training against sums in double by the definition, and against differences.
#include "vsmax/conv/trained_layer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "conv/products.h"
#include "support/largest_error.h"
#include "support/random.h"
#include "vsmax/base/error.h"

namespace vsmax {
namespace {

using Doubles = std::vector<double>;
using Floats = std::vector<float>;

constexpr std::pair<std::size_t, std::size_t> kChannelCounts[] = {
    {1, 32}, {3, 32}, {32, 32}, {32, 1}};

std::string name_of(const FeatureShape& shape, std::size_t inputs, std::size_t outputs) {
  const std::string cover = !shape.cover                     ? "image"
                            : *shape.cover == Cover::kSingle ? "single cover"
                                                             : "double cover";
  return std::to_string(inputs) + " to " + std::to_string(outputs) + " channels on " +
         std::to_string(shape.rows) + "x" + std::to_string(shape.columns) + ", " + cover;
}

struct Values {
  Doubles input, weights, biases;
};

// The layer and its derivatives by the definition.
struct Reference {
  FeatureShape shape;
  std::size_t inputs, outputs;

  std::size_t weight_at(std::size_t o, std::size_t i, std::size_t tap) const {
    return (o * inputs + i) * 9 + tap;
  }

  Doubles output(const Values& x) const {
    Doubles y(shape.rows * shape.columns * outputs);
    for (std::size_t k = 0; k < y.size(); ++k) y[k] = x.biases[k % outputs];
    test::for_each_product(shape, [&](std::size_t to, std::size_t tap, std::size_t from) {
      for (std::size_t o = 0; o < outputs; ++o)
        for (std::size_t i = 0; i < inputs; ++i)
          y[to * outputs + o] += x.weights[weight_at(o, i, tap)] * x.input[from * inputs + i];
    });
    if (outputs > 1)
      for (double& value : y) value = std::max(value, 0.0);
    return y;
  }

  Values gradient(const Values& x, Doubles pull) const {
    const Doubles y = output(x);
    Values result{Doubles(x.input.size()), Doubles(x.weights.size()), Doubles(outputs)};
    for (std::size_t k = 0; k < y.size(); ++k) {
      if (outputs > 1 && y[k] <= 0.0) pull[k] = 0.0;
      result.biases[k % outputs] += pull[k];
    }
    test::for_each_product(shape, [&](std::size_t to, std::size_t tap, std::size_t from) {
      for (std::size_t o = 0; o < outputs; ++o)
        for (std::size_t i = 0; i < inputs; ++i) {
          const std::size_t w = weight_at(o, i, tap);
          result.input[from * inputs + i] += x.weights[w] * pull[to * outputs + o];
          result.weights[w] += x.input[from * inputs + i] * pull[to * outputs + o];
        }
    });
    return result;
  }
};

Doubles widened(const Floats& values) { return {values.begin(), values.end()}; }

double largest(const Doubles& values) {
  double result = 0.0;
  for (const double value : values) result = std::max(result, std::abs(value));
  return result;
}

double dot(const Doubles& a, const Doubles& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

class TrainedLayers : public ::testing::Test {
 protected:
  ConvLayer layer(std::size_t inputs, std::size_t outputs) {
    return {inputs, outputs, random_.uniforms<float>(9 * inputs * outputs, -0.1, 0.1),
            random_.uniforms<float>(outputs, -0.1, 0.1)};
  }

  test::Random random_;
};

struct Result {
  Floats output, input_gradient, weight_gradient, bias_gradient;
};

Result run(const FeatureShape& shape, const ConvLayer& conv, const Floats& input,
           const Floats& pull) {
  const TrainedLayer layer(conv);
  Floats workspace(layer.workspace_size(shape), 99.0F);
  Floats sums(layer.sum_count(), 99.0F);
  Result result{Floats(pull.size()), Floats(input.size()), Floats(conv.weights.size()),
                Floats(conv.outputs)};
  layer.forward(shape, input.data(), result.output.data(), workspace.data());
  layer.backward(shape, input.data(), result.output.data(), pull.data(),
                 result.input_gradient.data(), sums.data(), workspace.data());
  layer.add_up(sums.data(), 1, result.weight_gradient.data(), result.bias_gradient.data());
  return result;
}

TEST_F(TrainedLayers, MatchTheDefinitionTo1em4) {
  for (const auto& [inputs, outputs] : kChannelCounts)
    for (const auto& shape : test::feature_shapes()) {
      SCOPED_TRACE(name_of(shape, inputs, outputs));
      const ConvLayer conv = layer(inputs, outputs);
      const std::size_t cells = shape.rows * shape.columns;
      const auto input = random_.uniforms<float>(cells * inputs, -1.0, 2.0);
      const auto pull = random_.uniforms<float>(cells * outputs, -1.0, 1.0);
      const Result ours = run(shape, conv, input, pull);
      const Reference reference{shape, inputs, outputs};
      const Values x{widened(input), widened(conv.weights), widened(conv.biases)};
      const Doubles y = reference.output(x);
      const Values truth = reference.gradient(x, widened(pull));
      EXPECT_LE(test::largest_error(ours.output, y), 1e-4 * largest(y));
      EXPECT_LE(test::largest_error(ours.input_gradient, truth.input), 1e-4 * largest(truth.input));
      EXPECT_LE(test::largest_error(ours.weight_gradient, truth.weights),
                1e-4 * largest(truth.weights));
      EXPECT_LE(test::largest_error(ours.bias_gradient, truth.biases),
                1e-5 * static_cast<double>(cells));
    }
}

// Along random directions, of the layer by the definition.
TEST_F(TrainedLayers, DerivativesAreDifferences) {
  for (const auto& [inputs, outputs] : kChannelCounts)
    for (const std::optional<Cover> cover :
         {std::optional<Cover>{}, std::optional(Cover::kSingle), std::optional(Cover::kDouble)}) {
      const FeatureShape shape{6, 7, cover};
      SCOPED_TRACE(name_of(shape, inputs, outputs));
      const ConvLayer conv = layer(inputs, outputs);
      const std::size_t cells = shape.rows * shape.columns;
      const auto input = random_.uniforms<float>(cells * inputs, -1.0, 2.0);
      const auto pull = random_.uniforms<float>(cells * outputs, -1.0, 1.0);
      const Result ours = run(shape, conv, input, pull);
      const Reference reference{shape, inputs, outputs};
      for (int direction = 0; direction < 3; ++direction) {
        const Values along{random_.uniforms<double>(input.size(), -1.0, 1.0),
                           random_.uniforms<double>(conv.weights.size(), -0.1, 0.1),
                           random_.uniforms<double>(outputs, -1.0, 1.0)};
        const auto loss = [&](double step) {
          Values x{widened(input), widened(conv.weights), widened(conv.biases)};
          for (const auto member : {&Values::input, &Values::weights, &Values::biases})
            for (std::size_t k = 0; k < (x.*member).size(); ++k)
              (x.*member)[k] += step * (along.*member)[k];
          return dot(reference.output(x), widened(pull));
        };
        constexpr double kStep = 1e-6;
        const double difference = (loss(kStep) - loss(-kStep)) / (2.0 * kStep);
        const double derivative = dot(along.input, widened(ours.input_gradient)) +
                                  dot(along.weights, widened(ours.weight_gradient)) +
                                  dot(along.biases, widened(ours.bias_gradient));
        EXPECT_NEAR(derivative, difference, 1e-4 * (1.0 + std::abs(difference)));
      }
    }
}

TEST_F(TrainedLayers, ImagesAddUp) {
  const FeatureShape shape{5, 6, Cover::kDouble};
  const ConvLayer conv = layer(32, 32);
  const TrainedLayer trained(conv);
  constexpr std::size_t kImages = 3;
  const std::size_t size = shape.rows * shape.columns * kConvChannels;
  const auto input = random_.uniforms<float>(kImages * size, -1.0, 2.0);
  const auto pull = random_.uniforms<float>(kImages * size, -1.0, 1.0);
  Doubles weights(conv.weights.size());
  Floats all(kImages * trained.sum_count());
  Floats workspace(trained.workspace_size(shape));
  for (std::size_t image = 0; image < kImages; ++image) {
    const auto part = [&](const Floats& values) {
      return Floats(values.begin() + static_cast<std::ptrdiff_t>(image * size),
                    values.begin() + static_cast<std::ptrdiff_t>((image + 1) * size));
    };
    const Result one = run(shape, conv, part(input), part(pull));
    for (std::size_t k = 0; k < weights.size(); ++k) weights[k] += one.weight_gradient[k];
    trained.backward(shape, part(input).data(), one.output.data(), part(pull).data(), nullptr,
                     all.data() + image * trained.sum_count(), workspace.data());
  }
  Floats sum(weights.size());
  Floats bias(conv.outputs);
  trained.add_up(all.data(), kImages, sum.data(), bias.data());
  EXPECT_LE(test::largest_error(sum, weights), 1e-6 * largest(weights));
}

TEST_F(TrainedLayers, OtherChannelCountsAreAnError) {
  EXPECT_THROW(TrainedLayer(layer(32, 2)), Error);
  EXPECT_THROW(TrainedLayer(layer(33, 32)), Error);
  EXPECT_THROW(TrainedLayer(layer(1, 1)), Error);
}

}  // namespace
}  // namespace vsmax
