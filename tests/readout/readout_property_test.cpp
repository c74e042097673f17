// SPDX-License-Identifier: Apache-2.0
// Laws of VSmax for any logits.
#include <cmath>
#include <vector>

#include "support/property.h"
#include "support/softmax.h"
#include "vsmax/geometry/symmetric_eigen.h"
#include "vsmax/readout/veronese_soft_argmax.h"

namespace vsmax {
namespace {

std::vector<double> any_logits(std::size_t count) {
  return *rc::gen::container<std::vector<double>>(count, test::real(-30.0, 30.0));
}

CellShape any_shape(Cover cover) { return (*test::grid(60, 9, 11)).shape(cover); }

LineEmbedding barycentre_of(CellShape shape, const std::vector<double>& logits,
                            double temperature = 1.0) {
  return VeroneseSoftArgmax(shape)
      .read(Cells<const double>(logits.data(), shape), temperature)
      .barycentre;
}

bool near(const LineEmbedding& a, const LineEmbedding& b, double tolerance) {
  for (std::size_t k = 0; k < a.size(); ++k)
    if (!(std::abs(a[k] - b[k]) < tolerance)) return false;
  return true;
}

TEST(ReadoutProperty, BarycentreIsAMixtureOfProjectors) {
  test::check_property([] {
    const CellShape shape = any_shape(Cover::kSingle);
    const auto logits = any_logits(shape.count());
    const auto eigen = symmetric_eigen(
        symmetric_from_veronese<3>(barycentre_of(shape, logits, *test::real(0.1, 5.0))));
    RC_ASSERT(std::abs(eigen.values[0] + eigen.values[1] + eigen.values[2] - 1.0) < 1e-13);
    RC_ASSERT(eigen.values[2] > -1e-15);
  });
}

TEST(ReadoutProperty, MassMayMoveToTheOtherSheet) {
  test::check_property([] {
    const CellShape shape = any_shape(Cover::kDouble);
    const auto logits = any_logits(shape.count());
    std::vector<double> swapped(logits.size());
    for (std::size_t i = 0; i < logits.size(); ++i) {
      const Cell cell = shape.cell(i);
      swapped[shape.index({(cell.t + shape.thetas) % shape.rows(), shape.rhos - 1 - cell.r})] =
          logits[i];
    }
    RC_ASSERT(near(barycentre_of(shape, logits), barycentre_of(shape, swapped), 2e-15));
  });
}

TEST(ReadoutProperty, FoldingTheDoubleCoverKeepsTheBarycentre) {
  test::check_property([] {
    const CellShape shape = any_shape(Cover::kDouble);
    const CellShape single = shape.on(Cover::kSingle);
    const auto logits = any_logits(shape.count());
    const auto p = reference::softmax(logits, 1.0);
    std::vector<double> folded(single.count());
    fold_double_cover({p.data(), shape}, Cells<double>(folded.data(), single));
    for (double& value : folded) value = std::log(value);
    RC_ASSERT(near(barycentre_of(shape, logits), barycentre_of(single, folded), 5e-15));
  });
}

TEST(ReadoutProperty, GradientOfTheLogitsSumsToZero) {
  test::check_property([] {
    const CellShape shape = any_shape(Cover::kDouble);
    const double temperature = *test::real(0.1, 3.0);
    const auto logits = any_logits(shape.count());
    LineEmbedding grad;
    for (double& g : grad) g = *test::real(-1.0, 1.0);
    auto gradient = reference::softmax(logits, temperature);
    VeroneseSoftArgmax(shape).backward({gradient.data(), shape}, temperature,
                                       barycentre_of(shape, logits, temperature), grad);
    double sum = 0.0;
    for (const double g : gradient) sum += g;
    RC_ASSERT(std::abs(sum) < 1e-13);
  });
}

}  // namespace
}  // namespace vsmax
