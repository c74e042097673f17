// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <limits>

#include "support/error_message.h"
#include "vsmax/evidence/evidence.h"

namespace vsmax {
namespace {

using test::throws_error_with;

TEST(RequireFinite, NamesThePixelByColumnAndRow) {
  for (const float bad :
       {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(),
        -std::numeric_limits<float>::infinity()}) {
    GrayImage image(7, 5, 0.5F);
    image.at(6, 3) = bad;
    EXPECT_TRUE(throws_error_with({"(6, 3)"}, [&] { require_finite(image); }));
  }
  GrayImage image(7, 5, 0.5F);
  image.at(0, 0) = std::numeric_limits<float>::infinity();
  EXPECT_TRUE(throws_error_with({"(0, 0)", "inf"}, [&] { require_finite(image); }));
}

TEST(RequireFinite, NamesTheFirstOfSeveral) {
  GrayImage image(4, 4);
  image.at(1, 2) = image.at(3, 3) = std::numeric_limits<float>::quiet_NaN();
  EXPECT_TRUE(throws_error_with({"(1, 2)", "nan"}, [&] { require_finite(image); }));
}

TEST(RequireFinite, LetsEveryFiniteValuePass) {
  GrayImage image(3, 2);
  image.pixels = {
      0.0F, -5.0F, 1e-45F, std::numeric_limits<float>::max(), std::numeric_limits<float>::lowest(),
      0.5F};
  EXPECT_NO_THROW(require_finite(image));
}

TEST(RequireFinite, RefusesSizesThatDoNotAgree) {
  GrayImage image(7, 5);
  image.pixels.pop_back();
  EXPECT_TRUE(throws_error_with({"7x5", "34"}, [&] { require_finite(image); }));
  image.pixels.resize(36);
  EXPECT_TRUE(throws_error_with({"7x5", "36"}, [&] { require_finite(image); }));
  image.width = -7;
  EXPECT_TRUE(throws_error_with({"-7x5"}, [&] { require_finite(image); }));
}

}  // namespace
}  // namespace vsmax
