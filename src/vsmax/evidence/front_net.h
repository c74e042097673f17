// SPDX-License-Identifier: Apache-2.0
// The learned front end: from a colour image to a map of evidence, which votes in the Hough
// transform. A U-shaped network of 3x3 convolutions with 32 channels and ReLU: four scales, each
// half as large as the one before; on the way up, each scale's features are added to the upsampled
// features of the next smaller one. 93,665 parameters.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "vsmax/base/aligned_floats.h"
#include "vsmax/base/parallel.h"
#include "vsmax/conv/conv_layer.h"
#include "vsmax/geometry/image_frame.h"

namespace vsmax {

class FrontNet {
 public:
  static constexpr std::size_t kInputs = 3;  // red, green, blue
  static constexpr std::size_t kScales = 4;
  static constexpr int kGranule = 1 << (kScales - 1);  // an image's sides are multiples of this

  // Reads "front.0.weight", "front.0.bias", ... Throws an Error whose message starts with
  // `name`.
  FrontNet(const SafeTensors& file, const std::string& name);

  // The inputs and outputs of all layers, in the order in which they run.
  static std::vector<ChannelCounts> channel_counts();

  const std::vector<ConvLayer>& layers() const { return layers_; }

  // How to run, and working memory that is reused from call to call.
  struct Scratch {
    int threads = 1;  // 0: one per processor

    std::array<AlignedFloats, kScales> scales;
    std::array<AlignedFloats, 2> maps;
    std::vector<AlignedFloats> workspaces;  // one per thread
    std::unique_ptr<ThreadPool> pool;
  };

  // image: rows x columns x 3, normalised; evidence: rows x columns, positive. The result does not
  // depend on the number of threads.
  void forward(std::span<const float> image, const ImageFrame& frame, std::span<float> evidence,
               Scratch& scratch) const;

 private:
  std::vector<ConvLayer> layers_;
  std::vector<PackedLayer> packed_;
};

}  // namespace vsmax
