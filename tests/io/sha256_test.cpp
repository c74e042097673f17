// SPDX-License-Identifier: Apache-2.0
#include "vsmax/io/sha256.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace vsmax {
namespace {

std::span<const std::uint8_t> bytes_of(const std::string& text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

std::string digest_of(const std::string& text, Sha256 hash = Sha256()) {
  hash.update(bytes_of(text));
  return hash.hex_digest();
}

// Vectors of FIPS 180-4 and the NIST CAVP.
TEST(Sha256, Empty) {
  EXPECT_EQ(Sha256().hex_digest(),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(digest_of(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

TEST(Sha256, OneBlock) {
  EXPECT_EQ(digest_of("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(digest_of("\xbd"), "68325720aabd7c82f30f554b313d0570c95accbb7dc4b5aae11204c08ffe732b");
}

TEST(Sha256, TwoBlocks) {
  EXPECT_EQ(digest_of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(digest_of("abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmno"
                      "ijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu"),
            "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1");
}

TEST(Sha256, MillionTimesA) {
  EXPECT_EQ(digest_of(std::string(1000000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

// The lengths where the padding changes from one block to two.
TEST(Sha256, LengthsAroundTheBlock) {
  EXPECT_EQ(digest_of(std::string(55, '\0')),
            "02779466cdec163811d078815c633f21901413081449002f24aa3e80f0b88ef7");
  EXPECT_EQ(digest_of(std::string(56, '\0')),
            "d4817aa5497628e7c77e6b606107042bbba3130888c5f47a375e6179be789fbb");
  EXPECT_EQ(digest_of(std::string(64, '\0')),
            "f5a5fd42d16a20302798ef6ed309979b43003d2320d9f0e8ea9831a92759fb4b");
}

// The default is one of the two functions, so the vectors above test only one.
TEST(Sha256, BothFunctionsGiveTheVectors) {
  for (Sha256Blocks* blocks : {&sha256_blocks_anywhere, sha256_blocks_by_instructions()}) {
    if (blocks == nullptr) continue;  // a processor without the instructions
    EXPECT_EQ(digest_of("abc", Sha256(*blocks)),
              "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    EXPECT_EQ(
        digest_of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", Sha256(*blocks)),
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    EXPECT_EQ(digest_of(std::string(1000000, 'a'), Sha256(*blocks)),
              "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
  }
}

TEST(Sha256, BothFunctionsAgree) {
  Sha256Blocks* blocks = sha256_blocks_by_instructions();
  if (blocks == nullptr) GTEST_SKIP() << "this processor has no instructions for SHA-256";
  std::mt19937 random(1);
  std::vector<std::uint8_t> bytes(64 * 17 + 1);
  for (auto& byte : bytes) byte = static_cast<std::uint8_t>(random());
  for (std::size_t count = 0; count <= 17; ++count)
    for (std::size_t offset : {0, 1}) {  // memory need not be aligned
      Sha256State expected{};
      for (auto& word : expected) word = static_cast<std::uint32_t>(random());
      Sha256State state = expected;
      sha256_blocks_anywhere(expected, bytes.data() + offset, count);
      blocks(state, bytes.data() + offset, count);
      ASSERT_EQ(state, expected) << count << " blocks at " << offset;
    }
}

TEST(Sha256, SplitUpdatesGiveTheSameDigest) {
  std::string text;
  for (int i = 0; i < 200; ++i) text += static_cast<char>(i * 31 + 7);
  const std::string whole = digest_of(text);
  for (std::size_t first = 0; first <= text.size(); ++first) {
    Sha256 hash;
    hash.update(bytes_of(text).first(first));
    hash.update({});
    hash.update(bytes_of(text).subspan(first));
    ASSERT_EQ(hash.hex_digest(), whole) << "split at " << first;
  }
  Sha256 bytewise;
  for (std::size_t i = 0; i < text.size(); ++i) bytewise.update(bytes_of(text).subspan(i, 1));
  EXPECT_EQ(bytewise.hex_digest(), whole);
}

}  // namespace
}  // namespace vsmax
