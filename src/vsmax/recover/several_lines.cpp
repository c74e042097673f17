// SPDX-License-Identifier: Apache-2.0
#include "vsmax/recover/several_lines.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <utility>

#include "vsmax/evidence/erase_line.h"

namespace vsmax {
namespace {

// Fisher and Yates, with the generator of Steele et al. (SplitMix64). Always the same order.
template <class Value>
void shuffle(std::vector<Value>& values) {
  std::uint64_t state = 0;
  for (std::size_t i = values.size(); i > 1; --i) {
    std::uint64_t word = state += 0x9E3779B97F4A7C15ULL;
    word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9ULL;
    word = (word ^ (word >> 27)) * 0x94D049BB133111EBULL;
    std::swap(values[i - 1], values[(word ^ (word >> 31)) % i]);
  }
}

// The lines found so far.
class Found {
 public:
  Found(const HoughGrid& grid, const LinesWanted& wanted) : grid_(grid), wanted_(wanted) {}

  bool enough() const {
    return std::count_if(lines_.begin(), lines_.end(),
                         [&](const auto& line) { return is_wanted(line); }) >= wanted_.most;
  }

  void add(const LineInFrame& found) {
    const double limit = merge_distance(grid_) * merge_distance(grid_);
    const LineVector vector = vector_from_line(unit_from_pixel(found.line, grid_.frame()));
    for (const LineInFrame& other : lines_)
      if (squared_chordal_distance(
              vector, vector_from_line(unit_from_pixel(other.line, grid_.frame()))) <= limit)
        return;
    lines_.push_back(found);
  }

  // Those that are wanted.
  std::vector<LineInFrame> by_confidence() && {
    std::erase_if(lines_, [&](const auto& line) { return !is_wanted(line); });
    std::stable_sort(lines_.begin(), lines_.end(), [](const LineInFrame& a, const LineInFrame& b) {
      return a.confidence > b.confidence;
    });
    return std::move(lines_);
  }

 private:
  bool is_wanted(const LineInFrame& line) const {
    return line.confidence >= wanted_.min_confidence;
  }

  const HoughGrid& grid_;
  const LinesWanted& wanted_;
  std::vector<LineInFrame> lines_;
};

// The search ends with a line of which even less can be expected. It does not end with one that is
// merely too weak to be reported, so that a higher bound leaves out lines and changes no other.
constexpr double kHopeless = 0.2;

}  // namespace

double merge_distance(const HoughGrid& grid) {
  return std::numbers::sqrt2 * std::sin(std::numbers::pi / std::max(grid.thetas(), 2));
}

// What the model makes of the same pixels in random order, where no line is left.
double SeveralLines::background_of_noise(Stages& stages, const Evidence& evidence,
                                         const ImageStatistics& statistics, int threads) {
  residual_.assign(evidence.pixels.begin(), evidence.pixels.end());
  residual_gradients_.assign(evidence.gradients.begin(), evidence.gradients.end());
  shuffle(residual_);
  shuffle(residual_gradients_);
  stages.vote(residual_, residual_gradients_);
  stages.refine(statistics, threads);
  return stages.background_of_noise();
}

void SeveralLines::erase(const Evidence& evidence, PixelLine line, bool dark) {
  const auto negate = [&] {
    for (float& value : residual_) value = -value;
  };
  if (dark) negate();
  erase_line(residual_, evidence.frame, line);
  if (dark) negate();
  if (!residual_gradients_.empty()) erase_edge(residual_gradients_, evidence.frame, line);
}

std::vector<LineInFrame> SeveralLines::operator()(
    const Model& model, Stages& stages, const Evidence& evidence, const ImageStatistics& statistics,
    const LinesWanted& wanted, const std::optional<LineInFrame>& first, int threads) {
  Found found(stages.grid(), wanted);
  stages.vote(evidence.pixels, evidence.gradients);
  stages.refine(statistics, threads);
  if (model.spec.several) {
    for (const Cell peak : stages.peaks(wanted.min_confidence)) {
      if (found.enough()) break;
      found.add(stages.read_peak(peak, 0.0));
    }
    return std::move(found).by_confidence();
  }

  // Most photographs hold nothing for a model of thin lines, and that can be told at once.
  constexpr double kCertain = -std::numeric_limits<double>::infinity();
  const double hopeless = std::min(wanted.min_confidence, kHopeless);
  if (!first && stages.read_peak(stages.highest_peak(), kCertain).confidence < hopeless) return {};

  const bool dark = stages.dark();
  const double background = background_of_noise(stages, evidence, statistics, threads);
  residual_.assign(evidence.pixels.begin(), evidence.pixels.end());
  residual_gradients_.assign(evidence.gradients.begin(), evidence.gradients.end());
  if (first) {
    found.add(*first);
    erase(evidence, first->line, dark);
  }
  // A line that was not erased well enough is found again, but not for ever.
  for (int attempt = 0; attempt < 2 * wanted.most && !found.enough(); ++attempt) {
    const ImageStatistics rest = image_statistics(residual_);
    if (rest.deviation == 0.0) break;
    stages.vote(residual_, residual_gradients_);
    // The deviation stays that of the image: in an image without noise, crumbs of erased lines
    // would otherwise stand out from nothing.
    stages.refine({rest.mean, statistics.deviation}, threads);
    const LineInFrame line = stages.read_peak(stages.highest_peak(), background);
    if (!(line.confidence >= hopeless)) break;
    found.add(line);
    erase(evidence, line.line, stages.dark());
  }
  return std::move(found).by_confidence();
}

}  // namespace vsmax
