// SPDX-License-Identifier: Apache-2.0
#include "vsmax/recover/drawn_lines.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "vsmax/evidence/erase_line.h"

namespace vsmax {
namespace {

// The search. A window around a peak hides its neighbours, hence the rounds.
constexpr int kRounds = 6;
constexpr std::size_t kMostPeaks = 64;  // per round
constexpr double kPeak = 0.99;          // probability: three standard deviations of random votes
constexpr double kReach = 2.5;          // by which a cell of the grid may be off, in its pixels
constexpr double kLikely = 0.5;         // probability of a line
constexpr double kDrawnStep = 0.04;     // of the contrast; noise of 3 % makes differences of 2.6 %

// Edges, in pixels.
constexpr int kGap = 2;            // where a thin line crosses
constexpr double kJump = 1.2;      // from step to step: without smoothing, edges have stairs
constexpr double kStraight = 1.0;  // from the chord: a stair again
constexpr double kSmooth = 0.3;    // root mean square: stairs have 0.29, and bends more
constexpr int kLeastSpan = 6;      // letters have many shorter pieces
constexpr double kFilled = 0.85;   // share of a piece's steps that show the edge
constexpr double kThin = 8.0;      // the widest line that is one line and not two edges
constexpr double kBeside = 0.6;    // share of an edge that has the line's other side beside it

// The probability of Eq. 63.
double probability_of(const FollowedEdge& edge, const ImageFrame& frame) {
  constexpr double kHalf = 0.1;
  constexpr double kSharpness = 8.0;
  constexpr double kOthers = 0.2;       // letters of a row may lie on one line
  constexpr double kLeastSide = 160.0;  // pixels; letters do not shrink with the image
  // In a pattern, such as random blocks, edges of both polarities are equally frequent, and where a
  // curve is straight, it bends away on either side.
  const double length = edge.longest + kOthers * edge.others - edge.opposite - edge.bent;
  if (length <= 0.0) return 0.0;
  const double side = std::max<double>(kLeastSide, std::min(frame.width, frame.height));
  return 1.0 / (1.0 + std::pow(kHalf * side / length, kSharpness));
}

// Whether a line stays this close to another as far as it is visible.
bool stays_near(const Segment& visible, PixelLine other, double distance) {
  const auto is_near = [&](const std::array<double, 2>& point) {
    return std::abs(point[0] * std::cos(other.theta) + point[1] * std::sin(other.theta) -
                    other.rho) <= distance;
  };
  return is_near(visible.begin) && is_near(visible.end);
}

// The line's pixels, one step at a time along the axis that it is closer to.
struct PixelWalk {
  PixelWalk(const ImageFrame& frame, PixelLine line, const Segment& visible)
      : upright(std::abs(std::cos(line.theta)) > std::abs(std::sin(line.theta))),
        half_along(upright ? frame.half_height() : frame.half_width()),
        half_across(upright ? frame.half_width() : frame.half_height()),
        step_along(upright ? frame.width : 1),
        step_across(upright ? 1 : frame.width),
        last_across((upright ? frame.width : frame.height) - 1) {
    const double c = std::cos(line.theta);
    const double s = std::sin(line.theta);
    slope = upright ? -s / c : -c / s;
    start = line.rho / (upright ? c : s) - slope * half_along + half_across;
    const std::size_t axis = upright ? 1 : 0;
    const auto [low, high] = std::minmax(visible.begin[axis], visible.end[axis]);
    const int last_along = (upright ? frame.height : frame.width) - 1;
    // The differences need a neighbour on either side.
    first = std::max(1, static_cast<int>(std::ceil(low + half_along)));
    last = std::min(last_along - 1, static_cast<int>(std::floor(high + half_along)));
  }

  double middle(int step) const { return start + slope * step; }

  // The line through two points, given by their steps and offsets.
  PixelLine line(int from, double at_from, int to, double at_to) const {
    const double tilt = slope + (at_to - at_from) / (to - from);
    const double height = middle(from) + at_from - half_across - tilt * (from - half_along);
    const double rho = height / std::hypot(1.0, tilt);
    return canonical(upright ? PixelLine{std::atan2(-tilt, 1.0), rho}
                             : PixelLine{std::atan2(1.0, -tilt), rho});
  }

  bool upright;
  double half_along;
  double half_across;
  std::ptrdiff_t step_along;
  std::ptrdiff_t step_across;
  int last_across;
  double slope = 0.0;
  double start = 0.0;
  int first = 0;
  int last = 0;
};

}  // namespace

std::vector<DrawnLine> DrawnLines::operator()(Stages& stages, const Evidence& evidence,
                                              const ImageStatistics& statistics,
                                              std::span<const float> pixels,
                                              const ImageFrame& frame, int threads) {
  const auto [darkest, brightest] = std::minmax_element(pixels.begin(), pixels.end());
  const float clear = static_cast<float>(kDrawnStep) * (*brightest - *darkest);
  const double reduction = evidence.placement.reduction();
  const int reach = static_cast<int>(std::ceil(kReach * reduction));
  rest_.assign(evidence.gradients.begin(), evidence.gradients.end());
  std::vector<DrawnLine> lines;
  std::size_t known = 0;
  for (int round = 0; round < kRounds && (round == 0 || lines.size() > known); ++round) {
    known = lines.size();
    stages.vote(evidence.pixels, rest_, {});
    stages.refine(statistics, threads);
    std::vector<Cell> peaks = stages.peaks(kPeak);
    peaks.resize(std::min(peaks.size(), kMostPeaks));
    for (const Cell cell : peaks) {
      const PixelLine peak = evidence.placement.image_from_work(stages.grid().line(cell));
      const auto first = follow(pixels, frame, peak, reach, clear);
      // One that is more likely none would hide others.
      if (!first || probability_of(*first, frame) < kLikely) continue;
      // Once more from the edge itself, to see as far to the one side as to the other.
      const auto edge = follow(pixels, frame, first->line, reach, clear);
      const auto visible = edge ? visible_segment(edge->line, frame) : std::nullopt;
      const double probability = edge ? probability_of(*edge, frame) : 0.0;
      if (!visible || probability < kLikely ||
          std::any_of(lines.begin(), lines.end(), [&](const DrawnLine& other) {
            return stays_near(*visible, other.line, 0.5 * kThin);
          }))
        continue;
      // Not the peak, which may be that of several edges, at a tilt.
      const PixelLine in_frame{edge->line.theta, edge->line.rho / reduction};
      lines.push_back({edge->line, probability, in_frame});
      erase_edge(rest_, evidence.frame, in_frame);
    }
  }
  return lines;
}

std::optional<FollowedEdge> DrawnLines::follow(std::span<const float> pixels,
                                               const ImageFrame& frame, PixelLine line, int reach,
                                               float clear) {
  const auto visible = visible_segment(line, frame);
  if (!visible) return std::nullopt;
  const PixelWalk walk(frame, line, *visible);
  points_.clear();
  heads_.clear();
  ends_.clear();
  pieces_.clear();
  for (int step = walk.first; step <= walk.last; ++step) {
    const double middle = walk.middle(step);
    const auto at = static_cast<int>(std::lround(middle));
    const int from = std::max(1, at - reach - 1);
    const int to = std::min(walk.last_across - 1, at + reach + 1);
    across_.clear();
    for (int k = from; k <= to; ++k) {
      const float* pixel = pixels.data() + step * walk.step_along + k * walk.step_across;
      const auto difference = [&](std::ptrdiff_t along) {
        return pixel[along + walk.step_across] - pixel[along - walk.step_across];
      };
      across_.push_back(0.25F * (difference(-walk.step_along) + 2.0F * difference(0) +
                                 difference(walk.step_along)));
    }
    std::erase_if(heads_, [&](std::size_t head) {
      const bool over = points_[head].step < step - kGap;
      if (over) ends_.push_back(head);
      return over;
    });
    for (std::size_t i = 1; i + 1 < across_.size(); ++i) {
      const float sign = across_[i] < 0.0F ? -1.0F : 1.0F;
      const float height = sign * across_[i];
      const float before = sign * across_[i - 1];
      const float after = sign * across_[i + 1];
      if (height < clear || height < before || height <= after) continue;
      // The vertex of the parabola; the height exceeds `after`, so that there is one.
      const float fraction = 0.5F * (before - after) / (before - 2.0F * height + after);
      add_point({step, static_cast<double>(fraction) + from + static_cast<double>(i) - middle,
                 sign > 0.0F});
    }
  }
  ends_.insert(ends_.end(), heads_.begin(), heads_.end());
  for (const std::size_t end : ends_) {
    edge_.clear();
    for (std::optional<std::size_t> i = end; i; i = points_[*i].last) edge_.push_back(points_[*i]);
    std::reverse(edge_.begin(), edge_.end());
    const std::size_t known = pieces_.size();
    split(edge_);
    for (std::size_t i = known; i < pieces_.size(); ++i) {
      pieces_[i].edge = end;
      pieces_[i].whole = edge_.back().step - edge_.front().step;
    }
  }
  if (pieces_.empty()) return std::nullopt;

  const Piece& longest = *std::max_element(
      pieces_.begin(), pieces_.end(),
      [](const Piece& one, const Piece& other) { return one.span() < other.span(); });
  Piece whole = longest;
  int others = 0;
  int bent = longest.whole - longest.span();
  for (const Piece& other : pieces_) {
    const auto agrees = [&](int step) {
      return std::abs(longest.at(step) - other.at(step)) < kStraight;
    };
    if (&other == &longest || other.rises != longest.rises || !agrees(other.from) ||
        !agrees(other.to))
      continue;
    others += other.span();
    if (other.edge == longest.edge) bent -= other.span();
    for (std::size_t i = 0; i < whole.sums.size(); ++i) whole.sums[i] += other.sums[i];
  }
  const auto opposite = std::count_if(points_.begin(), points_.end(), [&](const Point& point) {
    return point.rises != longest.rises &&
           std::abs(longest.at(point.step) - point.offset) < kStraight;
  });
  whole.fit();
  const double shift = shift_to_middle(longest);
  const double per_step = std::hypot(1.0, walk.slope);
  return FollowedEdge{walk.line(longest.from, whole.at(longest.from) + shift, longest.to,
                                whole.at(longest.to) + shift),
                      per_step * longest.span(), per_step * others,
                      per_step * static_cast<double>(opposite), per_step * bent};
}

void DrawnLines::add_point(const Point& point) {
  std::size_t* nearest = nullptr;
  double closest = kJump;
  for (std::size_t& head : heads_) {
    const Point& other = points_[head];
    const double distance = std::abs(other.offset - point.offset);
    if (other.rises != point.rises || other.step == point.step || distance > closest) continue;
    closest = distance;
    nearest = &head;
  }
  points_.push_back(point);
  if (nearest == nullptr) return heads_.push_back(points_.size() - 1);
  points_.back().last = *nearest;
  *nearest = points_.size() - 1;
}

void DrawnLines::split(std::span<const Point> edge) {
  if (edge.empty() || edge.back().step - edge.front().step < kLeastSpan) return;
  Piece piece{edge.front().step, edge.back().step, edge.front().rises};
  for (const Point& point : edge) {
    const double step = point.step;
    const std::array terms{1.0, step, step * step, point.offset, step * point.offset};
    for (std::size_t i = 0; i < terms.size(); ++i) piece.sums[i] += terms[i];
  }
  piece.fit();
  const auto count = static_cast<double>(edge.size());
  const double slope = (edge.back().offset - edge.front().offset) / piece.span();
  std::size_t worst = 0;
  double farthest = 0.0;
  double squares = 0.0;
  for (std::size_t i = 0; i < edge.size(); ++i) {
    const double chord = edge.front().offset + slope * (edge[i].step - piece.from);
    const double distance = std::abs(edge[i].offset - chord);
    const double residual = edge[i].offset - piece.at(edge[i].step);
    squares += residual * residual;
    if (distance > farthest) {
      farthest = distance;
      worst = i;
    }
  }
  // Douglas and Peucker: at the point farthest from the chord.
  if (farthest > kStraight || squares > kSmooth * kSmooth * count) {
    split(edge.first(worst));
    split(edge.subspan(worst + 1));
    return;
  }
  if (count >= kFilled * piece.span()) pieces_.push_back(piece);
}

void DrawnLines::Piece::fit() {
  const auto [n, s, ss, o, so] = sums;
  b = (n * so - s * o) / (n * ss - s * s);
  a = (o - b * s) / n;
}

// Half the way to the nearest parallel piece with the opposite step, 0 if there is none.
double DrawnLines::shift_to_middle(const Piece& side) const {
  double shift = 0.0;
  double nearest = kThin;
  for (const Piece& other : pieces_) {
    const int from = std::max(other.from, side.from);
    const int to = std::min(other.to, side.to);
    if (other.rises == side.rises || to - from < kBeside * side.span()) continue;
    const double first = other.at(from) - side.at(from);
    const double last = other.at(to) - side.at(to);
    const double width = 0.5 * std::abs(first + last);
    if (std::abs(first - last) > 2.0 * kStraight || width >= nearest) continue;
    nearest = width;
    shift = 0.25 * (first + last);
  }
  return shift;
}

}  // namespace vsmax
