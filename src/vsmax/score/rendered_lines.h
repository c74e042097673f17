// SPDX-License-Identifier: Apache-2.0
// The synthetic lines of an evaluation and their images.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "vsmax/image/gray_image.h"
#include "vsmax/score/evaluation.h"

namespace vsmax {

class RenderedLines {
 public:
  RenderedLines(const EvaluationOptions& options, double sigma);

  const ImageFrame& frame() const { return options_.grid.frame(); }
  std::size_t count() const { return lines_.size(); }
  PixelLine line(std::size_t index) const { return lines_[index]; }

  // Draws the image of a line; its noise depends on the seed and the index only. `image` is memory
  // that one worker reuses.
  const GrayImage& render(std::size_t index, GrayImage& image) const;

  // The scores of all lines, with their means over all, seam and interior.
  Evaluation evaluation(std::vector<double> scores) const;

 private:
  SampleKey key(std::size_t index) const;

  EvaluationOptions options_;
  double sigma_;
  std::vector<std::uint32_t> indices_;  // among all lines
  std::vector<PixelLine> lines_;
};

// How many lines there are to score, whatever options.sample says.
std::size_t available_lines(EvaluationOptions options);

// Reports progress from several threads.
class ProgressCounter {
 public:
  ProgressCounter(const Progress& progress, std::size_t total)
      : progress_(progress), total_(total) {}

  // To be called after each line. Throws Interrupted if `progress` returns false.
  void advance();

 private:
  const Progress& progress_;
  std::size_t total_;
  std::size_t done_ = 0;
  std::mutex mutex_;
};

}  // namespace vsmax
