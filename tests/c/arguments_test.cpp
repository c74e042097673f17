// SPDX-License-Identifier: Apache-2.0
// Every wrong call gives a status and a sentence with the offending value, and changes nothing.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "c/recoverer_handle.h"
#include "vsmax/io/file.h"

namespace vsmax {
namespace {

::testing::AssertionResult fails(vsmax_status status, vsmax_status expected,
                                 const std::string& part) {
  const std::string message = vsmax_last_error();
  if (status != expected)
    return ::testing::AssertionFailure() << "status " << status << ", '" << message << "'";
  if (message.find(part) == std::string::npos)
    return ::testing::AssertionFailure() << "'" << message << "' does not name '" << part << "'";
  return ::testing::AssertionSuccess();
}

class CArguments : public ::testing::Test {
 protected:
  vsmax_status recover(const vsmax_options* options = nullptr) {
    return vsmax_recover(recoverer_.get(), &image_, options, &result_);
  }

  std::vector<std::uint8_t> pixels_ = std::vector<std::uint8_t>(64 * 48 * 4, 7);
  test::RecovererHandle recoverer_ = test::make_recoverer("classic");
  vsmax_image image_ = test::image_with(pixels_.data(), 64, 48);
  vsmax_result result_ = VSMAX_RESULT_INIT;
};

TEST_F(CArguments, NullPointersAreNamed) {
  vsmax_recoverer* made = nullptr;
  EXPECT_TRUE(fails(vsmax_recoverer_create(nullptr, &made), VSMAX_ERROR_ARGUMENT, "model is NULL"));
  EXPECT_TRUE(
      fails(vsmax_recoverer_create("classic", nullptr), VSMAX_ERROR_ARGUMENT, "recoverer is NULL"));
  EXPECT_TRUE(
      fails(vsmax_recoverer_copy(nullptr, &made), VSMAX_ERROR_ARGUMENT, "original is NULL"));
  EXPECT_TRUE(
      fails(vsmax_recoverer_copy(recoverer_.get(), nullptr), VSMAX_ERROR_ARGUMENT, "copy is NULL"));
  EXPECT_EQ(made, nullptr);
  EXPECT_TRUE(fails(vsmax_recoverer_set_threads(nullptr, 1), VSMAX_ERROR_ARGUMENT, "recoverer"));
  EXPECT_TRUE(fails(vsmax_recover(nullptr, &image_, nullptr, &result_), VSMAX_ERROR_ARGUMENT,
                    "recoverer is NULL"));
  EXPECT_TRUE(fails(vsmax_recover(recoverer_.get(), nullptr, nullptr, &result_),
                    VSMAX_ERROR_ARGUMENT, "image is NULL"));
  EXPECT_TRUE(fails(vsmax_recover(recoverer_.get(), &image_, nullptr, nullptr),
                    VSMAX_ERROR_ARGUMENT, "result is NULL"));
  image_.pixels = nullptr;
  EXPECT_TRUE(fails(recover(), VSMAX_ERROR_ARGUMENT, "image.pixels is NULL"));
  EXPECT_TRUE(fails(vsmax_recover_file(nullptr, "a.png", nullptr, &result_), VSMAX_ERROR_ARGUMENT,
                    "recoverer is NULL"));
  EXPECT_TRUE(fails(vsmax_recover_file(recoverer_.get(), nullptr, nullptr, &result_),
                    VSMAX_ERROR_ARGUMENT, "path is NULL"));
  EXPECT_TRUE(fails(vsmax_recover_file(recoverer_.get(), "a.png", nullptr, nullptr),
                    VSMAX_ERROR_ARGUMENT, "result is NULL"));
  EXPECT_TRUE(fails(vsmax_recover_encoded(nullptr, "a", 1, nullptr, &result_), VSMAX_ERROR_ARGUMENT,
                    "recoverer is NULL"));
  EXPECT_TRUE(fails(vsmax_recover_encoded(recoverer_.get(), nullptr, 1, nullptr, &result_),
                    VSMAX_ERROR_ARGUMENT, "bytes is NULL"));
  vsmax_line line{};
  double score = 0.5;
  EXPECT_TRUE(
      fails(vsmax_ea_score(nullptr, &line, 9, 9, &score), VSMAX_ERROR_ARGUMENT, "a is NULL"));
  EXPECT_TRUE(
      fails(vsmax_ea_score(&line, nullptr, 9, 9, &score), VSMAX_ERROR_ARGUMENT, "b is NULL"));
  EXPECT_TRUE(
      fails(vsmax_ea_score(&line, &line, 9, 9, nullptr), VSMAX_ERROR_ARGUMENT, "score is NULL"));
  EXPECT_STREQ(vsmax_recoverer_warning(nullptr), "");
  vsmax_recoverer_destroy(nullptr);
}

TEST_F(CArguments, SizesAreChecked) {
  struct Size {
    int width, height;
    const char* named;
  };
  for (const auto& [width, height, named] :
       {Size{0, 48, "0x48"}, Size{64, 0, "64x0"}, Size{-64, 48, "-64x48"}, Size{1, 48, "1x48"},
        Size{20000, 20000, "20000x20000"},
        Size{std::numeric_limits<int>::max(), std::numeric_limits<int>::max(), "2147483647x"}}) {
    image_.width = width;
    image_.height = height;
    EXPECT_TRUE(fails(recover(), VSMAX_ERROR_ARGUMENT, named));
    const vsmax_line line{};
    double score = 0.5;
    EXPECT_TRUE(
        fails(vsmax_ea_score(&line, &line, width, height, &score), VSMAX_ERROR_ARGUMENT, named));
    EXPECT_EQ(score, 0.5);
  }
  EXPECT_EQ(result_.width, 0);
}

TEST_F(CArguments, StridesMustNotLetPixelsOverlap) {
  struct Strides {
    std::ptrdiff_t row, pixel;
  };
  constexpr auto kHuge = std::numeric_limits<std::ptrdiff_t>::max();
  for (const auto& [row, pixel] :
       {Strides{63, 1}, Strides{-63, 1}, Strides{64, 2}, Strides{1, 1}, Strides{1, 47},
        Strides{kHuge, 1}, Strides{64, kHuge}, Strides{-kHuge - 1, 1}, Strides{0, -kHuge - 1}}) {
    image_.row_stride = row;
    image_.pixel_stride = pixel;
    EXPECT_TRUE(fails(recover(), VSMAX_ERROR_ARGUMENT, "stride")) << row << ", " << pixel;
  }
  image_ = test::image_with(pixels_.data(), 64, 48);
  image_.channels = VSMAX_RGB;
  image_.row_stride = 64;  // counted in pixels
  EXPECT_TRUE(fails(recover(), VSMAX_ERROR_ARGUMENT, "64"));
  image_.row_stride = 0;
  image_.pixel_stride = 2;
  EXPECT_TRUE(fails(recover(), VSMAX_ERROR_ARGUMENT, "2 bytes"));
  image_.pixel_stride = 4;
  EXPECT_EQ(recover(), VSMAX_OK) << vsmax_last_error();
}

TEST_F(CArguments, UnknownTypesAreNamed) {
  for (const int unknown : {-1, 3, 1000}) {
    image_.sample_type = unknown;
    EXPECT_TRUE(fails(recover(), VSMAX_ERROR_ARGUMENT, std::to_string(unknown)));
    image_.sample_type = VSMAX_UINT8;
    image_.channels = unknown;
    EXPECT_TRUE(fails(recover(), VSMAX_ERROR_ARGUMENT, std::to_string(unknown)));
    image_.channels = VSMAX_GRAY;
  }
}

TEST_F(CArguments, OptionsAreChecked) {
  vsmax_options options = VSMAX_OPTIONS_INIT;
  for (const int most : {-1, 1001}) {
    options.most_lines = most;
    EXPECT_TRUE(fails(recover(&options), VSMAX_ERROR_ARGUMENT, std::to_string(most)));
  }
  options = VSMAX_OPTIONS_INIT;
  for (const double least : {-0.1, 1.1, std::numeric_limits<double>::quiet_NaN()}) {
    options.min_confidence = least;
    EXPECT_TRUE(fails(recover(&options), VSMAX_ERROR_ARGUMENT, "min_confidence"));
  }
  for (const int threads : {-1, 1025})
    EXPECT_TRUE(fails(vsmax_recoverer_set_threads(recoverer_.get(), threads), VSMAX_ERROR_ARGUMENT,
                      std::to_string(threads)));
}

TEST_F(CArguments, StructsKnowTheirSize) {
  vsmax_options options{};
  EXPECT_TRUE(fails(recover(&options), VSMAX_ERROR_ARGUMENT, "options.struct_size is 0"));
  image_.struct_size = 8;
  EXPECT_TRUE(fails(recover(), VSMAX_ERROR_ARGUMENT, "image.struct_size is 8"));
  image_.struct_size = sizeof image_;
  result_.struct_size = 0;
  EXPECT_TRUE(fails(recover(), VSMAX_ERROR_ARGUMENT, "result.struct_size is 0"));
}

// A caller's struct that is longer than this version's keeps what lies behind it.
TEST_F(CArguments, ResultsFillNoMoreThanThisVersionKnows) {
  struct Later {
    vsmax_result result = VSMAX_RESULT_INIT;
    double added = 3.0;
  };
  Later later;
  later.result.struct_size = sizeof(Later);
  ASSERT_EQ(vsmax_recover(recoverer_.get(), &image_, nullptr, &later.result), VSMAX_OK);
  EXPECT_EQ(later.result.struct_size, sizeof(Later));
  EXPECT_EQ(later.result.width, image_.width);
  EXPECT_EQ(later.added, 3.0);
}

// What a program passes that was compiled with a later version of the header.
TEST_F(CArguments, LaterMembersMustBeZero) {
  struct Later {
    vsmax_options options;
    double added;
  };
  Later later{{sizeof(Later), 1, 0.5}, 0.0};
  EXPECT_EQ(recover(&later.options), VSMAX_OK) << vsmax_last_error();
  later.added = 1.0;
  EXPECT_TRUE(fails(recover(&later.options), VSMAX_ERROR_ARGUMENT, "does not know"));
}

TEST_F(CArguments, BadModelsAndFilesAreInputErrors) {
  vsmax_recoverer* made = nullptr;
  EXPECT_TRUE(fails(vsmax_recoverer_create("no-such-model", &made), VSMAX_ERROR_INPUT,
                    "no built-in model 'no-such-model'"));
  EXPECT_TRUE(fails(vsmax_recoverer_create("no/file.safetensors", &made), VSMAX_ERROR_INPUT,
                    "no/file.safetensors"));
  EXPECT_TRUE(
      fails(vsmax_recoverer_create(VSMAX_PHOTOS "/sea.jpg", &made), VSMAX_ERROR_INPUT, "sea.jpg"));
  EXPECT_EQ(made, nullptr);
  EXPECT_TRUE(fails(vsmax_recover_file(recoverer_.get(), "no/image.png", nullptr, &result_),
                    VSMAX_ERROR_INPUT, "no/image.png"));
  const std::string path(6000, 'x');
  EXPECT_TRUE(fails(vsmax_recover_file(recoverer_.get(), path.c_str(), nullptr, &result_),
                    VSMAX_ERROR_INPUT, "xxx"));
  const auto content = read_file(VSMAX_PHOTOS "/sea.jpg");
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, content.size() / 2})
    EXPECT_TRUE(
        fails(vsmax_recover_encoded(recoverer_.get(), content.data(), size, nullptr, &result_),
              VSMAX_ERROR_INPUT, "encoded image"));
  EXPECT_EQ(result_.line_count, 0U);
  EXPECT_EQ(result_.model, nullptr);
}

TEST_F(CArguments, PixelsMustBeFinite) {
  std::vector<float> pixels(64 * 48, 0.5F);
  pixels[65] = std::numeric_limits<float>::quiet_NaN();
  image_.pixels = pixels.data();
  image_.sample_type = VSMAX_FLOAT32;
  EXPECT_TRUE(fails(recover(), VSMAX_ERROR_INPUT, "pixel (1, 1) is nan"));
  vsmax_line line{};
  line.rho = std::numeric_limits<double>::infinity();
  double score = 0.5;
  EXPECT_TRUE(fails(vsmax_ea_score(&line, &line, 9, 9, &score), VSMAX_ERROR_ARGUMENT, "inf"));
}

}  // namespace
}  // namespace vsmax
