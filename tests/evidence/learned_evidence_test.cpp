// SPDX-License-Identifier: Apache-2.0
// The image as the front end gets it: its working size, its normalisation, and the way back.
#include "vsmax/evidence/learned_evidence.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "support/error_message.h"
#include "support/random.h"
#include "support/reference_front_net.h"

namespace vsmax {
namespace {

// A front end with random weights.
class LearnedEvidenceTest : public ::testing::Test {
 protected:
  Evidence evidence_of(const ImageView& image) { return stage_(image, net_, {48, 32}, 1); }

  test::Random random_;

 private:
  const FrontNet net_ = test::random_front_net(random_);
  LearnedEvidence stage_;
};

TEST(WorkingFrame, HasTheNominalAreaAndTheImagesProportions) {
  for (const ImageFrame image : {ImageFrame{480, 320}, {4000, 3000}, {300, 900}, {31, 30}}) {
    const ImageFrame frame = LearnedEvidence::working_frame(image, {192, 144});
    EXPECT_EQ(frame.width % FrontNet::kGranule, 0);
    EXPECT_EQ(frame.height % FrontNet::kGranule, 0);
    EXPECT_NEAR(static_cast<double>(frame.pixels()), 192.0 * 144.0, 0.08 * 192 * 144);
    const double stretch =
        static_cast<double>(frame.width) / frame.height * image.height / image.width;
    EXPECT_NEAR(stretch, 1.0, 0.08) << image.width << "x" << image.height;
  }
  const ImageFrame thin = LearnedEvidence::working_frame({10000, 2}, {192, 144});
  EXPECT_EQ(thin.height, 2 * FrontNet::kGranule);
}

TEST_F(LearnedEvidenceTest, DoesNotDependOnBrightnessAndContrast) {
  GrayImage image(96, 64);
  image.pixels = random_.uniforms<float>(image.pixels.size(), 0.2, 0.8);
  const Evidence first = evidence_of(image);
  const std::vector<float> evidence(first.pixels.begin(), first.pixels.end());
  const double largest = *std::max_element(evidence.begin(), evidence.end());
  for (float& value : image.pixels) value = 0.1F + 0.5F * value;
  const Evidence second = evidence_of(image);
  for (std::size_t i = 0; i < evidence.size(); ++i)
    EXPECT_NEAR(second.pixels[i], evidence[i], 0.05 * largest);
  for (const float value : second.image) EXPECT_LT(std::abs(value), 4.0F);
}

TEST_F(LearnedEvidenceTest, SeesNothingInAnImageWithoutContrast) {
  const GrayImage flat(50, 40, 0.1F);
  const Evidence evidence = evidence_of(flat);
  for (const float value : evidence.image) EXPECT_EQ(value, 0.0F);
}

// A pixel's place in the working frame and back.
TEST_F(LearnedEvidenceTest, PlacesLinesWhereTheyAreInTheImage) {
  const GrayImage image(300, 100, 0.5F);
  const Evidence evidence = evidence_of(image);
  const double across = static_cast<double>(evidence.frame.width) / 300.0;
  const PixelLine upright = evidence.placement.image_from_work({0.0, 30.0 * across});
  EXPECT_NEAR(upright.theta, 0.0, 1e-12);
  EXPECT_NEAR(upright.rho, 30.0, 1e-9);
}

TEST_F(LearnedEvidenceTest, RejectsWhatHoldsNoLine) {
  EXPECT_TRUE(test::throws_error_with({"1x5", "2x2"}, [&] { evidence_of(GrayImage(1, 5)); }));
  GrayImage image(4, 4);
  image.at(3, 1) = std::numeric_limits<float>::infinity();
  EXPECT_TRUE(test::throws_error_with({"(3, 1)", "inf"}, [&] { evidence_of(image); }));
}

}  // namespace
}  // namespace vsmax
