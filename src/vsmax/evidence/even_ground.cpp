// SPDX-License-Identifier: Apache-2.0
#include "vsmax/evidence/even_ground.h"

#include <algorithm>
#include <cstddef>

namespace vsmax {
namespace {

// Of the square, in pixels: wider than any thin line.
constexpr int kLeastReach = 8;
constexpr int kMostReach = 32;
constexpr int kParts = 32;  // of the shorter side

constexpr double kUneven = 0.25;  // the ground's share of the variance

int reach_for(const ImageFrame& frame) {
  return std::clamp(std::min(frame.width, frame.height) / kParts, kLeastReach, kMostReach);
}

// The variance of values that are added one by one.
class Variance {
 public:
  void add(double value) {
    count_ += 1.0;
    sum_ += value;
    squares_ += value * value;
  }
  double value() const { return squares_ / count_ - sum_ / count_ * (sum_ / count_); }

 private:
  double count_ = 0.0;
  double sum_ = 0.0;
  double squares_ = 0.0;
};

// Visits the windows of moving means over `count` places: up to `reach` places to either side, and
// equally many, so that the mean of a gradient is its value in the middle, at the borders, too.
// Calls add(place) and remove(place) for those that enter and leave, then mean(place, how many).
template <class Add, class Remove, class Mean>
void for_windows(int count, int reach, const Add& add, const Remove& remove, const Mean& mean) {
  int begin = 0;
  int end = 0;
  for (int i = 0; i < count; ++i) {
    const int side = std::min({reach, i, count - 1 - i});
    while (end <= i + side) add(end++);
    while (begin < i - side) remove(begin++);
    mean(i, end - begin);
  }
}

}  // namespace

std::optional<Evidence> EvenGround::operator()(const Evidence& evidence) {
  const ImageFrame& frame = evidence.frame;
  const int reach = reach_for(frame);
  const auto width = static_cast<std::size_t>(frame.width);
  rows_.resize(frame.pixels());
  even_.resize(frame.pixels());
  for (int row = 0; row < frame.height; ++row) {
    const float* from = evidence.pixels.data() + frame.index(0, row);
    float* to = rows_.data() + frame.index(0, row);
    double sum = 0.0;
    for_windows(
        frame.width, reach, [&](int i) { sum += static_cast<double>(from[i]); },
        [&](int i) { sum -= static_cast<double>(from[i]); },
        [&](int i, int summed) { to[i] = static_cast<float>(sum / summed); });
  }
  sums_.assign(width, 0.0);
  const auto change = [&](int row, double sign) {
    const float* from = rows_.data() + frame.index(0, row);
    for (std::size_t i = 0; i < width; ++i) sums_[i] += sign * static_cast<double>(from[i]);
  };
  Variance of_ground;
  Variance of_pixels;
  for_windows(
      frame.height, reach, [&](int row) { change(row, 1.0); }, [&](int row) { change(row, -1.0); },
      [&](int row, int summed) {
        const float* pixels = evidence.pixels.data() + frame.index(0, row);
        float* to = even_.data() + frame.index(0, row);
        for (std::size_t i = 0; i < width; ++i) {
          const double ground = sums_[i] / summed;
          of_ground.add(ground);
          of_pixels.add(static_cast<double>(pixels[i]));
          to[i] = static_cast<float>(static_cast<double>(pixels[i]) - ground);
        }
      });
  if (!(of_ground.value() > kUneven * of_pixels.value())) return std::nullopt;
  Evidence even = evidence;
  even.pixels = even_;
  even.image = even_;
  even.seen = evidence.pixels;
  return even;
}

}  // namespace vsmax
