// SPDX-License-Identifier: Apache-2.0
// The Hough transform (Eq. 7) and its adjoint (Eq. 9) by prefix sums (Eq. 10).
//
// Exact for 8-bit images, and for float images whose sums are integers below 2^24. For other floats
// the largest error is about that of adding the pixels one by one in the same precision, and at
// most twice that.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "vsmax/hough/bin_edges.h"
#include "vsmax/hough/grid.h"

namespace vsmax {

struct HoughPlan;

// Scratch memory that successive calls reuse; each thread needs its own.
class HoughScratch {
 public:
  // At least `bytes` bytes, 64-byte aligned, contents undefined.
  void* reserve(std::size_t bytes);

 private:
  std::vector<std::byte> storage_;
};

// Immutable and safe to share between threads. Batches are spans: `images` holds B x H x W pixels,
// `accumulators` B x T x R cells, for any B. Throws Error if their sizes do not fit the same whole
// number B.
class HoughTransform {
 public:
  explicit HoughTransform(const HoughGrid& grid);

  const HoughGrid& grid() const { return grid_; }

  // Overwrites the accumulators.
  void forward(std::span<const float> images, std::span<float> accumulators,
               HoughScratch& scratch) const;
  void forward(std::span<const double> images, std::span<double> accumulators,
               HoughScratch& scratch) const;
  // Throws Error where a bin's sum could exceed 32 bits (images of 2^24 pixels and more).
  void forward(std::span<const std::uint8_t> images, std::span<std::uint32_t> accumulators,
               HoughScratch& scratch) const;

  // Overwrites the images.
  void adjoint(std::span<const float> accumulators, std::span<float> images,
               HoughScratch& scratch) const;
  void adjoint(std::span<const double> accumulators, std::span<double> images,
               HoughScratch& scratch) const;

  // The number of pixels that vote for each cell, T x R.
  std::vector<std::uint32_t> pixel_counts() const;

 private:
  HoughPlan plan() const;
  std::size_t batch_of(std::size_t pixels, std::size_t cells) const;
  void vote_bytes(std::span<const std::uint8_t> images, std::span<std::uint32_t> accumulators,
                  HoughScratch& scratch) const;

  HoughGrid grid_;
  // The kernels for float images, chosen to bound the rounding error.
  void (*forward_)(const HoughPlan&, const float*, float*, void*);
  void (*adjoint_)(const HoughPlan&, const float*, float*, void*);
  bool bytes_in_pairs_;  // two 8-bit images are transformed at once
  std::vector<std::uint8_t> short_runs_;
  std::shared_ptr<const BinEdges> edges_;  // null where the table would be too large
};

}  // namespace vsmax
