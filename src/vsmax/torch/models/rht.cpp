// SPDX-License-Identifier: Apache-2.0
// The refinement network on the Moebius strip learns a heat map by binary cross-entropy or squared
// error, averaged over cells and batch; lines are read from it without a derivative.
#include "vsmax/torch/models/rht.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <numbers>
#include <utility>
#include <vector>

#include "vsmax/torch/models/model_families.h"
#include "vsmax/torch/models/trainable_refine_net.h"
#include "vsmax/torch/ops/parallel_ranges.h"

namespace vsmax {
namespace {

// A cell of the strip, and its place on the unrolled strip, where theta continues past the seam and
// rho keeps its direction.
struct Place {
  Cell cell;
  Cell unrolled;
  bool flipped = false;  // after an odd number of crossings rho runs backwards in `cell`
};

// On the strip a cell has eight neighbours, some across the seam; on the plane it has four, and the
// seam is a border.
enum class Surface { kStrip, kPlane };

// Calls visit(cell, unrolled) for the connected component of `seed` among the open cells, and
// closes them. Breadth first, so that each cell is unrolled along a shortest path from the seed.
template <class Visit>
void flood(const CellShape& shape, Cell seed, std::vector<char>& open, const Visit& visit,
           Surface surface = Surface::kStrip) {
  std::deque<Place> front{{seed, seed}};
  open[shape.index(seed)] = 0;
  while (!front.empty()) {
    const Place here = front.front();
    front.pop_front();
    visit(here.cell, here.unrolled);
    for (int dt = -1; dt <= 1; ++dt)
      for (int dr = -1; dr <= 1; ++dr) {
        const Cell step{here.cell.t + dt, here.cell.r + (here.flipped ? -dr : dr)};
        if (step.r < 0 || step.r >= shape.rhos) continue;
        const bool across = step.t < 0 || step.t >= shape.thetas;
        if (surface == Surface::kPlane && (across || (dt != 0 && dr != 0))) continue;
        const Cell next = shape.across_seam(step);
        if (open[shape.index(next)] == 0) continue;
        open[shape.index(next)] = 0;
        front.push_back(
            {next, {here.unrolled.t + dt, here.unrolled.r + dr}, here.flipped != across});
      }
  }
}

std::vector<char> above_threshold(Cells<const float> probabilities) {
  std::vector<char> above(probabilities.size());
  for (std::size_t i = 0; i < above.size(); ++i)
    above[i] = probabilities.data()[i] > kRhtThreshold ? 1 : 0;
  return above;
}

// The line of a mean cell, which may lie past the seam.
UnitLine line_at(const CellShape& shape, double t, double r) {
  const double center = 0.5 * (shape.rhos - 1);
  return canonical(UnitLine{std::numbers::pi * t / shape.thetas, (r - center) / center});
}

// (t, r) of the lines' cells, each [B, 1, 1].
std::pair<torch::Tensor, torch::Tensor> cells_of(const CellShape& shape,
                                                 const torch::Tensor& truth) {
  const auto t = truth.select(1, 0) * (static_cast<double>(shape.thetas) / std::numbers::pi);
  const auto r = (truth.select(1, 1) + 1.0) * (0.5 * static_cast<double>(shape.rhos - 1));
  return {t.round().view({-1, 1, 1}), r.round().view({-1, 1, 1})};
}

class RhtModel final : public LineModel {
 public:
  RhtModel(const ModelSpec& spec, const nn::RefineNet& net)
      : LineModel(spec, net.ptr()), net_(net) {}

 private:
  torch::Tensor loss_of(const torch::Tensor& images, const torch::Tensor& truth,
                        const torch::Tensor& whole) final {
    const auto make_target =
        spec().heat_target == HeatTarget::kBlurred ? blurred_rht_target : rht_target;
    const auto target = make_target(grid().shape(), truth, spec().target_width);
    const auto logits = net_(accumulators(images));
    const auto mean = spec().heat_loss == HeatLoss::kSquares
                          ? torch::mse_loss(torch::sigmoid(logits), target)
                          : torch::binary_cross_entropy_with_logits(logits, target);
    return share_of_mean(mean, truth, whole);
  }

  PredictedLines lines_of(const torch::Tensor& images) final {
    const auto heat = torch::sigmoid(net_(accumulators(images))).to(torch::kCPU).contiguous();
    auto polar = torch::full({heat.size(0), 2}, NAN, torch::kDouble);
    const CellShape shape = grid().shape();
    const auto read_out =
        spec().heat_component == HeatComponent::kFirst ? first_rht_readout : rht_readout;
    const auto* cells = heat.data_ptr<float>();
    auto* to = polar.data_ptr<double>();
    ops::parallel_ranges(heat.size(0), 1, [&](int64_t begin, int64_t end) {
      for (int64_t b = begin; b < end; ++b) {
        const auto line = read_out({cells + b * static_cast<int64_t>(shape.count()), shape});
        if (!line) continue;
        to[2 * b] = line->theta;
        to[2 * b + 1] = line->rho;
      }
    });
    return lines_from_polar(polar);
  }

  nn::RefineNet net_;
};

}  // namespace

torch::Tensor rht_target(const CellShape& shape, const torch::Tensor& truth, double width) {
  const int64_t thetas = shape.thetas;
  const int64_t rhos = shape.rhos;
  const auto options = truth.options();
  // An angle that rounds up to pi is covered as well: one of the three images below lies at 0.
  const auto [t0, r0] = cells_of(shape, truth);
  const auto t = torch::arange(thetas, options).view({1, -1, 1});
  const auto r = torch::arange(rhos, options).view({1, 1, -1});
  const auto across = (r - (rhos - 1 - r0)).square();
  auto squared = (t - t0).square() + (r - r0).square();
  squared = torch::minimum(squared, (t - t0 + thetas).square() + across);
  squared = torch::minimum(squared, (t - t0 - thetas).square() + across);
  return (squared * (-0.5 / (width * width))).exp();
}

torch::Tensor blurred_rht_target(const CellShape& shape, const torch::Tensor& truth, double width) {
  constexpr double kReach = 2.0;  // of a 5x5 kernel
  const auto [t0, r0] = cells_of(shape, truth);
  const auto t = (torch::arange(shape.thetas, truth.options()).view({1, -1, 1}) - t0).abs();
  const auto r = (torch::arange(shape.rhos, truth.options()).view({1, 1, -1}) - r0).abs();
  const auto blob = ((t.square() + r.square()) * (-0.5 / (width * width))).exp();
  return blob * (t <= kReach).logical_and(r <= kReach).to(blob.scalar_type());
}

std::optional<UnitLine> first_rht_readout(Cells<const float> probabilities) {
  const CellShape& shape = probabilities.shape();
  std::vector<char> above = above_threshold(probabilities);
  const auto first = std::find(above.begin(), above.end(), 1);
  if (first == above.end()) return std::nullopt;
  double sum_t = 0.0;
  double sum_r = 0.0;
  double count = 0.0;
  const auto add = [&](Cell cell, Cell) {
    sum_t += cell.t;
    sum_r += cell.r;
    count += 1.0;
  };
  const Cell seed = shape.cell(static_cast<std::size_t>(first - above.begin()));
  flood(shape, seed, above, add, Surface::kPlane);
  return line_at(shape, sum_t / count, sum_r / count);
}

std::optional<UnitLine> rht_readout(Cells<const float> probabilities) {
  const CellShape& shape = probabilities.shape();
  std::vector<char> above = above_threshold(probabilities);
  double strongest = 0.0;
  Cell peak;  // of the strongest component
  std::vector<char> open = above;
  for (std::size_t seed = 0; seed < open.size(); ++seed) {
    if (open[seed] == 0) continue;
    double sum = 0.0;
    Cell highest = shape.cell(seed);
    flood(shape, highest, open, [&](Cell cell, Cell) {
      sum += static_cast<double>(probabilities.at(cell));
      if (probabilities.at(cell) > probabilities.at(highest)) highest = cell;
    });
    if (sum <= strongest) continue;
    strongest = sum;
    peak = highest;
  }
  if (strongest == 0.0) return std::nullopt;

  double mean_t = 0.0;
  double mean_r = 0.0;
  flood(shape, peak, above, [&](Cell cell, Cell unrolled) {
    const double weight = static_cast<double>(probabilities.at(cell)) / strongest;
    mean_t += weight * unrolled.t;
    mean_r += weight * unrolled.r;
  });
  return line_at(shape, mean_t, mean_r);
}

std::unique_ptr<LineModel> make_rht_model(const ModelSpec& spec, bool bfloat16) {
  return std::make_unique<RhtModel>(spec, nn::RefineNet(spec.cover, spec.scale, bfloat16));
}

}  // namespace vsmax
