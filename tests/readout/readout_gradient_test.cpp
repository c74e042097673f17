// SPDX-License-Identifier: Apache-2.0
// The derivatives of the readouts through the softmax, against central differences in double.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <vector>

#include "support/finite_difference.h"
#include "support/random.h"
#include "vsmax/geometry/symmetric_eigen.h"
#include "vsmax/readout/soft_argmax.h"
#include "vsmax/readout/softmax.h"
#include "vsmax/readout/veronese_soft_argmax.h"

namespace vsmax {
namespace {

const std::vector<HoughGrid> kGrids{{{48, 36}, 6, 7}, {{31, 77}, 5, 9}, {{9, 9}, 1, 3}};
constexpr double kTemperatures[] = {1.0, 0.3};

std::vector<double> softmax_of(const std::vector<double>& logits, double temperature) {
  std::vector<double> p(logits.size());
  softmax(logits.data(), logits.size(), temperature, p.data());
  return p;
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

TEST(ReadoutGradient, OfVsmaxIsThatOfDifferences) {
  test::Random random;
  for (const auto& grid : kGrids)
    for (const Cover cover : {Cover::kSingle, Cover::kDouble})
      for (const double temperature : kTemperatures) {
        const VeroneseSoftArgmax readout(grid, cover);
        const auto logits = random.normals<double>(readout.cells());
        const auto grad = random.direction<6>();
        const auto p = softmax_of(logits, temperature);
        std::vector<double> gradient(p.size());
        readout.backward(p.data(), temperature, readout.barycentre(p.data()), grad,
                         gradient.data());
        expect_is_gradient(gradient, logits, [&](const std::vector<double>& at) {
          return dot(grad, readout.barycentre(softmax_of(at, temperature).data()));
        });
      }
}

TEST(ReadoutGradient, OfSoftArgmaxIsThatOfDifferences) {
  test::Random random;
  for (const auto& grid : kGrids)
    for (const double temperature : kTemperatures) {
      const auto logits = random.normals<double>(grid.cells());
      const PolarMean grad = random.direction<2>();
      const auto p = softmax_of(logits, temperature);
      std::vector<double> gradient(p.size());
      soft_argmax_backward(grid, p.data(), temperature, soft_argmax(grid, p.data()), grad,
                           gradient.data());
      expect_is_gradient(gradient, logits, [&](const std::vector<double>& at) {
        return dot(grad, soft_argmax(grid, softmax_of(at, temperature).data()));
      });
    }
}

// The whole way of the decoded line: logits, softmax, barycentre, matrix, eigenvector.
TEST(ReadoutGradient, OfTheDecodedLineIsThatOfDifferences) {
  test::Random random;
  const HoughGrid grid({48, 36}, 6, 7);
  const VeroneseSoftArgmax readout(grid, Cover::kDouble);
  for (const double temperature : kTemperatures) {
    auto logits = random.normals<double>(readout.cells());
    logits[17] += 6.0 * temperature;  // a peak, so that the leading eigenvalue stands out
    const auto p = softmax_of(logits, temperature);
    const auto barycentre = readout.barycentre(p.data());
    const auto eigen = symmetric_eigen<3>(symmetric_from_veronese<3>(barycentre));
    ASSERT_GT(eigen.gap(), 0.2);
    const auto grad = random.direction<3>();
    const auto to_matrix = leading_eigenvector_backward<3>(eigen, grad);
    // The embedding is an isometry, so the gradient of its coordinates is that of the matrix.
    const auto to_embedding = veronese_from_symmetric<3>(to_matrix);
    std::vector<double> gradient(p.size());
    readout.backward(p.data(), temperature, barycentre, to_embedding, gradient.data());
    expect_is_gradient(
        gradient, logits,
        [&](const std::vector<double>& at) {
          const auto u = symmetric_eigen<3>(symmetric_from_veronese<3>(readout.barycentre(
                                                softmax_of(at, temperature).data())))
                             .leading();
          return dot(u, eigen.leading()) < 0.0 ? -dot(u, grad) : dot(u, grad);
        },
        1e-6);  // the guard moves the derivative by (guard / gap)^2 < 3e-7
  }
}

TEST(ReadoutGradient, OfFloatsIsThatOfDoubles) {
  test::Random random;
  const HoughGrid grid({48, 36}, 31, 33);
  const VeroneseSoftArgmax readout(grid, Cover::kDouble);
  const auto narrow = random.uniforms<float>(readout.cells(), 0.0, 1e-3);
  const std::vector<double> wide(narrow.begin(), narrow.end());
  const auto grad = random.direction<6>();
  std::vector<float> a(narrow.size());
  std::vector<double> b(wide.size());
  readout.backward(narrow.data(), 0.5, readout.barycentre(narrow.data()), grad, a.data());
  readout.backward(wide.data(), 0.5, readout.barycentre(wide.data()), grad, b.data());
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_EQ(a[i], static_cast<float>(b[i]));

  soft_argmax_backward(grid, narrow.data(), 0.5, {1.0, 0.1}, {0.3, -0.4}, a.data());
  soft_argmax_backward(grid, wide.data(), 0.5, {1.0, 0.1}, {0.3, -0.4}, b.data());
  for (std::size_t i = 0; i < grid.cells(); ++i) EXPECT_EQ(a[i], static_cast<float>(b[i]));
}

TEST(ReadoutGradient, SumsToZeroOnThePapersGrid) {
  test::Random random;
  const VeroneseSoftArgmax readout(HoughGrid::paper(), Cover::kDouble);
  const auto p = softmax_of(random.normals<double>(readout.cells(), 0.0, 3.0), 1.0);
  std::vector<double> gradient(p.size());
  readout.backward(p.data(), 1.0, readout.barycentre(p.data()), random.direction<6>(),
                   gradient.data());
  EXPECT_NEAR(std::accumulate(gradient.begin(), gradient.end(), 0.0), 0.0, 1e-14);
}

}  // namespace
}  // namespace vsmax
