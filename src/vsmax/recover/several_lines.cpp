// SPDX-License-Identifier: Apache-2.0
#include "vsmax/recover/several_lines.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <optional>
#include <utility>

#include "vsmax/evidence/erase_line.h"

namespace vsmax {
namespace {

// Fisher-Yates shuffle, with SplitMix64 (Steele et al.) from a fixed seed: always the same order.
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
    const auto is_duplicate = [&](const LineInFrame& other) {
      return closer_than(merge_distance(grid_), found.line, other.line, grid_.frame());
    };
    if (std::none_of(lines_.begin(), lines_.end(), is_duplicate)) lines_.push_back(found);
  }

  // Only the lines that are wanted.
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

// At the first line with a lower confidence, the search stops, or goes on if such lines are wanted;
// none of those found later is more certain than that one. It does not stop at a line that is
// merely too weak to be reported, so that min_confidence only decides which lines are left out.
constexpr double kHopeless = 0.2;

}  // namespace

double merge_distance(const HoughGrid& grid) {
  return std::numbers::sqrt2 * std::sin(std::numbers::pi / std::max(grid.thetas(), 2));
}

bool closer_than(double distance, PixelLine one, PixelLine other, const ImageFrame& frame) {
  return squared_chordal_distance(vector_from_line(unit_from_pixel(one, frame)),
                                  vector_from_line(unit_from_pixel(other, frame))) <=
         distance * distance;
}

// The model's background, measured on the same pixels in random order, where no line is left.
double SeveralLines::background_of_noise(Stages& stages, const Evidence& evidence,
                                         const ImageStatistics& statistics, int threads) {
  residual_.assign(evidence.pixels.begin(), evidence.pixels.end());
  residual_gradients_.assign(evidence.gradients.begin(), evidence.gradients.end());
  shuffle(residual_);
  shuffle(residual_gradients_);
  stages.vote(residual_, residual_gradients_, {});
  stages.refine(statistics, threads);
  return stages.background_of_noise();
}

void SeveralLines::erase(const Evidence& evidence, const LineInFrame& found) {
  for (auto* pixels : {&residual_, &residual_seen_}) {
    if (pixels->empty()) continue;
    const auto negate = [&] {
      for (float& value : *pixels) value = -value;
    };
    if (found.dark) negate();
    erase_line(*pixels, evidence.frame, found.line);
    if (found.dark) negate();
  }
  if (!residual_gradients_.empty()) erase_edge(residual_gradients_, evidence.frame, found.line);
}

std::vector<LineInFrame> SeveralLines::operator()(
    const Model& model, Stages& stages, const Evidence& evidence, const ImageStatistics& statistics,
    const LinesWanted& wanted, const std::optional<LineInFrame>& first, int threads) {
  Found found(stages.grid(), wanted);
  stages.vote(evidence.pixels, evidence.gradients, evidence.seen);
  stages.refine(statistics, threads);
  if (model.spec.several) {
    for (const Cell peak : stages.peaks(wanted.min_confidence)) {
      if (found.enough()) break;
      found.add(stages.read_peak(peak, 0.0));
    }
    return std::move(found).by_confidence();
  }

  // Most photographs hold no thin line. Return early if the highest peak is hopeless even when
  // taken for a line with certainty.
  constexpr double kCertain = -std::numeric_limits<double>::infinity();
  const double hopeless = std::min(wanted.min_confidence, kHopeless);
  const bool edges = !evidence.gradients.empty();
  if (!edges && !first && stages.read_peak(stages.highest_peak(), kCertain).confidence < hopeless)
    return {};

  const double background = background_of_noise(stages, evidence, statistics, threads);
  residual_.assign(evidence.pixels.begin(), evidence.pixels.end());
  residual_seen_.assign(evidence.seen.begin(), evidence.seen.end());
  residual_gradients_.assign(evidence.gradients.begin(), evidence.gradients.end());
  if (first) {
    found.add(*first);
    erase(evidence, *first);
  }
  // In drawings, rows of text may have higher peaks than the edges of the shapes.
  const int most_passed_over = edges ? 4 : 0;
  int passed_over = 0;
  // A line that was not erased completely is found again, hence the limit on the attempts.
  std::optional<double> limit;  // of the confidences, once a line was hopeless
  for (int attempt = 0; attempt < 2 * wanted.most && !found.enough(); ++attempt) {
    const ImageStatistics rest = image_statistics(residual_);
    if (rest.deviation == 0.0) break;
    stages.vote(residual_, residual_gradients_, residual_seen_);
    // Whiten with the deviation of the whole image: in an image without noise, the remains of
    // erased lines would otherwise stand out.
    stages.refine({rest.mean, statistics.deviation}, threads);
    LineInFrame line = stages.read_peak(stages.highest_peak(), background);
    if (!(line.confidence >= kHopeless) && passed_over++ == most_passed_over)
      limit = line.confidence;
    if (limit) {
      if (!(line.confidence >= hopeless)) break;
      line.confidence = std::min(line.confidence, *limit);
    }
    found.add(line);
    erase(evidence, line);
  }
  return std::move(found).by_confidence();
}

}  // namespace vsmax
