// SPDX-License-Identifier: Apache-2.0
// A model on CUDA gives the lines of the same model on the CPU.
#include "vsmax/recover/cuda_recoverer.h"

#include <cmath>
#include <numbers>
#include <vector>

#include "cuda_test.h"
#include "support/error_message.h"
#include "support/random.h"
#include "vsmax/recover/batch_recoverer.h"
#include "vsmax/recover/line_recoverer.h"

namespace vsmax {
namespace {

// The paper's network fits any grid. On the host a small one takes long enough.
Model small_model() {
  Model model = load_model("paper");
  model.spec.frame = ImageFrame{40, 32};
  model.spec.bins = GridBins{22, 31};
  return model;
}

constexpr CudaOptions kFloat{.most_images = 3, .precision = CudaPrecision::kFloat};
constexpr CudaOptions kBfloat16{.most_images = 3};

// A line one pixel wide, in 8 bits.
std::vector<std::uint8_t> drawn(const ImageFrame& frame, PixelLine line) {
  std::vector<std::uint8_t> pixels(frame.pixels());
  for (int row = 0; row < frame.height; ++row)
    for (int column = 0; column < frame.width; ++column) {
      const double distance =
          frame.x(column) * std::cos(line.theta) + frame.y(row) * std::sin(line.theta) - line.rho;
      pixels[frame.index(column, row)] = std::abs(distance) <= 0.5 ? 250 : 10;
    }
  return pixels;
}

class CudaRecoverer : public test::CudaTest {
 protected:
  std::vector<std::uint8_t> drawn_at_random(const ImageFrame& frame) {
    return drawn(frame, {random_.uniform(0.0, std::numbers::pi), random_.uniform(-10.0, 10.0)});
  }

  test::Random random_;
};

TEST_F(CudaRecoverer, AnyImageHasTheSameLineAndConfidence) {
  const Model model = small_model();
  LineRecoverer on_processor(model);
  LineRecoverer on_device(on_cuda(model, kFloat));
  for (const ImageFrame& size : {ImageFrame{40, 32}, ImageFrame{90, 50}, ImageFrame{17, 30}}) {
    const auto pixels = drawn_at_random(size);
    const ImageView image(pixels.data(), size.width, size.height);
    const Recovery expected = on_processor(image);
    const Recovery found = on_device(image);
    ASSERT_EQ(found.lines.size(), expected.lines.size());
    for (std::size_t i = 0; i < found.lines.size(); ++i) {
      EXPECT_NEAR(found.lines[i].line.theta, expected.lines[i].line.theta, 1e-4);
      EXPECT_NEAR(found.lines[i].line.rho, expected.lines[i].line.rho, 1e-3);
      EXPECT_NEAR(found.lines[i].confidence, expected.lines[i].confidence, 1e-3);
    }
  }
}

TEST_F(CudaRecoverer, ThreadsThatShareTheDeviceGetTheirOwnLines) {
  const Model model = small_model();
  std::vector<std::vector<std::uint8_t>> pixels;
  std::vector<ImageView> images;
  const ImageFrame frame = *model.spec.frame;
  for (int i = 0; i < 10; ++i) pixels.push_back(drawn_at_random(frame));
  for (const auto& image : pixels) images.emplace_back(image.data(), frame.width, frame.height);
  BatchRecoverer on_device(on_cuda(model, kFloat), 5);
  const auto found = on_device(images);
  LineRecoverer alone(on_cuda(model, kFloat));
  for (std::size_t i = 0; i < images.size(); ++i) {
    const Recovery expected = alone(images[i]);
    ASSERT_EQ(found[i].lines.size(), expected.lines.size()) << "image " << i;
    for (std::size_t k = 0; k < expected.lines.size(); ++k)
      EXPECT_EQ(found[i].lines[k].line, expected.lines[k].line) << "image " << i;
  }
}

TEST_F(CudaRecoverer, BatchesOf8BitImagesHaveTheLinesOfTheCore) {
  const Model model = small_model();
  LineRecoverer on_processor(model);
  for (const CudaOptions& options : {kFloat, kBfloat16}) {
    const bool exact = options.precision == CudaPrecision::kFloat;
    CudaLineRecoverer on_device(model, options);
    const ImageFrame frame = on_device.frame();
    std::vector<std::uint8_t> images;
    constexpr std::size_t kImages = 5;  // more than fit at a time
    for (std::size_t i = 0; i < kImages; ++i) {
      const auto pixels = drawn_at_random(frame);
      images.insert(images.end(), pixels.begin(), pixels.end());
    }
    const auto found = on_device(images);
    ASSERT_EQ(found.size(), kImages);
    // The first time kernel by kernel, then as a graph.
    for (int repeat = 0; repeat < 2; ++repeat) {
      const auto again = on_device(images);
      for (std::size_t i = 0; i < kImages; ++i) EXPECT_EQ(again[i].line, found[i].line);
    }
    for (std::size_t i = 0; i < kImages; ++i) {
      const ImageView image(images.data() + i * frame.pixels(), frame.width, frame.height);
      const auto expected = on_processor(image).lines;
      ASSERT_EQ(expected.size(), 1U);
      EXPECT_LT(angle_between(found[i].line.theta, expected[0].line.theta), exact ? 1e-4 : 0.02);
      EXPECT_GE(found[i].expected_score, expected[0].confidence - 1e-3);
    }
    // The same from the device's memory.
    const DeviceArray<std::uint8_t> there(
        std::span<const std::uint8_t>(images).first(2 * frame.pixels()));
    for (int repeat = 0; repeat < 3; ++repeat) {
      on_device.start({there.data(), 2});
      const auto again = on_device.wait();
      ASSERT_EQ(again.size(), 2U);
      for (std::size_t i = 0; i < 2; ++i) EXPECT_EQ(again[i].line, found[i].line);
    }
  }
}

TEST_F(CudaRecoverer, SaysWhatItCannotDo) {
  EXPECT_TRUE(test::throws_error_with({"'classic' does not run on CUDA", "such as paper"},
                                      [] { on_cuda(load_model("classic")); }));
  CudaLineRecoverer recover(small_model(), kBfloat16);
  EXPECT_TRUE(
      test::throws_error_with({"1281 bytes are not a whole number of images of 40x32 pixels"},
                              [&] { recover(std::vector<std::uint8_t>(1281)); }));
  EXPECT_TRUE(test::throws_error_with({"a batch of 4 images exceeds the 3"}, [&] {
    recover.start({nullptr, 4});
  }));
  EXPECT_TRUE(recover({}).empty());
}

}  // namespace
}  // namespace vsmax
