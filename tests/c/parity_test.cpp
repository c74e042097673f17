// SPDX-License-Identifier: Apache-2.0
// libvsmax.so against the C++ library in the same process: the same lines to the last bit.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "c/recoverer_handle.h"
#include "support/lines.h"
#include "vsmax/geometry/ea_score.h"
#include "vsmax/image/image_file.h"
#include "vsmax/io/file.h"
#include "vsmax/recover/line_recoverer.h"

namespace vsmax {
namespace {

constexpr ImageFrame kFrame{96, 80};

std::vector<double> numbers_of(const vsmax_line& line) {
  std::vector<double> numbers{line.theta, line.rho, line.confidence};
  if (line.is_visible != 0) numbers.insert(numbers.end(), {line.x1, line.y1, line.x2, line.y2});
  if (line.has_spread != 0) {
    numbers.insert(numbers.end(), {line.theta_sd, line.rho_sd, line.correlation});
    for (const auto* interval : {line.theta_68, line.theta_95, line.rho_68, line.rho_95})
      numbers.insert(numbers.end(), interval, interval + 2);
  }
  return numbers;
}

std::vector<double> numbers_of(const RecoveredLine& line, const ImageFrame& frame) {
  std::vector<double> numbers{line.line.theta, line.line.rho, line.confidence};
  if (line.visible)
    for (const auto& [x, y] : {line.visible->begin, line.visible->end})
      numbers.insert(numbers.end(), {x + frame.half_width(), y + frame.half_height()});
  if (line.spread) {
    const LineSpread& spread = *line.spread;
    numbers.insert(numbers.end(), {spread.theta_sd, spread.rho_sd, spread.correlation});
    for (const auto& interval : {spread.theta_68, spread.theta_95, spread.rho_68, spread.rho_95})
      numbers.insert(numbers.end(), interval.begin(), interval.end());
  }
  return numbers;
}

void expect_same(const vsmax_result& result, const Recovery& recovery, const ImageFrame& frame) {
  EXPECT_EQ(result.width, frame.width);
  EXPECT_EQ(result.height, frame.height);
  ASSERT_EQ(result.line_count, recovery.lines.size());
  for (std::size_t i = 0; i < result.line_count; ++i)
    EXPECT_EQ(numbers_of(result.lines[i]), numbers_of(recovery.lines[i], frame)) << i;
}

TEST(CInterface, FindsTheLinesOfTheLibraryWithEveryModel) {
  const GrayImage image = test::image_of(kFrame, {0.7, -9.0}, 0.1);
  for (std::size_t i = 0; vsmax_builtin_model(i) != nullptr; ++i) {
    const std::string model = vsmax_builtin_model(i);
    SCOPED_TRACE(model);
    LineRecoverer recover(load_model(model));
    const auto recoverer = test::make_recoverer(model);
    vsmax_image view = test::image_with(image.pixels.data(), image.width, image.height);
    view.sample_type = VSMAX_FLOAT32;
    for (const int most : {1, 0, 3}) {
      const vsmax_options options{sizeof(vsmax_options), most, 0.1};
      vsmax_result result = VSMAX_RESULT_INIT;
      ASSERT_EQ(vsmax_recover(recoverer.get(), &view, &options, &result), VSMAX_OK);
      const LinesWanted wanted{most == 0 ? LinesWanted::kAuto : most, 0.1};
      const Recovery expected = recover(image, wanted);
      expect_same(result, expected, kFrame);
      EXPECT_EQ(result.model, model == "auto" ? expected.model : model);
    }
  }
}

TEST(CInterface, BuiltinModelsAreThoseOfTheLibrary) {
  const auto models = builtin_models();
  for (std::size_t i = 0; i < models.size(); ++i) {
    EXPECT_EQ(vsmax_builtin_model(i), models[i].name);
    EXPECT_EQ(vsmax_builtin_description(i), models[i].sentence);
  }
  EXPECT_EQ(vsmax_builtin_model(models.size()), nullptr);
  EXPECT_EQ(vsmax_builtin_description(models.size()), nullptr);
  EXPECT_EQ(vsmax_builtin_model(std::numeric_limits<std::size_t>::max()), nullptr);
}

TEST(CInterface, StatesTheSpreadAndTheEndsOnlyWhereThereAreAny) {
  const GrayImage image = test::image_of(kFrame, {0.7, -9.0}, 0.1);
  vsmax_image view = test::image_with(image.pixels.data(), image.width, image.height);
  view.sample_type = VSMAX_FLOAT32;
  for (const std::string model : {"default", "classic"}) {
    const auto recoverer = test::make_recoverer(model);
    vsmax_result result = VSMAX_RESULT_INIT;
    ASSERT_EQ(vsmax_recover(recoverer.get(), &view, nullptr, &result), VSMAX_OK);
    ASSERT_EQ(result.line_count, 1U);
    EXPECT_EQ(result.lines[0].has_spread, model == "default" ? 1 : 0);
    EXPECT_EQ(result.lines[0].theta_sd > 0.0, model == "default");
    EXPECT_EQ(result.lines[0].is_visible, 1);
    for (const double reserved : result.lines[0].reserved) EXPECT_EQ(reserved, 0.0);
  }
}

// In memory: where pixel (0, 0) is, the strides, and the order of the channels.
struct Layout {
  std::ptrdiff_t origin, row, pixel;
  int channels;
};

template <class Sample>
constexpr int kSampleType = std::is_same_v<Sample, std::uint8_t>    ? VSMAX_UINT8
                            : std::is_same_v<Sample, std::uint16_t> ? VSMAX_UINT16
                                                                    : VSMAX_FLOAT32;

template <class Sample>
class CInterfaceOf : public ::testing::Test {};
using SampleTypes = ::testing::Types<std::uint8_t, std::uint16_t, float>;
TYPED_TEST_SUITE(CInterfaceOf, SampleTypes);

// The same picture in every layout, as the C++ library sees it without gaps.
TYPED_TEST(CInterfaceOf, ReadsEveryLayout) {
  using Sample = TypeParam;
  constexpr auto kSize = static_cast<std::ptrdiff_t>(sizeof(Sample));
  constexpr int kWidth = kFrame.width;
  constexpr int kHeight = kFrame.height;
  const double white =
      std::is_same_v<Sample, float> ? 1.0 : static_cast<double>(std::numeric_limits<Sample>::max());
  const GrayImage drawn = test::image_of(kFrame, {2.0, 6.0}, 0.05);
  std::vector<Sample> gray;
  std::vector<Sample> rgb;
  for (const float value : drawn.pixels) {
    const double level = std::min(1.0, std::max(0.0, 0.2 + 0.6 * value)) * white;
    gray.push_back(static_cast<Sample>(level));
    for (const double share : {1.0, 0.6, 0.3}) rgb.push_back(static_cast<Sample>(share * level));
  }
  LineRecoverer recover(load_model("auto"));
  const Recovery of_gray = recover(ImageView(gray.data(), kWidth, kHeight), {32, 0.5});
  const Recovery of_rgb = recover(ImageView::rgb(rgb.data(), kWidth, kHeight), {32, 0.5});
  ASSERT_FALSE(of_gray.lines.empty());
  const auto recoverer = test::make_recoverer("auto");

  for (const Layout& layout :
       {Layout{0, 0, 0, VSMAX_GRAY}, Layout{0, kWidth * kSize + 13, kSize, VSMAX_GRAY},  // padded
        Layout{(kHeight - 1) * 1000, -1000, 0, VSMAX_GRAY},            // upside down
        Layout{(kWidth - 1) * kSize, 0, -kSize, VSMAX_GRAY},           // mirrored
        Layout{1, kSize, kHeight * kSize, VSMAX_GRAY},                 // transposed
        Layout{0, 0, 0, VSMAX_RGB}, Layout{0, 0, 0, VSMAX_BGR},        //
        Layout{3, 2000, 4 * kSize, VSMAX_RGB},                         // RGBA
        Layout{(kHeight - 1) * 2000, -2000, 4 * kSize, VSMAX_BGR}}) {  // BGRA
    const bool colour = layout.channels != VSMAX_GRAY;
    const std::ptrdiff_t tight = (colour ? 3 : 1) * kSize;
    const std::ptrdiff_t pixel = layout.pixel != 0 ? layout.pixel : tight;
    const std::ptrdiff_t row = layout.row != 0 ? layout.row : kWidth * std::abs(pixel);
    std::vector<std::byte> memory(200000, std::byte{0xFF});  // NaN wherever no pixel is
    for (int y = 0; y < kHeight; ++y)
      for (int x = 0; x < kWidth; ++x)
        for (std::size_t c = 0; c < (colour ? 3U : 1U); ++c) {
          const std::size_t place = layout.channels == VSMAX_BGR ? 2 - c : c;
          const std::ptrdiff_t at =
              layout.origin + y * row + x * pixel + static_cast<std::ptrdiff_t>(place) * kSize;
          const std::size_t i = kFrame.index(x, y);
          const Sample sample = colour ? rgb[3 * i + c] : gray[i];
          std::memcpy(&memory.at(static_cast<std::size_t>(at)), &sample, sizeof sample);
        }
    vsmax_image image = test::image_with(memory.data() + layout.origin, kWidth, kHeight);
    image.row_stride = layout.row;
    image.pixel_stride = layout.pixel;
    image.sample_type = kSampleType<Sample>;
    image.channels = layout.channels;
    SCOPED_TRACE(::testing::Message()
                 << layout.row << ", " << layout.pixel << ", " << layout.channels);
    vsmax_result result = VSMAX_RESULT_INIT;
    ASSERT_EQ(vsmax_recover(recoverer.get(), &image, nullptr, &result), VSMAX_OK)
        << vsmax_last_error();
    expect_same(result, colour ? of_rgb : of_gray, kFrame);
  }
}

TEST(CInterface, ReadsFilesAndTheirContent) {
  const std::string path = VSMAX_PHOTOS "/sea.jpg";
  const auto content = read_file(path);
  for (const std::string model : {"classic", "auto"}) {  // one sees grey, the other colour
    LineRecoverer recover(load_model(model));
    const LinesWanted wanted{LinesWanted::kAuto, 0.5};
    const Recovery expected =
        model == "auto" ? recover(read_rgb_image(path), wanted) : recover(read_image(path), wanted);
    const ImageFrame frame = read_image(path).frame();
    const auto recoverer = test::make_recoverer(model);
    vsmax_result result = VSMAX_RESULT_INIT;
    ASSERT_EQ(vsmax_recover_file(recoverer.get(), path.c_str(), nullptr, &result), VSMAX_OK);
    expect_same(result, expected, frame);
    result = VSMAX_RESULT_INIT;
    ASSERT_EQ(
        vsmax_recover_encoded(recoverer.get(), content.data(), content.size(), nullptr, &result),
        VSMAX_OK);
    expect_same(result, expected, frame);
  }
}

TEST(CInterface, ScoresTwoLines) {
  vsmax_line a{};
  vsmax_line b{};
  a.theta = 0.7;
  a.rho = -9.0;
  b.theta = 0.8;
  b.rho = -7.0;
  double score = -1.0;
  ASSERT_EQ(vsmax_ea_score(&a, &b, kFrame.width, kFrame.height, &score), VSMAX_OK);
  EXPECT_EQ(score, ea_score({0.7, -9.0}, {0.8, -7.0}, kFrame));
  b.rho = 1000.0;
  ASSERT_EQ(vsmax_ea_score(&a, &b, kFrame.width, kFrame.height, &score), VSMAX_OK);
  EXPECT_EQ(score, 0.0);
}

TEST(CInterface, FindsNoLineInAConstantImage) {
  const std::vector<std::uint8_t> pixels(kFrame.pixels(), 9);
  const auto recoverer = test::make_recoverer("auto");
  const vsmax_image image = test::image_with(pixels.data(), kFrame.width, kFrame.height);
  vsmax_result result = VSMAX_RESULT_INIT;
  ASSERT_EQ(vsmax_recover(recoverer.get(), &image, nullptr, &result), VSMAX_OK);
  EXPECT_EQ(result.line_count, 0U);
  EXPECT_EQ(result.lines, nullptr);
  EXPECT_NE(result.model, nullptr);
}

}  // namespace
}  // namespace vsmax
