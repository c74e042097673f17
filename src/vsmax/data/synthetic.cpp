// SPDX-License-Identifier: Apache-2.0
#include "vsmax/data/synthetic.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <limits>
#include <numbers>

namespace vsmax {

namespace {

// The piece of a line that is drawn, as an interval of positions along the line.
struct Piece {
  double begin = -std::numeric_limits<double>::infinity();
  double end = std::numeric_limits<double>::infinity();

  bool holds(double position) const { return position >= begin && position <= end; }
};

double position_along(PixelLine line, double x, double y) {
  return y * std::cos(line.theta) - x * std::sin(line.theta);
}

Piece piece_of(PixelLine line, const ImageFrame& frame, double visible, const SampleKey& key,
               std::uint32_t index) {
  if (visible >= 1.0) return {};
  const auto seen = visible_segment(line, frame);
  if (!seen) return {};
  const auto [first, last] = std::minmax({position_along(line, seen->begin[0], seen->begin[1]),
                                          position_along(line, seen->end[0], seen->end[1])});
  const PhiloxBlock block = draw(key, Stream::kStroke, index);
  const double begin = first + (1.0 - visible) * (last - first) *
                                   static_cast<double>(uniform_from_word(block.word[0]));
  return {begin, begin + visible * (last - first)};
}

void add_noise(double sigma, const SampleKey& key, std::span<float> pixels) {
  const auto deviation = static_cast<float>(sigma);
  for (std::uint32_t block = 0; !pixels.empty(); ++block) {
    const NormalBlock normal = normal_block(draw(key, Stream::kNoise, block));
    const std::span<float> four = pixels.first(std::min<std::size_t>(pixels.size(), 4));
    const float* noise = normal.value;
    for (float& pixel : four) pixel = noisy_pixel(pixel != 0.0F, deviation, *noise++);
    pixels = pixels.subspan(four.size());
  }
}

}  // namespace

LineInk line_ink(PixelLine line, double width) {
  const double c = std::cos(line.theta);
  const double s = std::sin(line.theta);
  return {c, s, line.rho, 0.5 * width * std::max(std::abs(c), std::abs(s))};
}

void render_line(const ImageFrame& frame, PixelLine line, double sigma, const SampleKey& key,
                 std::span<float> pixels, const Stroke& stroke) {
  render_lines(frame, {&line, 1}, sigma, key, pixels, stroke);
}

void render_lines(const ImageFrame& frame, std::span<const PixelLine> lines, double sigma,
                  const SampleKey& key, std::span<float> pixels, const Stroke& stroke) {
  assert(pixels.size() == frame.pixels());
  std::fill(pixels.begin(), pixels.end(), 0.0F);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const LineInk ink = line_ink(lines[i], stroke.width);
    const Piece piece =
        piece_of(lines[i], frame, stroke.visible, key, static_cast<std::uint32_t>(i));
    for (int row = 0; row < frame.height; ++row)
      for (int column = 0; column < frame.width; ++column)
        if (ink.covers(frame.x(column), frame.y(row)) &&
            piece.holds(position_along(lines[i], frame.x(column), frame.y(row))))
          pixels[frame.index(column, row)] = 1.0F;
  }
  if (sigma != 0.0) add_noise(sigma, key, pixels);
  if (stroke.dark)
    for (float& pixel : pixels) pixel = 1.0F - pixel;
}

double draw_sigma(const SampleKey& key, double largest) {
  const PhiloxBlock block = draw(key, Stream::kSigma, 0);
  return largest * static_cast<double>(uniform_from_word(block.word[0]));
}

std::uint32_t permuted_index(const SampleKey& key, std::uint32_t count) {
  // A Feistel network permutes the numbers of 2h bits; applying it again while the result is
  // outside 0 .. count-1 ("cycle walking") leaves a permutation of the rest. At most 4 * count
  // numbers have 2h bits, so this takes few steps.
  constexpr std::uint32_t kRounds = 8;
  const auto bits = static_cast<std::uint32_t>(std::bit_width(count - 1));
  const std::uint32_t half = std::max(1U, (bits + 1U) / 2U);
  const std::uint32_t mask = (1U << half) - 1U;
  SampleKey round_key = key;
  std::uint32_t value = key.index;
  do {
    std::uint32_t left = value >> half;
    std::uint32_t right = value & mask;
    for (std::uint32_t round = 0; round < kRounds; ++round) {
      round_key.index = right;
      const std::uint32_t mixed =
          left ^ (draw(round_key, Stream::kPermutation, round).word[0] & mask);
      left = right;
      right = mixed;
    }
    value = (left << half) | right;
  } while (value >= count);
  return value;
}

PixelLine draw_continuous_line(const SampleKey& key, const ImageFrame& frame) {
  for (std::uint32_t attempt = 0;; ++attempt) {
    const PhiloxBlock block = draw(key, Stream::kLine, attempt);
    const double theta = std::numbers::pi * static_cast<double>(uniform_from_word(block.word[0]));
    const double rho =
        frame.half_diagonal() * (2.0 * static_cast<double>(uniform_from_word(block.word[1])) - 1.0);
    if (std::abs(rho) < frame.reach(std::cos(theta), std::sin(theta))) return {theta, rho};
  }
}

}  // namespace vsmax
