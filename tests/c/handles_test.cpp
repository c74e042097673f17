// SPDX-License-Identifier: Apache-2.0
// Recoverers of the C interface: used again and again, copied, on several threads.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "c/recoverer_handle.h"
#include "support/lines.h"
#include "support/random.h"
#include "vsmax/io/file.h"

namespace vsmax {
namespace {

// theta, rho and confidence of all lines; empty after a failure.
std::vector<double> answer(vsmax_recoverer* recoverer, const GrayImage& image) {
  vsmax_image view = test::image_with(image.pixels.data(), image.width, image.height);
  view.sample_type = VSMAX_FLOAT32;
  vsmax_result result = VSMAX_RESULT_INIT;
  std::vector<double> numbers;
  if (vsmax_recover(recoverer, &view, nullptr, &result) != VSMAX_OK) return numbers;
  for (std::size_t i = 0; i < result.line_count; ++i)
    numbers.insert(numbers.end(),
                   {result.lines[i].theta, result.lines[i].rho, result.lines[i].confidence});
  return numbers;
}

std::vector<GrayImage> pictures() {
  return {test::image_of({96, 80}, {0.3, 4.0}, 0.1), test::image_of({64, 64}, {1.9, -11.0}, 0.1),
          test::image_of({96, 80}, {2.8, 20.0}, 0.2)};
}

std::vector<std::vector<double>> answers(vsmax_recoverer* recoverer) {
  std::vector<std::vector<double>> all;
  for (const GrayImage& image : pictures()) all.push_back(answer(recoverer, image));
  return all;
}

TEST(CHandles, GiveTheSameAnswersAgain) {
  const auto recoverer = test::make_recoverer("auto");
  const auto first = answers(recoverer.get());
  for (const auto& lines : first) EXPECT_FALSE(lines.empty());
  EXPECT_EQ(answers(recoverer.get()), first);
  const GrayImage nothing(1, 1);
  EXPECT_TRUE(answer(recoverer.get(), nothing).empty());  // an error in between changes nothing
  EXPECT_EQ(answers(recoverer.get()), first);
}

TEST(CHandles, CopiesOutliveTheOriginal) {
  auto original = test::make_recoverer("paper");
  const auto expected = answers(original.get());
  vsmax_recoverer* copied = nullptr;
  ASSERT_EQ(vsmax_recoverer_copy(original.get(), &copied), VSMAX_OK);
  const test::RecovererHandle copy(copied);
  original.reset();
  EXPECT_EQ(answers(copy.get()), expected);
}

TEST(CHandles, NumberOfThreadsChangesNothing) {
  const auto recoverer = test::make_recoverer("paper");
  const auto expected = answers(recoverer.get());
  for (const int threads : {2, 0, 1}) {
    ASSERT_EQ(vsmax_recoverer_set_threads(recoverer.get(), threads), VSMAX_OK);
    EXPECT_EQ(answers(recoverer.get()), expected) << threads;
  }
}

TEST(CHandles, TwoServeTwoThreads) {
  const auto first = test::make_recoverer("auto");
  vsmax_recoverer* copied = nullptr;
  ASSERT_EQ(vsmax_recoverer_copy(first.get(), &copied), VSMAX_OK);
  const test::RecovererHandle second(copied);
  const auto expected = answers(first.get());
  std::vector<std::vector<double>> theirs;
  std::thread other([&] {
    for (int i = 0; i < 3; ++i) theirs = answers(second.get());
  });
  for (int i = 0; i < 3; ++i) EXPECT_EQ(answers(first.get()), expected);
  other.join();
  EXPECT_EQ(theirs, expected);
}

TEST(CHandles, EveryThreadHasAnErrorOfItsOwn) {
  vsmax_recoverer* made = nullptr;
  EXPECT_EQ(vsmax_recoverer_create("mine", &made), VSMAX_ERROR_INPUT);
  std::string before;
  std::string after;
  std::thread([&] {
    before = vsmax_last_error();
    static_cast<void>(vsmax_recoverer_create("theirs", &made));
    after = vsmax_last_error();
  }).join();
  EXPECT_EQ(before, "");
  EXPECT_NE(after.find("'theirs'"), std::string::npos);
  EXPECT_NE(std::string(vsmax_last_error()).find("'mine'"), std::string::npos);
}

TEST(CHandles, ReadWeightsAndWarnOfThoseWithoutAChecksum) {
  const std::string path = VSMAX_MODELS "/vsmax-vs-s42.safetensors";
  const auto recoverer = test::make_recoverer(path);
  EXPECT_STREQ(vsmax_recoverer_warning(recoverer.get()), "");
  EXPECT_EQ(answers(recoverer.get()), answers(test::make_recoverer("paper").get()));

  auto bytes = read_file(path);
  const std::string key = R"("sha256":"b)";  // to another key and another value
  const std::string other = R"("remark":"-)";
  const auto at = std::search(bytes.begin(), bytes.end(), key.begin(), key.end());
  ASSERT_NE(at, bytes.end());
  std::copy(other.begin(), other.end(), at);
  const std::string copy = ::testing::TempDir() + "c_handles_test_" +
                           std::to_string(test::seed_from_test_name()) + ".safetensors";
  write_file_atomically(copy, bytes);
  const auto unverified = test::make_recoverer(copy);
  std::filesystem::remove(copy);
  EXPECT_NE(std::string(vsmax_recoverer_warning(unverified.get())).find("no checksum"),
            std::string::npos);
}

TEST(CHandles, VersionsAreThoseOfTheBuild) {
  EXPECT_STREQ(vsmax_version(), VSMAX_EXPECTED_VERSION);
  EXPECT_EQ(vsmax_abi_version(), VSMAX_ABI_VERSION);
}

}  // namespace
}  // namespace vsmax
