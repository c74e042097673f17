// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "support/error_message.h"
#include "vsmax/evidence/evidence.h"

namespace vsmax {
namespace {

using test::throws_error_with;

void prepare(const GrayImage& image) { EvidenceStage()(image, std::nullopt); }

TEST(EvidenceStage, NamesThePixelThatIsNotFinite) {
  for (const float bad :
       {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(),
        -std::numeric_limits<float>::infinity()}) {
    GrayImage image(7, 5, 0.5F);
    image.at(6, 3) = bad;
    EXPECT_TRUE(throws_error_with({"(6, 3)"}, [&] { prepare(image); }));
  }
  GrayImage image(7, 5, 0.5F);
  image.at(0, 0) = std::numeric_limits<float>::infinity();
  EXPECT_TRUE(throws_error_with({"(0, 0)", "inf"}, [&] { prepare(image); }));
}

TEST(EvidenceStage, NamesTheFirstPixelOfSeveral) {
  GrayImage image(4, 4);
  image.at(1, 2) = image.at(3, 3) = std::numeric_limits<float>::quiet_NaN();
  EXPECT_TRUE(throws_error_with({"(1, 2)", "nan"}, [&] { prepare(image); }));
}

TEST(EvidenceStage, AcceptsEveryFiniteValue) {
  GrayImage image(3, 2);
  image.pixels = {
      0.0F, -5.0F, 1e-45F, std::numeric_limits<float>::max(), std::numeric_limits<float>::lowest(),
      0.5F};
  EXPECT_NO_THROW(prepare(image));
}

TEST(EvidenceStage, RejectsSizesThatDoNotAgree) {
  GrayImage image(7, 5);
  image.pixels.pop_back();
  EXPECT_TRUE(throws_error_with({"7x5", "34"}, [&] { prepare(image); }));
  image.pixels.resize(36);
  EXPECT_TRUE(throws_error_with({"7x5", "36"}, [&] { prepare(image); }));
  image.width = -7;
  EXPECT_TRUE(throws_error_with({"-7x5"}, [&] { prepare(image); }));
}

TEST(EvidenceStage, RejectsImagesBelow2x2) {
  for (const auto& [width, height] : {std::pair{1, 5}, {5, 1}, {1, 1}, {0, 0}, {0, 7}, {7, 0}})
    EXPECT_TRUE(throws_error_with({std::to_string(width) + "x" + std::to_string(height), "2x2"},
                                  [&, w = width, h = height] { prepare(GrayImage(w, h)); }));
}

// A view is checked like an image of its own, padding excluded.
TEST(EvidenceStage, ChecksExactlyThePixelsOfAView) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  std::vector<float> memory{0.0F, 1.0F, nan, 0.5F, 0.25F, nan};  // two rows of two and a gap
  const ImageView view(memory.data(), 2, 2, 3 * sizeof(float));
  EXPECT_NO_THROW(EvidenceStage()(view, std::nullopt));
  memory[4] = nan;
  EXPECT_TRUE(throws_error_with({"(1, 1)", "nan"}, [&] { EvidenceStage()(view, std::nullopt); }));
}

}  // namespace
}  // namespace vsmax
