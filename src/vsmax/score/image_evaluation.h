// SPDX-License-Identifier: Apache-2.0
// Scores of answers on labelled images in which one line is to be found. docs/data.md defines the
// measures.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "vsmax/recover/line_recoverer.h"

namespace vsmax {

// The score of one image.
struct LineScore {
  double ea = 0.0;
  double confidence = 0.0;
  // Only for an answer that meets the image:
  std::optional<double> angle;   // between the two lines, in degrees
  std::optional<double> offset;  // between the midpoints of their visible segments, in pixels
};

// The first line of the answer against the labelled one. Without a line, EA and confidence are 0.
LineScore score_line(const Recovery& answer, PixelLine truth, const ImageFrame& frame);

// How the confidence compares with the EA-score it predicts.
struct Calibration {
  struct Bin {
    std::size_t count = 0;
    double confidence = 0.0;  // mean
    double ea = 0.0;          // mean
  };
  std::vector<Bin> bins;  // of equal count, by increasing confidence; empty bins are left out
  double error = 0.0;     // expected calibration error: the mean gap, weighted by count
  double chance = 0.0;    // the error to expect from so many images if the confidence is right
};

// Images of equal confidence share their mean EA, so that the result does not depend on their
// order.
Calibration calibrate(std::span<const LineScore> scores, std::size_t bins = 10);

struct MeanAndMedian {
  double mean = 0.0;
  double median = 0.0;
};

struct LineSummary {
  std::size_t count = 0;  // images
  std::size_t found = 0;  // images with an answer that meets them
  MeanAndMedian ea;
  double ea_percentile_5 = 0.0;
  double below_half = 0.0;  // share of the images with EA < 0.5
  MeanAndMedian angle;      // over the images with an answer; NaN if there are none
  MeanAndMedian offset;
  Calibration calibration;
};

// Needs at least one score.
LineSummary summarize(std::span<const LineScore> scores);

// The value below which this share of the values lies, interpolated linearly between neighbours;
// NaN for no values.
double quantile(std::vector<double> values, double share);

}  // namespace vsmax
