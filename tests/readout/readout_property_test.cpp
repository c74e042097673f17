// SPDX-License-Identifier: Apache-2.0
// Laws of the readouts under any distribution.
#include <cmath>
#include <vector>

#include "support/property.h"
#include "vsmax/geometry/symmetric_eigen.h"
#include "vsmax/readout/softmax.h"
#include "vsmax/readout/veronese_soft_argmax.h"

namespace vsmax {
namespace {

std::vector<double> distribution(std::size_t count, double temperature) {
  auto p = *rc::gen::container<std::vector<double>>(count, test::real(-30.0, 30.0));
  softmax(p.data(), p.size(), temperature, p.data());
  return p;
}

LineEmbedding barycentre_of(const HoughGrid& grid, Cover cover, const std::vector<double>& p) {
  return VeroneseSoftArgmax(grid, cover).barycentre(p.data());
}

TEST(ReadoutProperty, BarycentreIsAMixtureOfProjectors) {
  test::check_property([] {
    const auto grid = *test::grid(60, 9, 11);
    const auto p = distribution(grid.cells(), *test::real(0.1, 5.0));
    const auto eigen =
        symmetric_eigen<3>(symmetric_from_veronese<3>(barycentre_of(grid, Cover::kSingle, p)));
    RC_ASSERT(std::abs(eigen.values[0] + eigen.values[1] + eigen.values[2] - 1.0) < 1e-13);
    RC_ASSERT(eigen.values[2] > -1e-15);
  });
}

TEST(ReadoutProperty, MassMayMoveToTheAntipodeUnseen) {
  test::check_property([] {
    const auto grid = *test::grid(60, 9, 11);
    const auto p = distribution(2 * grid.cells(), 1.0);
    std::vector<double> swapped(p.size());
    const auto cells = grid.cells();
    const auto rhos = static_cast<std::size_t>(grid.rhos());
    for (std::size_t i = 0; i < p.size(); ++i) {
      const std::size_t row = i / rhos * rhos;
      swapped[(row + cells) % (2 * cells) + rhos - 1 - i % rhos] = p[i];
    }
    const auto a = barycentre_of(grid, Cover::kDouble, p);
    const auto b = barycentre_of(grid, Cover::kDouble, swapped);
    for (std::size_t k = 0; k < 6; ++k) RC_ASSERT(std::abs(a[k] - b[k]) < 1e-15);
  });
}

TEST(ReadoutProperty, FoldingTheDoubleCoverKeepsTheBarycentre) {
  test::check_property([] {
    const auto grid = *test::grid(60, 9, 11);
    const auto p = distribution(2 * grid.cells(), 1.0);
    std::vector<double> folded(grid.cells());
    fold_double_cover(p.data(), static_cast<std::size_t>(grid.thetas()),
                      static_cast<std::size_t>(grid.rhos()), folded.data());
    const auto a = barycentre_of(grid, Cover::kDouble, p);
    const auto b = barycentre_of(grid, Cover::kSingle, folded);
    for (std::size_t k = 0; k < 6; ++k) RC_ASSERT(std::abs(a[k] - b[k]) < 1e-15);
  });
}

TEST(ReadoutProperty, GradientOfTheLogitsSumsToZero) {
  test::check_property([] {
    const auto grid = *test::grid(60, 9, 11);
    const VeroneseSoftArgmax readout(grid, Cover::kDouble);
    const double temperature = *test::real(0.1, 3.0);
    const auto p = distribution(readout.cells(), temperature);
    LineEmbedding grad;
    for (double& g : grad) g = *test::real(-1.0, 1.0);
    std::vector<double> gradient(p.size());
    readout.backward(p.data(), temperature, readout.barycentre(p.data()), grad, gradient.data());
    double sum = 0.0;
    for (const double g : gradient) sum += g;
    RC_ASSERT(std::abs(sum) < 1e-13);
  });
}

}  // namespace
}  // namespace vsmax
