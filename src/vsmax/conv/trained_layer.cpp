// SPDX-License-Identifier: Apache-2.0
#include "vsmax/conv/trained_layer.h"

#include <algorithm>
#include <string>

#include "vsmax/base/error.h"
#include "vsmax/conv/gradient_kernels.h"
#include "vsmax/conv/winograd.h"

namespace vsmax {

namespace {

constexpr std::size_t kTaps = 9;

// The convolution's adjoint, except where rows cross the seam of a Moebius strip.
ConvLayer adjoint(const ConvLayer& layer) {
  ConvLayer result{layer.outputs, layer.inputs, std::vector<float>(layer.weights.size()), {}};
  for (std::size_t o = 0; o < layer.outputs; ++o)
    for (std::size_t i = 0; i < layer.inputs; ++i)
      for (std::size_t tap = 0; tap < kTaps; ++tap)
        result.weights[(i * layer.outputs + o) * kTaps + kTaps - 1 - tap] =
            layer.weights[(o * layer.inputs + i) * kTaps + tap];
  return result;
}

// Adds the gradients that the first and the last row of a Moebius strip receive from each other.
// Across the seam the row is read backwards, so the adjoint reverses only the tap's row, not its
// column. weights: those of the adjoint, 9 x outputs x inputs.
void add_across_seam(const FeatureShape& shape, std::size_t inputs, std::size_t outputs,
                     const float* weights, const float* gradient, float* input_gradient) {
  const auto columns = static_cast<std::ptrdiff_t>(shape.columns);
  const std::size_t last = shape.rows - 1;
  for (const bool up : {false, true}) {
    const float* from = gradient + (up ? 0 : last) * shape.columns * outputs;
    float* to = input_gradient + (up ? last : 0) * shape.columns * inputs;
    for (std::ptrdiff_t q = 0; q < columns; ++q)
      for (std::ptrdiff_t dr = -1; dr <= 1; ++dr) {
        const std::ptrdiff_t r = columns - 1 - q - dr;
        if (r < 0 || r >= columns) continue;
        // Below the last row the tap is (+1, dr), above the first one (-1, dr).
        const auto tap = static_cast<std::size_t>((up ? 0 : 6) + dr + 1);
        const float* matrix = weights + (kTaps - 1 - tap) * outputs * inputs;
        const float* cell = from + static_cast<std::size_t>(r) * outputs;
        float* sum = to + static_cast<std::size_t>(q) * inputs;
        for (std::size_t o = 0; o < outputs; ++o)
          for (std::size_t i = 0; i < inputs; ++i) sum[i] += cell[o] * matrix[o * inputs + i];
      }
  }
}

}  // namespace

bool TrainedLayer::supports(std::size_t inputs, std::size_t outputs) {
  return (outputs == kConvChannels && inputs >= 1 && inputs <= kConvChannels) ||
         (inputs == kConvChannels && outputs == 1);
}

TrainedLayer::TrainedLayer(const ConvLayer& layer)
    : inputs_(layer.inputs), outputs_(layer.outputs), forward_(layer), backward_(adjoint(layer)) {
  if (!supports(inputs_, outputs_))
    throw Error("a layer from " + std::to_string(inputs_) + " to " + std::to_string(outputs_) +
                " channels cannot be trained");
}

std::size_t TrainedLayer::workspace_size(const FeatureShape& shape) const {
  const std::size_t masked = shape.rows * shape.columns * outputs_;
  return masked + (by_winograd() ? winograd_workspace(shape) : shape.rows * shape.columns);
}

std::size_t TrainedLayer::sum_count() const {
  return outputs_ + (by_winograd() ? kWinogradWeights : forward_.direct.size());
}

void TrainedLayer::forward(const FeatureShape& shape, const float* input, float* output,
                           float* workspace) const {
  const RowRange rows{0, shape.rows};
  if (by_winograd())
    winograd_layer(shape, input, forward_.transformed.data(), forward_.biases.data(), output, rows,
                   workspace);
  else if (outputs_ == 1)
    last_layer(shape, input, forward_.direct.data(), forward_.biases[0], output, rows);
  else
    first_layer(shape, inputs_, input, 1.0F, forward_.direct.data(), forward_.biases.data(), output,
                rows);
}

void TrainedLayer::compute_input_gradient(const FeatureShape& shape, const float* gradient,
                                          float* input_gradient, float* workspace) const {
  FeatureShape seamless = shape;
  if (shape.cover == Cover::kSingle) seamless.cover.reset();
  const RowRange rows{0, shape.rows};
  const std::size_t cells = shape.rows * shape.columns;
  const float* weights = backward_.direct.data();
  if (by_winograd()) {
    winograd_layer(seamless, gradient, backward_.transformed.data(), nullptr, input_gradient, rows,
                   workspace);
  } else if (outputs_ == 1) {
    first_layer(seamless, 1, gradient, 1.0F, weights, nullptr, input_gradient, rows);
  } else {
    for (std::size_t i = 0; i < inputs_; ++i) {
      float taps[kTaps * kConvChannels];
      for (std::size_t k = 0; k < kTaps * kConvChannels; ++k) taps[k] = weights[k * inputs_ + i];
      last_layer(seamless, gradient, taps, 0.0F, workspace, rows);
      for (std::size_t cell = 0; cell < cells; ++cell)
        input_gradient[cell * inputs_ + i] = workspace[cell];
    }
  }
  if (shape.cover == Cover::kSingle)
    add_across_seam(shape, inputs_, outputs_, weights, gradient, input_gradient);
}

void TrainedLayer::backward(const FeatureShape& shape, const float* input, const float* output,
                            const float* gradient, float* input_gradient, float* sums,
                            float* workspace) const {
  const std::size_t cells = shape.rows * shape.columns;
  float* bias_sums = sums;
  float* weight_sums = sums + outputs_;
  if (outputs_ == 1) {
    double total = 0.0;
    for (std::size_t cell = 0; cell < cells; ++cell) total += gradient[cell];
    bias_sums[0] = static_cast<float>(total);
  } else {
    relu_gradient(cells, output, gradient, workspace, bias_sums);
    gradient = workspace;
    workspace += cells * outputs_;
  }
  if (input_gradient != nullptr) compute_input_gradient(shape, gradient, input_gradient, workspace);
  if (by_winograd())
    winograd_weight_gradient(shape, input, gradient, weight_sums, workspace);
  else if (outputs_ == 1)
    last_weight_gradient(shape, input, gradient, weight_sums);
  else
    first_weight_gradient(shape, inputs_, input, gradient, weight_sums);
}

void TrainedLayer::add_up(const float* sums, std::size_t images, float* weight_gradient,
                          float* bias_gradient) const {
  std::vector<double> totals(sum_count());
  for (std::size_t image = 0; image < images; ++image)
    for (std::size_t k = 0; k < totals.size(); ++k) totals[k] += sums[image * totals.size() + k];
  for (std::size_t o = 0; o < outputs_; ++o) bias_gradient[o] = static_cast<float>(totals[o]);
  std::vector<float> direct(forward_.direct.size());  // 9 x inputs x outputs
  const double* weights = totals.data() + outputs_;
  if (by_winograd())
    untransform_weights(weights, direct.data());
  else
    std::transform(weights, weights + direct.size(), direct.begin(),
                   [](double sum) { return static_cast<float>(sum); });
  for (std::size_t o = 0; o < outputs_; ++o)
    for (std::size_t i = 0; i < inputs_; ++i)
      for (std::size_t tap = 0; tap < kTaps; ++tap)
        weight_gradient[(o * inputs_ + i) * kTaps + tap] =
            direct[(tap * inputs_ + i) * outputs_ + o];
}

}  // namespace vsmax
