// SPDX-License-Identifier: Apache-2.0
#include "vsmax/ceiling/posterior.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "vsmax/base/error.h"
#include "vsmax/ceiling/pixel_evidence.h"
#include "vsmax/data/synthetic.h"

namespace vsmax {
namespace {

// The pixels of one rendered line (Eq. 28). In each row of a steep line they lie within half a
// column of the line, in each column of a flat one within half a row; LineInk decides which.
void append_pixels(const ImageFrame& frame, PixelLine line, std::vector<std::uint32_t>& pixels) {
  const LineInk ink = line_ink(line);
  const bool steep = std::abs(ink.cosine) >= std::abs(ink.sine);
  const int along = steep ? frame.height : frame.width;
  const int across = steep ? frame.width : frame.height;
  for (int i = 0; i < along; ++i) {
    const double passes =
        steep ? (ink.rho - frame.y(i) * ink.sine) / ink.cosine + frame.half_width()
              : (ink.rho - frame.x(i) * ink.cosine) / ink.sine + frame.half_height();
    if (passes < -1.0 || passes > across) continue;
    const int nearest = static_cast<int>(std::lround(passes));
    for (int j = std::max(0, nearest - 1); j <= std::min(across - 1, nearest + 1); ++j) {
      const int column = steep ? j : i;
      const int row = steep ? i : j;
      if (ink.covers(frame.x(column), frame.y(row)))
        pixels.push_back(static_cast<std::uint32_t>(frame.index(column, row)));
    }
  }
}

// Four independent sums hide the latency of the additions.
double sum_over(const double* evidence, const std::uint32_t* begin, const std::uint32_t* end) {
  double sums[4] = {};
  for (; end - begin >= 4; begin += 4)
    for (std::size_t lane = 0; lane < 4; ++lane) sums[lane] += evidence[begin[lane]];
  for (; begin != end; ++begin) sums[0] += evidence[*begin];
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

// Turns the logarithms of weights into those of probabilities.
void normalize(std::vector<double>& logarithms) {
  const double largest = *std::max_element(logarithms.begin(), logarithms.end());
  double sum = 0.0;
  for (const double value : logarithms) sum += std::exp(value - largest);
  const double shift = largest + std::log(sum);
  for (double& value : logarithms) value -= shift;
}

// The heaviest cells in descending order, cut off as in posterior.h. Returns the mass left out.
double keep_heaviest(const std::vector<double>& log_probabilities,
                     std::vector<WeightedCell>& distribution) {
  // All cells below this together weigh less than 1 - kMass.
  const double negligible =
      std::log((1.0 - LinePosterior::kMass) / static_cast<double>(log_probabilities.size()));
  distribution.clear();
  for (std::size_t i = 0; i < log_probabilities.size(); ++i)
    if (log_probabilities[i] > negligible)
      distribution.push_back({i, std::exp(log_probabilities[i])});
  std::sort(distribution.begin(), distribution.end(),
            [](const WeightedCell& a, const WeightedCell& b) {
              return a.weight != b.weight ? a.weight > b.weight : a.cell < b.cell;
            });
  double mass = 0.0;
  std::size_t kept = 0;
  while (kept < std::min(distribution.size(), LinePosterior::kMostCells) &&
         mass < LinePosterior::kMass)
    mass += distribution[kept++].weight;
  distribution.resize(kept);
  return std::max(0.0, 1.0 - mass);
}

}  // namespace

LinePosterior::LinePosterior(const HoughGrid& grid)
    : grid_(grid), cells_(grid.resolvable_cells()), scores_(grid) {
  for (const Cell cell : cells_) {
    embeddings_.push_back(embedding_from_line(grid.shape().line(cell)));
    append_pixels(grid.frame(), grid.line(cell), pixels_);
    ends_.push_back(pixels_.size());
  }
}

const std::vector<double>& LinePosterior::log_probabilities(const GrayImage& image, double sigma,
                                                            Scratch& scratch) const {
  const ImageFrame& frame = grid_.frame();
  if (!(image.frame() == frame))
    throw Error("an image of " + std::to_string(image.width) + "x" + std::to_string(image.height) +
                " pixels does not fit a posterior over lines of " + std::to_string(frame.width) +
                "x" + std::to_string(frame.height));
  const PixelEvidence evidence_of(sigma);
  scratch.evidence.resize(image.pixels.size());
  std::transform(image.pixels.begin(), image.pixels.end(), scratch.evidence.begin(), evidence_of);

  scratch.log_probabilities.resize(cells_.size());
  const std::uint32_t* begin = pixels_.data();
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    const std::uint32_t* end = pixels_.data() + ends_[i];
    scratch.log_probabilities[i] = sum_over(scratch.evidence.data(), begin, end);  // Eq. 32
    begin = end;
  }
  normalize(scratch.log_probabilities);
  return scratch.log_probabilities;
}

PosteriorEstimates LinePosterior::operator()(const GrayImage& image, double sigma,
                                             Scratch& scratch) const {
  const auto& logarithms = log_probabilities(image, sigma, scratch);
  PosteriorEstimates estimates;
  const auto largest = std::max_element(logarithms.begin(), logarithms.end()) - logarithms.begin();
  estimates.maximum = grid_.line(cells_[static_cast<std::size_t>(largest)]);
  estimates.barycentre = barycentre_line(logarithms);
  estimates.mass_left_out = keep_heaviest(logarithms, scratch.distribution);
  estimates.best_expected =
      grid_.line(cells_[scores_.best_expected(scratch.distribution, scratch.candidates)]);
  return estimates;
}

PixelLine LinePosterior::barycentre_line(const std::vector<double>& log_probabilities) const {
  LineEmbedding mean{};
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    const double p = std::exp(log_probabilities[i]);
    for (std::size_t k = 0; k < mean.size(); ++k) mean[k] += p * embeddings_[i][k];
  }
  return pixel_from_unit(line_from_embedding(mean).line, grid_.frame());
}

}  // namespace vsmax
