// SPDX-License-Identifier: Apache-2.0
#include "vsmax/torch/models/rht.h"

#include <cmath>
#include <deque>
#include <numbers>
#include <vector>

namespace vsmax {

namespace {

// A place on the strip unrolled: theta runs on past the seam and rho keeps its direction.
struct Place {
  int t = 0;
  int r = 0;
};

class Strip {
 public:
  Strip(int thetas, int rhos) : thetas_(thetas), rhos_(rhos) {}

  // The cell at an unrolled place: every turn around reverses rho.
  std::size_t cell(Place place) const {
    const int turns = place.t >= 0 ? place.t / thetas_ : -((thetas_ - 1 - place.t) / thetas_);
    const int t = place.t - turns * thetas_;
    const int r = turns % 2 == 0 ? place.r : rhos_ - 1 - place.r;
    return static_cast<std::size_t>(t) * static_cast<std::size_t>(rhos_) +
           static_cast<std::size_t>(r);
  }

  // Calls visit(cell, place) for the component of `seed` among the cells still open, and closes
  // them. Breadth first, so that places are those nearest to the seed.
  template <class Visit>
  void flood(Place seed, std::vector<char>& open, const Visit& visit) const {
    std::deque<Place> front{seed};
    open[cell(seed)] = 0;
    while (!front.empty()) {
      const Place here = front.front();
      front.pop_front();
      visit(cell(here), here);
      for (int dt = -1; dt <= 1; ++dt)
        for (int dr = -1; dr <= 1; ++dr) {
          const Place next{here.t + dt, here.r + dr};
          if (next.r < 0 || next.r >= rhos_ || open[cell(next)] == 0) continue;
          open[cell(next)] = 0;
          front.push_back(next);
        }
    }
  }

  Place place(std::size_t cell) const {
    return {static_cast<int>(cell) / rhos_, static_cast<int>(cell) % rhos_};
  }

 private:
  int thetas_;
  int rhos_;
};

}  // namespace

torch::Tensor rht_target(const HoughGrid& grid, const torch::Tensor& truth, double width) {
  const int64_t thetas = grid.thetas();
  const int64_t rhos = grid.rhos();
  const auto options = truth.options();
  // The line's cell, as [B, 1, 1]; an angle that rounds up to pi is its own image at 0, and the
  // three images below serve it as well.
  const auto t0 = (truth.select(1, 0) * (static_cast<double>(thetas) / std::numbers::pi))
                      .round()
                      .view({-1, 1, 1});
  const auto r0 =
      ((truth.select(1, 1) + 1.0) * (0.5 * static_cast<double>(rhos - 1))).round().view({-1, 1, 1});
  const auto t = torch::arange(thetas, options).view({1, -1, 1});
  const auto r = torch::arange(rhos, options).view({1, 1, -1});
  const auto across = (r - (rhos - 1 - r0)).square();
  auto squared = (t - t0).square() + (r - r0).square();
  squared = torch::minimum(squared, (t - t0 + thetas).square() + across);
  squared = torch::minimum(squared, (t - t0 - thetas).square() + across);
  return (squared * (-0.5 / (width * width))).exp();
}

std::optional<PixelLine> rht_readout(const HoughGrid& grid, const float* probabilities) {
  const Strip strip(grid.thetas(), grid.rhos());
  const auto over_threshold = [&] {
    std::vector<char> open(grid.cells());
    for (std::size_t i = 0; i < open.size(); ++i)
      open[i] = probabilities[i] > kRhtThreshold ? 1 : 0;
    return open;
  };

  double strongest = 0.0;
  std::size_t peak = 0;  // of the strongest component
  std::vector<char> open = over_threshold();
  for (std::size_t seed = 0; seed < open.size(); ++seed) {
    if (open[seed] == 0) continue;
    double sum = 0.0;
    std::size_t highest = seed;
    strip.flood(strip.place(seed), open, [&](std::size_t cell, Place) {
      sum += static_cast<double>(probabilities[cell]);
      if (probabilities[cell] > probabilities[highest]) highest = cell;
    });
    if (sum <= strongest) continue;
    strongest = sum;
    peak = highest;
  }
  if (strongest == 0.0) return std::nullopt;

  double mean_t = 0.0;
  double mean_r = 0.0;
  open = over_threshold();
  strip.flood(strip.place(peak), open, [&](std::size_t cell, Place place) {
    const double weight = static_cast<double>(probabilities[cell]) / strongest;
    mean_t += weight * place.t;
    mean_r += weight * place.r;
  });
  const double center = 0.5 * (grid.rhos() - 1);
  return canonical({std::numbers::pi * mean_t / grid.thetas(), (mean_r - center) / center});
}

}  // namespace vsmax
