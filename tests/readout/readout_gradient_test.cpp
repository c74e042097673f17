// SPDX-License-Identifier: Apache-2.0
// The derivative of VSmax through the softmax, against central differences in double.
#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "support/finite_difference.h"
#include "support/random.h"
#include "support/softmax.h"
#include "vsmax/geometry/symmetric_eigen.h"
#include "vsmax/readout/veronese_soft_argmax.h"

namespace vsmax {
namespace {

const std::vector<CellShape> kSmallShapes{{6, 7}, {5, 9}, {1, 3}};
constexpr double kTemperatures[] = {1.0, 0.3};

LineEmbedding barycentre_of(const VeroneseSoftArgmax& readout, const std::vector<double>& logits,
                            double temperature) {
  return readout.read(Cells<const double>(logits.data(), readout.shape()), temperature).barycentre;
}

// dL/dlogits for dL/dbarycentre = grad.
std::vector<double> gradient_of(const VeroneseSoftArgmax& readout,
                                const std::vector<double>& logits, double temperature,
                                const LineEmbedding& grad) {
  std::vector<double> gradient = reference::softmax(logits, temperature);
  readout.backward({gradient.data(), readout.shape()}, temperature,
                   barycentre_of(readout, logits, temperature), grad);
  return gradient;
}

// Every entry of `gradient` against the difference quotient of loss(logits).
template <class Loss>
void expect_is_gradient(const std::vector<double>& gradient, std::vector<double> logits,
                        const Loss& loss, double tolerance = 1e-10) {
  for (std::size_t i = 0; i < logits.size(); ++i) {
    const double center = logits[i];
    const double numeric = test::derivative([&](double h) {
      logits[i] = center + h;
      return loss(logits);
    });
    logits[i] = center;
    EXPECT_NEAR(gradient[i], numeric, tolerance) << "logit " << i;
  }
  EXPECT_NEAR(std::accumulate(gradient.begin(), gradient.end(), 0.0), 0.0, 1e-13);
}

TEST(ReadoutGradient, OfVsmaxAgreesWithFiniteDifferences) {
  test::Random random;
  for (const CellShape& shape : kSmallShapes)
    for (const Cover cover : {Cover::kSingle, Cover::kDouble})
      for (const double temperature : kTemperatures) {
        const VeroneseSoftArgmax readout(shape.on(cover));
        const auto logits = random.normals<double>(readout.shape().count());
        const auto grad = random.direction<6>();
        expect_is_gradient(gradient_of(readout, logits, temperature, grad), logits,
                           [&](const std::vector<double>& at) {
                             return dot(grad, barycentre_of(readout, at, temperature));
                           });
      }
}

// All the way of the decoded line: logits, softmax, barycentre, matrix, eigenvector.
TEST(ReadoutGradient, OfTheDecodedLineAgreesWithFiniteDifferences) {
  test::Random random;
  const VeroneseSoftArgmax readout({6, 7, Cover::kDouble});
  const auto eigen_of = [&](const std::vector<double>& logits, double temperature) {
    return symmetric_eigen(symmetric_from_veronese<3>(barycentre_of(readout, logits, temperature)));
  };
  for (const double temperature : kTemperatures) {
    auto logits = random.normals<double>(readout.shape().count());
    logits[17] += 6.0 * temperature;  // a peak, so that the leading eigenvalue stands out
    const auto eigen = eigen_of(logits, temperature);
    ASSERT_GT(eigen.gap(), 0.2);
    const auto grad = random.direction<3>();
    // The embedding is an isometry, so the gradient of its coordinates is that of the matrix.
    const auto to_embedding =
        veronese_from_symmetric<3>(leading_eigenvector_backward<3>(eigen, grad));
    expect_is_gradient(
        gradient_of(readout, logits, temperature, to_embedding), logits,
        [&](const std::vector<double>& at) {
          const auto u = eigen_of(at, temperature).leading();
          return dot(u, eigen.leading()) < 0.0 ? -dot(u, grad) : dot(u, grad);
        },
        1e-6);  // the guard moves the derivative by (guard / gap)^2 < 3e-7
  }
}

TEST(ReadoutGradient, SumsToZeroOnThePapersGrid) {
  test::Random random;
  const VeroneseSoftArgmax readout(HoughGrid::paper().shape(Cover::kDouble));
  const auto logits = random.normals<double>(readout.shape().count(), 0.0, 3.0);
  const auto gradient = gradient_of(readout, logits, 1.0, random.direction<6>());
  EXPECT_NEAR(std::accumulate(gradient.begin(), gradient.end(), 0.0), 0.0, 1e-14);
}

}  // namespace
}  // namespace vsmax
