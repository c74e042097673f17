// SPDX-License-Identifier: Apache-2.0
#include "vsmax/recover/prominence.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>

#include "vsmax/readout/argmax.h"

namespace vsmax {
namespace {

// Wide enough for lines five pixels across.
constexpr double kFlankPixels = 4.3;
constexpr double kDrawnFlankPixels = 7.0;  // as wide as an edge becomes in an image without noise
constexpr int kLeastFlank = 2;
constexpr int kNearThetas = 6;
constexpr int kEveryTheta = 4;         // neighbouring angles say almost the same
constexpr double kLeastSpread = 1e-3;  // that of an image without noise

// The sum of squares and the number of scores. Cells without evidence have a score of exactly 0;
// they count only if there might have been some.
struct Squares {
  double sum = 0.0;
  double count = 0.0;

  void add(double score, bool counts = false) {
    sum += score * score;
    count += score != 0.0 || counts ? 1.0 : 0.0;
  }
  double spread() const { return count > 0.0 ? std::sqrt(std::max(0.0, sum / count)) : 0.0; }
};

// One angle's scores; 0 beyond its ends.
class Row {
 public:
  Row(Cells<const float> scores, int t) : row_(scores.row(t)), rhos_(scores.shape().rhos) {}

  double at(int r) const { return r >= 0 && r < rhos_ ? static_cast<double>(row_[r]) : 0.0; }

  // By how much the scores around r exceed those on both sides. A side without votes does not
  // count: next to a corner of the image there is nothing.
  double ridge(int center, int flank) const {
    double highest = 0.0;
    for (int r = center - 2; r <= center + 2; ++r) {
      const double left = at(r - flank);
      const double right = at(r + flank);
      const double beside = left == 0.0 ? right : right == 0.0 ? left : std::max(left, right);
      highest = std::max(highest, at(r) - beside);
    }
    return highest;
  }

  // How much scores usually differ from those beside them, except near the line. `counts(r)` says
  // whether a score of 0 counts.
  template <class Counts>
  Squares differences(int center, int flank, const Counts& counts) const {
    const auto known = [&](int r) { return at(r) != 0.0 || counts(r); };
    Squares usual;
    for (int r = flank; r + flank < rhos_; ++r) {
      if (std::abs(r - center) <= 2 * flank || !known(r) || !known(r - flank) || !known(r + flank))
        continue;
      usual.add(at(r) - 0.5 * (at(r - flank) + at(r + flank)), true);
    }
    return usual;
  }

 private:
  const float* row_;
  int rhos_;
};

using Lanes = float __attribute__((vector_size(16)));

bool dark_is_stronger(Cells<const float> scores) {
  constexpr std::size_t kLanes = sizeof(Lanes) / sizeof(float);
  Lanes highest{};
  Lanes lowest{};
  const float* values = scores.data();
  std::size_t i = 0;
  for (; i + kLanes <= scores.size(); i += kLanes) {
    Lanes value;
    std::memcpy(&value, values + i, sizeof(value));
    highest = highest < value ? value : highest;
    lowest = value < lowest ? value : lowest;
  }
  float bright = 0.0F;
  float dark = 0.0F;
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    bright = std::max(bright, highest[lane]);
    dark = std::max(dark, -lowest[lane]);
  }
  for (; i < scores.size(); ++i) {
    bright = std::max(bright, values[i]);
    dark = std::max(dark, -values[i]);
  }
  return dark > bright;
}

double share_above(double value, double half, double sharpness) {
  return value > 0.0 ? 1.0 / (1.0 + std::pow(half / value, sharpness)) : 0.0;
}

}  // namespace

Prominence prominence(Cells<const float> scores, const HoughGrid& grid, UnitLine line,
                      Evidenced evidenced) {
  const CellShape& shape = scores.shape();
  const Cell center = nearest_cell(shape, line);
  if (!shape.contains(center)) return {};
  const double width = evidenced == Evidenced::kSparsely ? kDrawnFlankPixels : kFlankPixels;
  const int flank = std::max(kLeastFlank, static_cast<int>(std::lround(width / grid.bin_width())));
  const int near_thetas = std::min(kNearThetas, (shape.thetas - 1) / 2);
  const int near_rhos = 2 * flank + 2;

  double highest = 0.0;
  for (int dt = -1; dt <= 1; ++dt) {
    const Cell middle = shape.across_seam({center.t + dt, center.r});
    for (int dr = -2; dr <= 2; ++dr)
      highest = std::max(highest, Row(scores, middle.t).at(middle.r + dr));
  }
  Squares elsewhere;
  for (int turn = 0; turn < shape.thetas; turn += kEveryTheta) {
    const int dt = 2 * turn < shape.thetas ? turn : turn - shape.thetas;  // the shorter way round
    const Cell middle = shape.across_seam({center.t + dt, center.r});
    const bool near = std::abs(dt) <= near_thetas;
    const float* row = scores.row(middle.t);
    for (int r = 0; r < shape.rhos; ++r)
      if (!near || std::abs(r - middle.r) > near_rhos)
        elsewhere.add(static_cast<double>(row[r]),
                      evidenced == Evidenced::kSparsely && grid.resolvable({middle.t, r}));
  }
  const double spread = std::max(elsewhere.spread(), kLeastSpread);
  const Row row(scores, center.t);
  const Squares differences = row.differences(center.r, flank, [&](int r) {
    return evidenced == Evidenced::kSparsely && grid.resolvable({center.t, r});
  });
  const double usual = differences.count > 0.0 ? differences.spread() : spread;
  return {highest / spread, row.ridge(center.r, flank) / std::max(usual, kLeastSpread), spread};
}

bool choose_polarity(Cells<float> scores, const std::function<double(UnitLine)>& probability) {
  if (!dark_is_stronger(scores)) return false;
  const auto turn = [&] {
    std::transform(scores.begin(), scores.end(), scores.begin(), std::negate());
  };
  turn();
  if (probability(scores.shape().line(argmax(scores))) >= 0.5) return true;
  turn();
  return false;
}

double line_probability(const Prominence& prominence, const ProminenceScale& scale) {
  return share_above(prominence.height, scale.height, scale.sharpness) *
         share_above(prominence.ridge, scale.ridge, scale.sharpness);
}

double support_probability(double support, bool even_ground) {
  const double half = even_ground ? 0.5 : 0.2;
  const double sharpness = even_ground ? 16.0 : 4.0;
  return share_above(support, half, sharpness);
}

double coverage_probability(double coverage) {
  constexpr double kHalf = 0.25;
  constexpr double kSharpness = 6.0;
  return share_above(coverage, kHalf, kSharpness);
}

double distinction_probability(double distinction) {
  constexpr double kHalf = 1.6;
  constexpr double kSharpness = 16.0;
  return share_above(distinction, kHalf, kSharpness);
}

}  // namespace vsmax
