// SPDX-License-Identifier: Apache-2.0
// A layer of conv_kernels.h in training: its output and its gradients, one image at a time, so that
// threads can share a batch. Sums over images are always added in the images' order, so that they
// do not depend on the number of threads.
#pragma once

#include <cstddef>
#include <vector>

#include "vsmax/conv/conv_kernels.h"
#include "vsmax/conv/conv_layer.h"

namespace vsmax {

class TrainedLayer {
 public:
  // inputs -> 32 with ReLU, or 32 -> 1 without.
  static bool supports(std::size_t inputs, std::size_t outputs);
  explicit TrainedLayer(const ConvLayer& layer);

  // The sizes, in floats, of a workspace (one per thread) and of one image's sums.
  std::size_t workspace_size(const FeatureShape& shape) const;
  std::size_t sum_count() const;

  // input: rows x columns x inputs; output: rows x columns x outputs.
  void forward(const FeatureShape& shape, const float* input, float* output,
               float* workspace) const;

  // From the gradient of `output` to that of `input` (unless null) and to the image's sums.
  void backward(const FeatureShape& shape, const float* input, const float* output,
                const float* gradient, float* input_gradient, float* sums, float* workspace) const;

  // The gradients of weights (outputs x inputs x 3 x 3) and biases from the sums of all images.
  void add_up(const float* sums, std::size_t images, float* weight_gradient,
              float* bias_gradient) const;

 private:
  bool by_winograd() const { return inputs_ == kConvChannels && outputs_ == kConvChannels; }
  void compute_input_gradient(const FeatureShape& shape, const float* gradient,
                              float* input_gradient, float* workspace) const;

  std::size_t inputs_;
  std::size_t outputs_;
  PackedLayer forward_;
  PackedLayer backward_;  // outputs -> inputs, taps in reverse order
};

}  // namespace vsmax
