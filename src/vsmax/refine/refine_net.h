// SPDX-License-Identifier: Apache-2.0
// The refinement network's forward pass: six 3x3 convolutions 1-32-32-32-32-32-1 with biases and
// ReLU in between, 37,601 parameters. It cleans the accumulator and returns logits (Eq. 14). Theta
// is padded across the seam of the cover, rho with zeros.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "vsmax/base/aligned_floats.h"
#include "vsmax/base/parallel.h"
#include "vsmax/conv/conv_layer.h"
#include "vsmax/hough/cells.h"

namespace vsmax {

struct FeatureShape;
struct RowRange;

class RefineNet {
 public:
  static constexpr std::size_t kLayers = 6;
  static constexpr std::size_t kChannels = 32;

  // Reads "refine.0.weight", "refine.0.bias", ... Throws an Error whose message starts with
  // `name`.
  RefineNet(const SafeTensors& file, const std::string& name);

  // The inputs and outputs of all layers.
  static std::vector<ChannelCounts> channel_counts();

  const std::vector<ConvLayer>& layers() const { return layers_; }

  // How the 32 -> 32 layers are computed: with a quarter of the products, or directly.
  enum class Method { kWinograd, kDirect };

  // How to run, and working memory that is reused from call to call.
  struct Scratch {
    int threads = 1;  // 0: one per processor
    Method method = Method::kWinograd;

    AlignedFloats even;                     // outputs of layers 0, 2, ..
    AlignedFloats odd;                      // outputs of layers 1, 3, ..
    std::vector<AlignedFloats> workspaces;  // one per thread
    std::unique_ptr<ThreadPool> pool;

    float* output_of(std::size_t layer) { return (layer % 2 == 0 ? even : odd).data(); }
  };

  // `scale` multiplies the accumulator. Accumulator and logits have the same shape and may share
  // memory. The result does not depend on the number of threads.
  void forward(Cells<const float> accumulator, float scale, Cells<float> logits,
               Scratch& scratch) const;

 private:
  void middle_layer(std::size_t layer, const FeatureShape& shape, RowRange range,
                    std::size_t worker, Scratch& scratch) const;

  std::vector<ConvLayer> layers_;
  std::vector<PackedLayer> packed_;
};

}  // namespace vsmax
