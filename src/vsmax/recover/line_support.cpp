// SPDX-License-Identifier: Apache-2.0
#include "vsmax/recover/line_support.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace vsmax {
namespace {

constexpr int kSegment = 16;  // pixels along the line; their mean has a quarter of a pixel's noise
constexpr int kLeastSegments = 6;
constexpr int kMostSegments = 32;
constexpr int kLeastError = 3;  // pixels by which a line of the finest grid may be off at its ends
constexpr int kMostError = 12;
constexpr int kSides = 13;           // offsets on either side of the line that show what is usual
constexpr int kGapBeside = 3;        // between them and those where the line may be
constexpr int kFlank = 3;            // offsets that make a side
constexpr int kMostHalfWidth = 2;    // lines up to five pixels wide
constexpr double kMostExcess = 3.0;  // standard deviations; a bright spot counts for no more
constexpr double kLeastRidgeSpread = 1e-6;
constexpr float kNone = -std::numeric_limits<float>::infinity();

// For short lines:
constexpr double kShort = 0.75;    // of the image's shorter side
constexpr double kMostTurn = 0.5;  // radians by which rivals may be turned, either way
constexpr int kMostTurns = 6;      // limits the time in large images
constexpr int kLeastRivals = 20;   // fewer are no basis for comparison
constexpr int kRidgeReach = kMostHalfWidth + 1 + kFlank;  // offsets a ridge needs on either side

// How far to either side a profile has to reach: at least one offset must show what is usual.
constexpr int reach_beside(int near) { return std::max(near + kSides, 2 * near + kGapBeside); }

constexpr std::size_t kMostProfileOffsets = 2 * reach_beside(kMostError) + 1;

// The mean along a piece of the line, at each offset across it.
struct Profile {
  std::array<float, kMostProfileOffsets> means{};     // sums over the steps, not yet divided
  std::array<float, kMostProfileOffsets + 1> sums{};  // prefix sums of the means
  int reach = 0;                                      // means[reach] is on the line
  int low = 0;                                        // offsets inside the image
  int high = 0;

  float mean(int from, int to) const {
    const auto line = static_cast<std::ptrdiff_t>(reach);
    return (*(sums.begin() + line + to + 1) - *(sums.begin() + line + from)) /
           static_cast<float>(to - from + 1);
  }

  // By how much a stroke centred on the offset exceeds both its sides, or the only side inside the
  // image, for the half width that fits best; in units of one offset's noise.
  float ridge(int offset) const {
    float best = kNone;
    for (int half = 0; half <= kMostHalfWidth; ++half) {
      const int gap = half + 2;
      const bool left = offset - gap - kFlank + 1 >= low;
      const bool right = offset + gap + kFlank - 1 <= high;
      if (offset - half < low || offset + half > high || (!left && !right)) continue;
      const float beside = std::max(left ? mean(offset - gap - kFlank + 1, offset - gap) : kNone,
                                    right ? mean(offset + gap, offset + gap + kFlank - 1) : kNone);
      best = std::max(best, (mean(offset - half, offset + half) - beside) *
                                std::sqrt(static_cast<float>(2 * half + 1)));
    }
    return best;
  }

  // The highest ridge within `near` offsets of the line.
  float highest_ridge(int near) const {
    float best = kNone;
    for (int offset = std::max(low, -near); offset <= std::min(high, near); ++offset)
      best = std::max(best, ridge(offset));
    return best;
  }
};

// Steps along the line, one pixel at a time along the axis that it is closer to.
class Walk {
 public:
  Walk(std::span<const float> pixels, const ImageFrame& frame, PixelLine line,
       const Segment& visible)
      : pixels_(pixels), upright_(std::abs(std::cos(line.theta)) > std::abs(std::sin(line.theta))) {
    const double c = std::cos(line.theta);
    const double s = std::sin(line.theta);
    const std::size_t axis = upright_ ? 1 : 0;
    const double half_along = upright_ ? frame.half_height() : frame.half_width();
    const double half_across = upright_ ? frame.half_width() : frame.half_height();
    slope_ = upright_ ? -s / c : -c / s;
    half_along_ = half_along;
    half_across_ = half_across;
    start_ = line.rho / (upright_ ? c : s) - slope_ * half_along + half_across;
    across_ = upright_ ? frame.width : frame.height;
    const auto width = static_cast<std::size_t>(frame.width);
    step_along_ = upright_ ? width : 1;
    step_across_ = upright_ ? 1 : width;
    constexpr double kRounding = 1e-9;
    const auto [from, to] = std::minmax(visible.begin[axis], visible.end[axis]);
    first_ = static_cast<int>(std::ceil(from + half_along - kRounding));
    count_ = static_cast<int>(std::floor(to + half_along + kRounding)) - first_ + 1;
  }

  int count() const { return count_; }
  // Pixels per step.
  double step() const { return std::hypot(1.0, slope_); }

  // The position of a step relative to the image centre.
  std::array<double, 2> position(int step) const {
    const int i = first_ + step;
    const double along = i - half_along_;
    const double across = start_ + slope_ * i - half_across_;
    return upright_ ? std::array{across, along} : std::array{along, across};
  }

  // Over the steps in [from, to).
  Profile profile(int from, int to, int reach, float sign) const {
    from += first_;
    to += first_;
    Profile result;
    result.reach = reach;
    result.low = std::max({-reach, -middle(from), -middle(to - 1)});
    result.high = std::min({reach, across_ - 1 - middle(from), across_ - 1 - middle(to - 1)});
    for (int i = from; i < to; ++i) {
      const float* pixel = pixels_.data() + static_cast<std::size_t>(i) * step_along_ +
                           static_cast<std::size_t>(middle(i) + result.low) * step_across_;
      float* mean = result.means.data() + result.low + reach;
      for (int offset = result.low; offset <= result.high; ++offset, pixel += step_across_)
        *mean++ += *pixel;
    }
    const float scale = sign / static_cast<float>(to - from);
    for (std::size_t k = 0; k < result.means.size(); ++k)
      result.sums[k + 1] = result.sums[k] + scale * result.means[k];
    return result;
  }

 private:
  int middle(int i) const { return static_cast<int>(std::lround(start_ + slope_ * i)); }

  std::span<const float> pixels_;
  bool upright_;
  double slope_ = 0.0;
  double start_ = 0.0;
  double half_along_ = 0.0;
  double half_across_ = 0.0;
  int across_ = 0;
  std::size_t step_along_ = 0;
  std::size_t step_across_ = 0;
  int first_ = 0;
  int count_ = 0;
};

}  // namespace

double line_support(std::span<const float> pixels, const ImageFrame& frame, PixelLine line,
                    double error, float sign) {
  const auto visible = visible_segment(line, frame);
  if (!visible) return 0.0;
  const Walk walk(pixels, frame, line, *visible);
  if (walk.count() < 2) return 0.0;
  const int segments = std::clamp(walk.count() / kSegment,
                                  std::min(kLeastSegments, walk.count() / 2), kMostSegments);
  const int near = std::clamp(static_cast<int>(std::ceil(error)), kLeastError, kMostError);
  const int reach = reach_beside(near);

  std::array<float, kMostSegments> on_line{};
  double sum = 0.0;
  double squares = 0.0;
  double count = 0.0;
  for (int segment = 0; segment < segments; ++segment) {
    const Profile profile = walk.profile(segment * walk.count() / segments,
                                         (segment + 1) * walk.count() / segments, reach, sign);
    std::array<float, kMostProfileOffsets> ridges{};
    for (int offset = -reach; offset <= reach; ++offset)
      *(ridges.begin() + reach + offset) =
          offset < profile.low || offset > profile.high ? kNone : profile.ridge(offset);
    // The highest ridge within `near` of an offset: 0 for the line, others for what is usual.
    const auto highest = [&](int offset) {
      const int from = std::max(-reach, offset - near);
      const int to = std::min(reach, offset + near);
      return *std::max_element(ridges.begin() + from + reach, ridges.begin() + to + reach + 1);
    };
    on_line[static_cast<std::size_t>(segment)] = highest(0);
    for (int offset = 2 * near + kGapBeside; offset <= reach; ++offset)
      for (const int side : {-offset, offset})
        if (const double value = highest(side); std::isfinite(value)) {
          sum += value;
          squares += value * value;
          count += 1.0;
        }
  }
  if (count == 0.0) return 0.0;
  const double usual = sum / count;
  const double spread = std::sqrt(std::max(0.0, squares / count - usual * usual));
  double support = 0.0;
  for (int segment = 0; segment < segments; ++segment) {
    const double excess = on_line[static_cast<std::size_t>(segment)] - std::max(usual, 0.0);
    support += std::clamp(excess / std::max(spread, kLeastRidgeSpread), -kMostExcess, kMostExcess);
  }
  return support / (kMostExcess * segments);
}

double distinction(std::span<const float> pixels, const ImageFrame& frame, PixelLine line,
                   double error, float sign) {
  constexpr double kWithoutRival = std::numeric_limits<double>::infinity();
  const auto visible = visible_segment(line, frame);
  if (!visible) return kWithoutRival;
  const Walk own(pixels, frame, line, *visible);
  const double length = own.count() * own.step();
  if (own.count() < 2 || length > kShort * std::min(frame.width, frame.height))
    return kWithoutRival;
  const int near = std::clamp(static_cast<int>(std::ceil(error)), kLeastError, kMostError);
  const int reach = near + kRidgeReach;
  const std::array<double, 2> middle = visible->midpoint();

  // The rivals are so dense that any stroke is about parallel to one of them, within `near` pixels
  // of it, and overlaps most of it.
  const double turn = 2.0 * near / length;
  const int turns = std::min(kMostTurns, static_cast<int>(std::ceil(kMostTurn / turn)));
  float highest = 0.0F;
  int rivals = 0;
  const int offsets = static_cast<int>(std::ceil(2.0 * frame.half_diagonal() / (2 * near + 1)));
  for (int i = -turns; i <= turns; ++i)
    for (int k = 0; k < offsets; ++k) {
      const PixelLine other{line.theta + i * turn, k * (2 * near + 1) - frame.half_diagonal()};
      const auto seen = visible_segment(other, frame);
      if (!seen) continue;
      const Walk walk(pixels, frame, other, *seen);
      const int steps = std::max(2, static_cast<int>(std::lround(length / walk.step())));
      for (int from = 0; from + steps <= walk.count(); from += steps / 2) {
        const auto [x, y] = walk.position(from + steps / 2);
        if (std::hypot(x - middle[0], y - middle[1]) < length + reach) continue;
        highest =
            std::max(highest, walk.profile(from, from + steps, reach, sign).highest_ridge(near));
        ++rivals;
      }
    }
  if (rivals < kLeastRivals) return kWithoutRival;
  const float ridge = own.profile(0, own.count(), reach, sign).highest_ridge(near);
  return static_cast<double>(ridge) / std::max(static_cast<double>(highest), kLeastRidgeSpread);
}

double edge_coverage(std::span<const Gradient> gradients, const ImageFrame& frame, PixelLine line,
                     double error, float clear) {
  const auto visible = visible_segment(line, frame);
  if (!visible) return 0.0;
  constexpr double kAlong = 0.9945;  // the cosine of 6 degrees, twice the kernel of Eq. 39
  const double c = std::cos(line.theta);
  const double s = std::sin(line.theta);
  const double length =
      std::hypot(visible->end[0] - visible->begin[0], visible->end[1] - visible->begin[1]);
  const int steps = std::max(1, static_cast<int>(length));
  const int reach = std::clamp(static_cast<int>(std::ceil(error)), 1, kMostError);
  // Bright on the side that the normal points to, and on the other.
  int rising = 0;
  int falling = 0;
  for (int step = 0; step < steps; ++step) {
    const double share = (step + 0.5) / steps;
    bool rises = false;
    bool falls = false;
    for (int offset = -reach; offset <= reach; ++offset) {
      const double x = std::lerp(visible->begin[0], visible->end[0], share) + offset * c;
      const double y = std::lerp(visible->begin[1], visible->end[1], share) + offset * s;
      const auto column = static_cast<int>(std::lround(x + frame.half_width()));
      const auto row = static_cast<int>(std::lround(y + frame.half_height()));
      if (column < 0 || column >= frame.width || row < 0 || row >= frame.height) continue;
      const Gradient gradient = gradients[frame.index(column, row)];
      const double strength = std::hypot(gradient.x, gradient.y);
      const double across = gradient.x * c + gradient.y * s;
      if (strength < static_cast<double>(clear) || std::abs(across) < kAlong * strength) continue;
      rises = rises || across > 0.0;
      falls = falls || across < 0.0;
    }
    rising += rises ? 1 : 0;
    falling += falls ? 1 : 0;
  }
  return static_cast<double>(std::max(rising, falling)) / steps;
}

}  // namespace vsmax
