// SPDX-License-Identifier: Apache-2.0
#include "vsmax/torch/photos/photos.h"

#include <ATen/Context.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "scratch_folder.h"
#include "vsmax/data/synthetic.h"
#include "vsmax/image/image_file.h"
#include "vsmax/torch/photos/blanks.h"
#include "vsmax/torch/photos/exposure.h"
#include "vsmax/torch/photos/polar_lines.h"
#include "vsmax/torch/photos/scenes.h"

namespace vsmax {
namespace {

using testing::ScratchFolder;

constexpr ImageFrame kFrame{48, 40};

// A folder with one image of a white line on black, and that line in the folder's terms.
LabelledFolder folder_with_line(const ScratchFolder& scratch, const ImageFrame& size,
                                PixelLine line) {
  GrayImage image(size);
  render_line(size, line, 0.0, {}, image.pixels);
  write_png(scratch / "line.png", image);
  const Segment seen = visible_segment(line, size).value();
  const LabelledLine label{{seen.begin[0] + size.half_width(), seen.begin[1] + size.half_height(),
                            seen.end[0] + size.half_width(), seen.end[1] + size.half_height()},
                           false,
                           2};
  return {
      scratch / "", scratch / "labels.csv", false, {{"line.png", scratch / "line.png", {label}}}};
}

// The share of a view's brightness within `reach` pixels of the line that it says it shows.
double brightness_near(const Views& views, int64_t index, double reach) {
  const auto polar = polar_from_ends(views.ends[index][0], kFrame);
  const double theta = polar[0].item<double>();
  const double rho = polar[1].item<double>() * kFrame.half_diagonal();
  const auto [x, y] = pixel_positions(kFrame, torch::kCPU);
  const auto distance = (x * std::cos(theta) + y * std::sin(theta) - rho).abs().squeeze();
  const auto image = views.images[index].mean(0);
  return ((image * (distance <= reach)).sum() / image.sum()).item<double>();
}

TEST(Photos, TheLineOfAViewLiesOnItsPixelsHoweverItIsWarped) {
  const ScratchFolder scratch;
  for (const PixelLine line : {PixelLine{0.3, 20.0}, PixelLine{0.02, -5.0}, PixelLine{2.0, 0.0}}) {
    const LabelledFolder folder = folder_with_line(scratch, {192, 130}, line);
    const Photos photos = load_photos(folder, kFrame, torch::kCPU);
    Augmentation augmentation;
    augmentation.rotation = 180.0;
    augmentation.scale = {0.9, 1.3};
    augmentation.shift = 0.05;
    augmentation.shear = 0.2;
    augmentation.stretch = 1.3;
    augmentation.mirror = true;
    at::manual_seed(5);
    const Views views = view_photos(photos, torch::zeros({32}, torch::kLong), kFrame,
                                    random_views(32, augmentation, torch::kCPU));
    // Where the view leaves the photograph, its last pixels go on, those of the line as well.
    for (int64_t i = 0; i < 32; ++i) EXPECT_GT(brightness_near(views, i, 1.6), 0.8) << i;
  }
}

TEST(Photos, WithoutAugmentationAViewIsThePhotograph) {
  const ScratchFolder scratch;
  const LabelledFolder folder = folder_with_line(scratch, kFrame, {1.0, 4.0});
  const Photos photos = load_photos(folder, kFrame, torch::kCPU);
  const Views views = view_photos(photos, torch::zeros({1}, torch::kLong), kFrame,
                                  rotated_views(torch::zeros({1})));
  EXPECT_TRUE(
      torch::allclose(views.images[0], photos.images[0].to(torch::kFloat) / 255.0, 0, 1e-5));
  const auto polar = polar_from_ends(views.ends[0][0], kFrame);
  EXPECT_NEAR(polar[0].item<double>(), 1.0, 1e-5);
  EXPECT_NEAR(polar[1].item<double>() * kFrame.half_diagonal(), 4.0, 1e-3);
}

TEST(Photos, PhotographsOfDifferentSizesShareABatch) {
  const ScratchFolder scratch;
  LabelledFolder folder = folder_with_line(scratch, {200, 100}, {1.2, 10.0});
  GrayImage square({64, 64}, 0.5F);
  write_png(scratch / "square.png", square);
  folder.images.push_back({"square.png", scratch / "square.png", {}});
  const Photos photos = load_photos(folder, kFrame, torch::kCPU);
  const Views views =
      view_photos(photos, torch::tensor({1, 0}), kFrame, rotated_views(torch::zeros({2})));
  EXPECT_TRUE(torch::allclose(views.images[0], torch::full_like(views.images[0], 0.5), 0, 3e-3));
  EXPECT_TRUE(torch::isnan(views.ends[0]).all().item<bool>());
  EXPECT_GT(brightness_near(views, 1, 1.6), 0.95);
}

TEST(Photos, RejectsALineOutsideItsImage) {
  const ScratchFolder scratch;
  LabelledFolder folder = folder_with_line(scratch, {64, 48}, {1.2, 10.0});
  folder.images[0].lines[0].ends = {100.0, 0.0, 100.0, 40.0};
  const std::string message = testing::error_of([&] { load_photos(folder, kFrame, torch::kCPU); });
  EXPECT_NE(message.find("line.png"), std::string::npos) << message;
}

TEST(PolarLines, AnyRepresentativeBecomesTheCanonicalOne) {
  const auto theta = torch::tensor({-0.1, 3.3, 1.0, 7.0}, torch::kDouble);
  const auto rho = torch::tensor({0.2, 0.2, 0.2, -0.3}, torch::kDouble);
  const auto polar = canonical_polar(theta, rho);
  for (int64_t i = 0; i < 4; ++i) {
    const UnitLine line = canonical(UnitLine{theta[i].item<double>(), rho[i].item<double>()});
    EXPECT_NEAR(polar[i][0].item<double>(), line.theta, 1e-12);
    EXPECT_NEAR(polar[i][1].item<double>(), line.rho, 1e-12);
  }
}

TEST(PolarLines, BottomCrossingIsWhereTheLineLeavesTheFrame) {
  const PixelLine line{0.2, 7.0};
  const auto polar = torch::tensor({line.theta, line.rho / kFrame.half_diagonal()});
  const double x = bottom_crossing(polar, kFrame).item<double>();
  EXPECT_NEAR(x * std::cos(0.2) + kFrame.half_height() * std::sin(0.2), 7.0, 1e-4);
}

TEST(PolarLines, ALineAlongTheBottomEdgeDoesNotCrossIt) {
  const double bottom = kFrame.half_height() / kFrame.half_diagonal();
  for (const double rho : {0.0, bottom, 0.5 * bottom}) {
    const auto polar = torch::tensor({std::numbers::pi / 2, rho}, torch::kFloat);
    EXPECT_TRUE(std::isinf(bottom_crossing(polar, kFrame).item<double>())) << rho;
  }
}

TEST(Exposure, NormalizesEachImageByItself) {
  at::manual_seed(3);
  const auto images = torch::rand({2, 3, 5, 7}) * torch::tensor({1.0, 9.0}).view({2, 1, 1, 1});
  const auto result = normalized(images).flatten(1);
  EXPECT_LT(result.mean({1}).abs().max().item<double>(), 1e-5);
  EXPECT_LT((result.std(1, true) - 1.0).abs().max().item<double>(), 5e-3);
  EXPECT_TRUE(torch::equal(normalized(torch::ones({1, 3, 4, 4})), torch::zeros({1, 3, 4, 4})));
}

TEST(Exposure, TheDiscHidesTheCorners) {
  at::manual_seed(4);
  const auto images = torch::rand({1, 3, 16, 16});
  const auto result = keep_disc(images);
  EXPECT_TRUE(torch::equal(result[0].slice(1, 6, 10), images[0].slice(1, 6, 10)));
  EXPECT_NEAR(result[0][0][0][0].item<double>(), result.mean().item<double>(), 0.02);
}

TEST(Scenes, AreAFunctionOfTheSeed) {
  const Canvas canvas{3, kFrame, torch::kCPU};
  const auto draw_both = [&](std::uint64_t seed) {
    at::manual_seed(seed);
    const Scenes scenes = draw_scenes(canvas, 0.3);
    return std::pair{torch::cat({photographed(scenes.images), photographed(draw_blanks(canvas))}),
                     scenes.truth};
  };
  const auto [images, truth] = draw_both(1);
  const auto [again, same] = draw_both(1);
  EXPECT_TRUE(torch::equal(images, again));
  EXPECT_TRUE(torch::equal(truth, same));
  EXPECT_FALSE(torch::equal(truth, draw_both(2).second));
  EXPECT_TRUE(torch::isfinite(images).all().item<bool>());
}

// Across its horizon a scene changes more than across parallel lines nearby, in most scenes.
TEST(Scenes, ChangeAcrossTheirHorizon) {
  constexpr int kScenes = 200;
  const ImageFrame frame{96, 72};
  at::manual_seed(8);
  const Scenes scenes = draw_scenes({kScenes, frame, torch::kCPU}, 0.35);
  const auto [x, y] = pixel_positions(frame, torch::kCPU);
  int steeper = 0;
  for (int64_t i = 0; i < kScenes; ++i) {
    const double theta = scenes.truth[i][0].item<double>();
    const double rho = scenes.truth[i][1].item<double>() * frame.half_diagonal();
    EXPECT_NEAR(theta, std::numbers::pi / 2.0, 0.351);
    const auto distance = (x * std::cos(theta) + y * std::sin(theta) - rho).squeeze();
    const auto mean_at = [&](double from, double to) {
      const auto band = ((distance > from).logical_and(distance <= to)).to(torch::kFloat);
      return (scenes.images[i] * band).sum({1, 2}) / band.sum().clamp_min(1.0);
    };
    const auto step = [&](double at) { return (mean_at(at, at + 2) - mean_at(at - 2, at)).norm(); };
    const double here = step(0.0).item<double>();
    steeper += here > step(6.0).item<double>() && here > step(-6.0).item<double>() ? 1 : 0;
  }
  EXPECT_GT(steeper, kScenes * 3 / 4);
}

class Blanks : public ::testing::Test {
 protected:
  static constexpr int64_t kCount = 150;
  static constexpr ImageFrame kSize{96, 72};

  static void SetUpTestSuite() {
    at::manual_seed(5);
    images_ = draw_blanks({kCount, kSize, torch::kCPU});
    grey_ = images_.mean({1});
  }
  static void TearDownTestSuite() { images_ = grey_ = torch::Tensor(); }

  inline static torch::Tensor images_;
  inline static torch::Tensor grey_;
};

TEST_F(Blanks, MayBeAsSmallAsTheFrontEndAllows) {
  EXPECT_TRUE(torch::isfinite(draw_blanks({40, {16, 16}, torch::kCPU})).all().item<bool>());
}

TEST_F(Blanks, AreFinitePicturesThatDifferFromEachOther) {
  EXPECT_EQ(images_.sizes(), (std::vector<int64_t>{kCount, 3, kSize.height, kSize.width}));
  EXPECT_TRUE(torch::isfinite(images_).all().item<bool>());
  EXPECT_GT(images_.flatten(1).std(1).min().item<double>(), 0.01);
  EXPECT_GT(torch::pdist(images_.flatten(1)).min().item<double>(), 1.0);
}

// Textures run in every direction: over all pictures, no direction of the gradient prevails.
TEST_F(Blanks, HaveNoPreferredDirection) {
  const auto inner = grey_.slice(1, 1, -1);
  const auto dx = inner.slice(2, 2) - inner.slice(2, 0, -2);
  const auto within = grey_.slice(2, 1, -1);
  const auto dy = within.slice(1, 2) - within.slice(1, 0, -2);
  const auto strength = (dx.square() + dy.square()).flatten(1).sum(1);
  const auto cosine = (dx.square() - dy.square()).flatten(1).sum(1) / strength;
  const auto sine = (2.0 * dx * dy).flatten(1).sum(1) / strength;
  EXPECT_LT(std::abs(cosine.mean().item<double>()), 0.1);
  EXPECT_LT(std::abs(sine.mean().item<double>()), 0.1);
  // Many a picture has one of its own.
  EXPECT_GT((torch::hypot(cosine, sine) > 0.4).sum().item<int64_t>(), kCount / 10);
}

// The means of two strips beside each other differ by far less than the pixels do, unless a
// straight edge or line runs between them or along one.
TEST_F(Blanks, HaveNoLineAcrossThePicture) {
  const auto [x, y] = pixel_positions(kSize, torch::kCPU);
  const auto spread = grey_.flatten(1).std(1);
  auto most = torch::zeros({kCount});
  for (int angle = 0; angle < 12; ++angle) {
    const double theta = std::numbers::pi * angle / 12;
    const auto distance = (x * std::cos(theta) + y * std::sin(theta)).squeeze();
    for (int rho = -24; rho <= 24; rho += 2) {
      const auto mean_at = [&](double from, double to) {
        const auto band = ((distance > from).logical_and(distance <= to)).to(torch::kFloat);
        return (grey_ * band).sum({1, 2}) / band.sum();
      };
      const auto step = (mean_at(rho, rho + 2) - mean_at(rho - 2, rho)).abs() / spread;
      most = torch::maximum(most, step);
    }
  }
  EXPECT_LT(most.max().item<double>(), 1.5);
}

}  // namespace
}  // namespace vsmax
