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
#include <vector>

#include "vsmax/hough/bin_edges.h"
#include "vsmax/hough/grid.h"

namespace vsmax {

struct HoughPlan;

// Memory that a call needs and the next call reuses; one per thread.
class HoughScratch {
 public:
  // At least `bytes` bytes, 64-byte aligned, contents undefined.
  void* reserve(std::size_t bytes);

 private:
  std::vector<std::byte> storage_;
};

// Immutable and safe to share between threads. Throws Error for a negative batch.
class HoughTransform {
 public:
  explicit HoughTransform(const HoughGrid& grid);

  const HoughGrid& grid() const { return grid_; }

  // images: batch x H x W; accumulators: batch x T x R, overwritten.
  void forward(const float* images, float* accumulators, int batch, HoughScratch& scratch) const;
  void forward(const double* images, double* accumulators, int batch, HoughScratch& scratch) const;
  // Throws Error where a bin's sum could exceed 32 bits (images of 2^24 pixels and more).
  void forward(const std::uint8_t* images, std::uint32_t* accumulators, int batch,
               HoughScratch& scratch) const;

  // accumulators: batch x T x R; images: batch x H x W, overwritten.
  void adjoint(const float* accumulators, float* images, int batch, HoughScratch& scratch) const;
  void adjoint(const double* accumulators, double* images, int batch, HoughScratch& scratch) const;

  // The number of pixels that vote for each cell, T x R.
  std::vector<std::uint32_t> pixel_counts() const;

 private:
  HoughPlan plan() const;
  void vote_bytes(const std::uint8_t* images, std::uint32_t* accumulators, int batch,
                  HoughScratch& scratch) const;

  HoughGrid grid_;
  // How float images are summed, for the sake of the error.
  void (*forward_)(const HoughPlan&, const float*, float*, void*);
  void (*adjoint_)(const HoughPlan&, const float*, float*, void*);
  bool bytes_in_pairs_;  // two images of bytes go at once
  std::vector<std::uint8_t> short_runs_;
  std::shared_ptr<const BinEdges> edges_;  // null where the table would be too large
};

}  // namespace vsmax
