// SPDX-License-Identifier: Apache-2.0
#include "vsmax/hough/hough.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "vsmax/base/error.h"
#include "vsmax/hough/hough_kernels.h"

namespace vsmax {
namespace {

// The pixels in a strip one bin wide through the centre: about those of the fullest bin of angle t.
double pixels_of_fullest_bin(const HoughGrid& grid, int t) {
  const auto& frame = grid.frame();
  const double chord = std::min(frame.width / std::max(std::abs(grid.sin_theta(t)), 1e-9),
                                frame.height / std::max(std::abs(grid.cos_theta(t)), 1e-9));
  return chord * grid.bin_width();
}

using FloatKernel = void (*)(const HoughPlan&, const float*, float*, void*);

// The error of a difference of prefix sums grows with the sum of a line of pixels, and more so if
// the lines of a tile are added first; that of plain addition grows with the sum of a bin. The
// thresholds were found by measurement.
FloatKernel forward_kernel(const HoughGrid& grid) {
  constexpr double kEnoughForTiles = 2.0;
  constexpr double kEnoughForLines = 0.7;
  // Of the fullest bin, per pixel of a line; at the angle where that is least.
  double least_share = std::numeric_limits<double>::infinity();
  for (int t = 0; t < half_thetas(grid); ++t)
    least_share =
        std::min(least_share, pixels_of_fullest_bin(grid, t) / scan_length(grid, scan_of(grid, t)));
  if (least_share >= kEnoughForTiles) return hough_forward;
  return least_share >= kEnoughForLines ? hough_forward_by_line : hough_forward_wide;
}

// The error of a running sum along a line grows with the square root of its length and, where bins
// are narrow, with the number of steps that meet at a pixel; that of plain addition grows with the
// square root of T. The threshold was found by measurement.
FloatKernel adjoint_kernel(const HoughGrid& grid) {
  constexpr double kMostRoundings = 4.4;
  const double longest = std::max(grid.frame().width, grid.frame().height);
  double runs = 0.0;  // the most runs of a line
  for (int t = 0; t < half_thetas(grid); ++t)
    runs = std::max(runs, runs_of_line(grid, scan_of(grid, t), t));
  const double roundings = longest / grid.thetas() + runs * runs / (20.0 * longest);
  if (roundings > kMostRoundings) return hough_adjoint_wide;
  return hough_adjoint;
}

// No bin holds more pixels than this.
double most_pixels_of_a_bin(const HoughGrid& grid) {
  double most = 0.0;
  for (int t = 0; t < half_thetas(grid); ++t) {
    const bool rows = scan_of(grid, t) == Scan::kRows;
    const double lines = rows ? grid.frame().height : grid.frame().width;
    most = std::max(most, lines * longest_run(grid, t));
  }
  return most;
}

// Calls kernel(plan, input, output, memory) for every image of a batch.
template <class Kernel, class Input, class Output>
void for_each_image(const HoughPlan& plan, const Kernel& kernel, const Input* inputs,
                    std::size_t input_size, Output* outputs, std::size_t output_size,
                    std::size_t count, HoughScratch& scratch) {
  void* memory = scratch.reserve(hough_scratch_bytes(plan));
  for (std::size_t b = 0; b < count; ++b)
    kernel(plan, inputs + b * input_size, outputs + b * output_size, memory);
}

}  // namespace

void* HoughScratch::reserve(std::size_t bytes) {
  constexpr std::size_t kAlignment = 64;
  if (storage_.size() < bytes + kAlignment) storage_.resize(bytes + kAlignment);
  void* start = storage_.data();
  std::size_t space = storage_.size();
  return std::align(kAlignment, bytes, start, space);
}

HoughTransform::HoughTransform(const HoughGrid& grid)
    : grid_(grid),
      forward_(forward_kernel(grid)),
      adjoint_(adjoint_kernel(grid)),
      bytes_in_pairs_(runs_fit_16_bits(grid)),
      short_runs_(find_short_runs(grid)) {
  if (BinEdges::worth_keeping(grid)) edges_ = std::make_shared<const BinEdges>(grid);
}

HoughPlan HoughTransform::plan() const { return {grid_, edges_.get(), short_runs_.data()}; }

std::size_t HoughTransform::batch_of(std::size_t pixels, std::size_t cells) const {
  const std::size_t batch = pixels / grid_.frame().pixels();
  if (batch * grid_.frame().pixels() != pixels || batch * grid_.cells() != cells)
    throw Error(std::to_string(pixels) + " pixels and " + std::to_string(cells) +
                " cells do not make up the same number of images and accumulators of this grid");
  return batch;
}

void HoughTransform::forward(std::span<const float> images, std::span<float> accumulators,
                             HoughScratch& scratch) const {
  for_each_image(plan(), forward_, images.data(), grid_.frame().pixels(), accumulators.data(),
                 grid_.cells(), batch_of(images.size(), accumulators.size()), scratch);
}

void HoughTransform::forward(std::span<const double> images, std::span<double> accumulators,
                             HoughScratch& scratch) const {
  void (*const kernel)(const HoughPlan&, const double*, double*, void*) = hough_forward;
  for_each_image(plan(), kernel, images.data(), grid_.frame().pixels(), accumulators.data(),
                 grid_.cells(), batch_of(images.size(), accumulators.size()), scratch);
}

void HoughTransform::forward(std::span<const std::uint8_t> images,
                             std::span<std::uint32_t> accumulators, HoughScratch& scratch) const {
  constexpr double kMostSum = 4294967295.0;
  if (most_pixels_of_a_bin(grid_) * 255.0 > kMostSum) {
    const auto counts = pixel_counts();
    const double most = *std::max_element(counts.begin(), counts.end());
    if (most * 255.0 > kMostSum)
      throw Error(
          "a bin of this grid holds " + std::to_string(static_cast<long long>(most)) +
          " pixels, so the sum of their 8-bit values may exceed 32 bits; use more offsets R");
  }
  vote_bytes(images, accumulators, scratch);
}

void HoughTransform::vote_bytes(std::span<const std::uint8_t> images,
                                std::span<std::uint32_t> accumulators,
                                HoughScratch& scratch) const {
  void (*const single)(const HoughPlan&, const std::uint8_t*, std::uint32_t*, void*) =
      hough_forward;
  const std::size_t batch = batch_of(images.size(), accumulators.size());
  const std::size_t pixels = grid_.frame().pixels();
  const std::size_t paired = bytes_in_pairs_ ? batch / 2 * 2 : 0;
  const std::uint8_t* image = images.data();
  std::uint32_t* votes = accumulators.data();
  void* memory = scratch.reserve(hough_scratch_bytes(plan()));
  for (std::size_t b = 0; b < paired; b += 2, image += 2 * pixels, votes += 2 * grid_.cells())
    hough_forward_pair(plan(), image, image + pixels, votes, votes + grid_.cells(), memory);
  for_each_image(plan(), single, image, pixels, votes, grid_.cells(), batch - paired, scratch);
}

void HoughTransform::adjoint(std::span<const float> accumulators, std::span<float> images,
                             HoughScratch& scratch) const {
  for_each_image(plan(), adjoint_, accumulators.data(), grid_.cells(), images.data(),
                 grid_.frame().pixels(), batch_of(images.size(), accumulators.size()), scratch);
}

void HoughTransform::adjoint(std::span<const double> accumulators, std::span<double> images,
                             HoughScratch& scratch) const {
  void (*const kernel)(const HoughPlan&, const double*, double*, void*) = hough_adjoint;
  for_each_image(plan(), kernel, accumulators.data(), grid_.cells(), images.data(),
                 grid_.frame().pixels(), batch_of(images.size(), accumulators.size()), scratch);
}

std::vector<std::uint32_t> HoughTransform::pixel_counts() const {
  // The transform of an image of ones; 2^28 pixels cannot overflow 32 bits.
  const std::vector<std::uint8_t> ones(grid_.frame().pixels(), 1);
  std::vector<std::uint32_t> counts(grid_.cells());
  HoughScratch scratch;
  vote_bytes(ones, counts, scratch);
  return counts;
}

}  // namespace vsmax
