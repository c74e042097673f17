// SPDX-License-Identifier: Apache-2.0
#include "vsmax/data/philox.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>

#include "support/random.h"
#include "vsmax/data/sample_key.h"

namespace vsmax {
namespace {

using Words = std::array<std::uint32_t, 4>;

Words words(const PhiloxBlock& block) {
  return {block.word[0], block.word[1], block.word[2], block.word[3]};
}

PhiloxBlock block_of(const Words& w) { return {{w[0], w[1], w[2], w[3]}}; }

// Philox4x32-10 written down from the paper: ten rounds, the key bumped between them, and the
// 32 x 32 bit product done by schoolbook on 16-bit halves.
std::pair<std::uint32_t, std::uint32_t> high_and_low(std::uint32_t a, std::uint32_t b) {
  const std::uint32_t a0 = a & 0xFFFFU, a1 = a >> 16, b0 = b & 0xFFFFU, b1 = b >> 16;
  const std::uint32_t low = a0 * b0;
  const std::uint32_t middle = a1 * b0 + (low >> 16);
  const std::uint32_t carry = a0 * b1 + (middle & 0xFFFFU);
  return {a1 * b1 + (middle >> 16) + (carry >> 16), (carry << 16) | (low & 0xFFFFU)};
}

Words independent_philox(Words c, std::uint32_t k0, std::uint32_t k1) {
  for (int round = 0; round < 10; ++round) {
    if (round > 0) {
      k0 += 0x9E3779B9U;
      k1 += 0xBB67AE85U;
    }
    const auto [high0, low0] = high_and_low(0xD2511F53U, c[0]);
    const auto [high1, low1] = high_and_low(0xCD9E8D57U, c[2]);
    c = {high1 ^ c[1] ^ k0, low1, high0 ^ c[3] ^ k1, low0};
  }
  return c;
}

struct KnownAnswer {
  Words counter;
  std::uint32_t key0, key1;
  Words answer;
};

// From Random123's kat_vectors.
const KnownAnswer kKnownAnswers[] = {
    {{0, 0, 0, 0}, 0, 0, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
    {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
     0xffffffff,
     0xffffffff,
     {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
    {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
     0xa4093822,
     0x299f31d0,
     {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}}};

TEST(Philox, GivesTheKnownAnswers) {
  for (const auto& known : kKnownAnswers) {
    const std::uint64_t key = (std::uint64_t{known.key1} << 32) | known.key0;
    EXPECT_EQ(words(philox(key, block_of(known.counter))), known.answer);
    EXPECT_EQ(independent_philox(known.counter, known.key0, known.key1), known.answer);
  }
}

TEST(Philox, AgreesWithAnIndependentImplementation) {
  test::Random random;
  const auto word = [&] { return static_cast<std::uint32_t>(random.uniform(0.0, 0x1p32)); };
  for (int repeat = 0; repeat < 2000; ++repeat) {
    const Words counter{word(), word(), word(), word()};
    const std::uint32_t key0 = word();
    const std::uint32_t key1 = word();
    ASSERT_EQ(words(philox((std::uint64_t{key1} << 32) | key0, block_of(counter))),
              independent_philox(counter, key0, key1));
  }
}

TEST(Uniform, LiesStrictlyBetweenZeroAndOne) {
  for (const std::uint32_t word : {0U, 1U, 255U, 256U, 511U, 0x7FFFFFFFU, 0x80000000U, 0xFFFFFDFFU,
                                   0xFFFFFE00U, 0xFFFFFEFFU, 0xFFFFFF00U, 0xFFFFFFFFU}) {
    EXPECT_GT(uniform_from_word(word), 0.0F) << word;
    EXPECT_LT(uniform_from_word(word), 1.0F) << word;
  }
}

// The centres of equal intervals lie symmetric about 1/2, exactly.
TEST(Uniform, IsSymmetricAboutOneHalf) {
  test::Random random;
  for (int repeat = 0; repeat < 10000; ++repeat) {
    const auto word = static_cast<std::uint32_t>(random.uniform(0.0, 0x1p32));
    const auto here = static_cast<double>(uniform_from_word(word));
    const auto there = static_cast<double>(uniform_from_word(~word));
    ASSERT_EQ(here + there, 1.0) << word;
  }
}

TEST(Uniform, FollowsTheWordMonotonically) {
  test::Random random;
  for (int repeat = 0; repeat < 10000; ++repeat) {
    const auto word = static_cast<std::uint32_t>(random.uniform(0.0, 0x1p32));
    EXPECT_NEAR(uniform_from_word(word), word * 0x1p-32, 0x1p-23);
    if (word != 0xFFFFFFFFU) {
      EXPECT_LE(uniform_from_word(word), uniform_from_word(word + 1U));
    }
  }
}

TEST(Draw, TellsApartEverythingThatNamesASample) {
  const SampleKey key{42, Split::kTrain, 3, 5};
  const auto base = words(draw(key, Stream::kNoise, 7));
  EXPECT_EQ(words(draw(key, Stream::kNoise, 7)), base);
  EXPECT_NE(words(draw(key, Stream::kNoise, 8)), base);
  EXPECT_NE(words(draw(key, Stream::kSigma, 7)), base);
  EXPECT_NE(words(draw(key, Stream::kLine, 7)), base);
  EXPECT_NE(words(draw(key, Stream::kPermutation, 7)), base);
  EXPECT_NE(words(draw({43, Split::kTrain, 3, 5}, Stream::kNoise, 7)), base);
  EXPECT_NE(words(draw({42 + (1ULL << 32), Split::kTrain, 3, 5}, Stream::kNoise, 7)), base);
  EXPECT_NE(words(draw({42, Split::kTest, 3, 5}, Stream::kNoise, 7)), base);
  EXPECT_NE(words(draw({42, Split::kTrain, 4, 5}, Stream::kNoise, 7)), base);
  EXPECT_NE(words(draw({42, Split::kTrain, 3, 6}, Stream::kNoise, 7)), base);
}

}  // namespace
}  // namespace vsmax
