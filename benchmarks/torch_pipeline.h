// SPDX-License-Identifier: Apache-2.0
// The same pipeline in plain LibTorch, as one would write it: index_add for the votes, padded
// convolutions, softmax, a product with the embeddings, eigh. This header needs no torch header.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "vsmax/evidence/front_net.h"
#include "vsmax/hough/grid.h"
#include "vsmax/refine/refine_net.h"

namespace vsmax::bench {

class TorchPipeline {
 public:
  // `front` may be nullptr: the image itself votes.
  TorchPipeline(const HoughGrid& grid, const RefineNet& net, float scale,
                const FrontNet* front = nullptr);

  // Logits from a double cover of 2T x R cells; returns the first of them.
  float refine(const std::vector<float>& accumulator) const;
  // The barycentre of the softmax of such logits; returns its first coordinate.
  float read_out(const std::vector<float>& logits) const;
  // Image to line; returns its angle.
  double recover(const std::vector<float>& image) const;
  // A colour photograph of H x W x 3 bytes to its line, through the front end; returns its angle.
  double recover(const std::vector<std::uint8_t>& photo, int width, int height) const;

  static void use_threads(int threads);
  // By default malloc returns the memory of large tensors to the system after every operation, and
  // the next one takes page faults; with `keep` the memory is kept.
  static void keep_freed_memory(bool keep);

 private:
  struct Tensors;
  std::shared_ptr<Tensors> tensors_;  // shared_ptr, because it accepts an incomplete type
};

}  // namespace vsmax::bench
