// SPDX-License-Identifier: Apache-2.0
// The readouts in polar coordinates: argmax and soft-argmax.
#include <gtest/gtest.h>

#include <vector>

#include "support/random.h"
#include "vsmax/readout/argmax.h"
#include "vsmax/readout/soft_argmax.h"

namespace vsmax {
namespace {

const std::vector<CellShape> kPolarShapes{{12, 13}, {15, 21}, {1, 3}};

TEST(SoftArgmax, OfOneCellIsThatCell) {
  for (const CellShape& shape : kPolarShapes) {
    std::vector<float> p(shape.count(), 0.0F);
    for (std::size_t i = 0; i < p.size(); ++i) {
      p[i] = 1.0F;
      const UnitLine mean = soft_argmax({p.data(), shape});
      EXPECT_NEAR(mean.theta, shape.line(shape.cell(i)).theta, 1e-12);
      EXPECT_NEAR(mean.rho, shape.line(shape.cell(i)).rho, 1e-12);
      p[i] = 0.0F;
    }
  }
}

TEST(SoftArgmax, IsTheMeanOfThePolarCoordinates) {
  test::Random random;
  for (const CellShape& shape : kPolarShapes) {
    const auto p = random.uniforms<float>(shape.count());
    double theta = 0.0;
    double rho = 0.0;
    for (std::size_t i = 0; i < p.size(); ++i) {
      const UnitLine line = shape.line(shape.cell(i));
      theta += static_cast<double>(p[i]) * line.theta;
      rho += static_cast<double>(p[i]) * line.rho;
    }
    const UnitLine mean = soft_argmax({p.data(), shape});
    EXPECT_NEAR(mean.theta, theta, 1e-11);
    EXPECT_NEAR(mean.rho, rho, 1e-11);
  }
}

TEST(Argmax, IsTheLargestCell) {
  for (const CellShape& single : kPolarShapes)
    for (const Cover cover : {Cover::kSingle, Cover::kDouble}) {
      const CellShape shape = single.on(cover);
      std::vector<float> values(shape.count(), -5.0F);
      for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = -1.0F;
        EXPECT_EQ(shape.index(argmax({values.data(), shape})), i);
        values[i] = -5.0F;
      }
    }
}

TEST(Argmax, IsTheFirstOfEquals) {
  const CellShape shape = kPolarShapes[0];
  std::vector<float> values(shape.count(), 0.0F);
  EXPECT_EQ(shape.index(argmax({values.data(), shape})), 0U);
  for (const Cell cell : {Cell{3, 4}, Cell{3, 5}, Cell{7, 1}}) values[shape.index(cell)] = 2.0F;
  EXPECT_EQ(shape.index(argmax({values.data(), shape})), shape.index({3, 4}));
}

}  // namespace
}  // namespace vsmax
