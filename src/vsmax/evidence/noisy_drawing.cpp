// SPDX-License-Identifier: Apache-2.0
#include "vsmax/evidence/noisy_drawing.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace vsmax {
namespace {

constexpr std::size_t kChannel = 1;     // green; in a grey image, all channels are equal
constexpr int kSide = 8;                // of a square; that of the blocks of a JPEG
constexpr int kMostSquareRows = 48;     // of squares; enough to judge an image by
constexpr std::size_t kEnough = 64;     // squares
constexpr float kStep = 1.0F / 255.0F;  // of 8 bits

struct Square {
  float mean, deviation, darkest, brightest;
};

// The sums are kept by column, which compilers turn into vector instructions.
class SquareSum {
 public:
  void add(const float* pixels) {
    if (rows_++ == 0) first_ = pixels[0];
    for (std::size_t i = 0; i < kSide; ++i) {
      const float value = pixels[i] - first_;  // exactly 0 if all pixels are equal
      sum_[i] += value;
      squares_[i] += value * value;
      lowest_[i] = value < lowest_[i] ? value : lowest_[i];
      highest_[i] = value > highest_[i] ? value : highest_[i];
    }
  }

  Square result() const {
    const auto count = static_cast<float>(rows_ * kSide);
    const float mean = std::accumulate(sum_.begin(), sum_.end(), 0.0F) / count;
    const float square = std::accumulate(squares_.begin(), squares_.end(), 0.0F) / count;
    return {first_ + mean, std::sqrt(std::max(0.0F, square - mean * mean)),
            first_ + *std::min_element(lowest_.begin(), lowest_.end()),
            first_ + *std::max_element(highest_.begin(), highest_.end())};
  }

 private:
  using Columns = std::array<float, kSide>;
  int rows_ = 0;
  float first_ = 0.0F;
  Columns sum_{}, squares_{}, lowest_{}, highest_{};
};

// Rows of squares, spread evenly over the image.
std::vector<Square> squares_of(const ImageView& image) {
  const auto [width, height] = image.frame();
  const int columns = width / kSide;
  const int rows = std::min(height / kSide, kMostSquareRows);
  std::vector<Square> squares;
  std::vector<float> pixels(static_cast<std::size_t>(width));
  for (int row = 0; row < rows; ++row) {
    const auto top = static_cast<int>(std::int64_t{row} * (height / kSide) / rows) * kSide;
    std::vector<SquareSum> sums(static_cast<std::size_t>(columns));
    for (int y = top; y < top + kSide; ++y) {
      image.copy_channel_to(kChannel, y, pixels.data());
      for (std::size_t i = 0; i < sums.size(); ++i) sums[i].add(pixels.data() + i * kSide);
    }
    for (const SquareSum& sum : sums) squares.push_back(sum.result());
  }
  return squares;
}

// The deviation that two thirds of the squares have at most: JPEG leaves no noise in many of them.
float noise_of(std::vector<float> deviations) {
  if (deviations.empty()) return 0.0F;
  const auto most = deviations.begin() + static_cast<std::ptrdiff_t>(2 * deviations.size() / 3);
  std::nth_element(deviations.begin(), most, deviations.end());
  return *most;
}

struct Levels {
  std::size_t count = 0;
  std::size_t squares = 0;  // on one of the levels
  float brightest = 0.0F;
};

// Takes the levels that have at least `fewest` of the means, the most frequent first. A level also
// takes up what is a little off it, so that a gradient does not pass for many levels.
Levels levels_of(std::vector<float> means, float tolerance, std::size_t fewest) {
  constexpr float kApart = 3.0F;
  std::sort(means.begin(), means.end());
  Levels levels;
  for (;;) {
    std::size_t begin = 0;
    std::size_t most = 0;
    for (std::size_t i = 0, end = 0; i < means.size(); ++i) {
      while (end < means.size() && means[end] <= means[i] + 2.0F * tolerance) ++end;
      if (end - i > most) {
        begin = i;
        most = end - i;
      }
    }
    if (most == 0 || most < fewest) return levels;
    const float level = means[begin] + 0.5F * (means[begin + most - 1] - means[begin]);
    levels.brightest = levels.count == 0 ? level : std::max(levels.brightest, level);
    ++levels.count;
    levels.squares += most;
    std::erase_if(means, [&](float mean) { return std::abs(mean - level) <= kApart * tolerance; });
  }
}

}  // namespace

bool is_noisy_drawing(const ImageView& image) {
  constexpr float kSlight = 0.03F;    // of the range: the most noise
  constexpr float kSharp = 0.25F;     // of the range: squares with an edge say nothing
  constexpr double kOnLevels = 0.5;   // of all squares
  constexpr double kOfSmooth = 0.85;  // of those without an edge; photographs stay below 0.8
  constexpr double kFewest = 0.01;    // of all squares: a level

  const std::vector<Square> squares = squares_of(image);
  if (squares.size() < kEnough) return false;
  float darkest = squares.front().darkest;
  float brightest = squares.front().brightest;
  for (const Square& square : squares) {
    if (!std::isfinite(square.mean)) return false;
    darkest = std::min(darkest, square.darkest);
    brightest = std::max(brightest, square.brightest);
  }
  const float range = brightest - darkest;
  std::vector<float> deviations;
  for (const Square& square : squares)
    if (square.brightest - square.darkest < kSharp * range) deviations.push_back(square.deviation);
  const std::size_t smooth = deviations.size();
  const float noise = noise_of(std::move(deviations));
  // Without any noise, the ground may be overexposed.
  if (!(noise > 0.0F && noise <= kSlight * range)) return false;

  std::vector<float> flat;  // means
  for (const Square& square : squares)
    if (square.deviation <= 2.0F * noise + kStep) flat.push_back(square.mean);
  const auto all = static_cast<double>(squares.size());
  if (static_cast<double>(flat.size()) < kOnLevels * all) return false;
  const Levels levels = levels_of(std::move(flat), kStep + 3.0F * noise / kSide,
                                  static_cast<std::size_t>(std::ceil(kFewest * all)));
  // Lights in the dark are the night.
  const float dark = levels.count == 1 ? 0.5F : 0.25F;  // of the range
  const bool night = levels.brightest < darkest + dark * range;
  const auto on_levels = static_cast<double>(levels.squares);
  return !night && on_levels >= kOnLevels * all &&
         on_levels >= kOfSmooth * static_cast<double>(smooth);
}

}  // namespace vsmax
