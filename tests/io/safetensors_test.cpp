// SPDX-License-Identifier: Apache-2.0
#include "vsmax/io/safetensors.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <initializer_list>
#include <limits>
#include <nlohmann/json.hpp>

#include "image/image_fixtures.h"
#include "vsmax/base/error.h"
#include "vsmax/io/file.h"
#include "vsmax/io/sha256.h"

namespace vsmax {
namespace {

using testing::Bytes;
using testing::message_of;
using testing::TemporaryFolder;

SafeTensors example() {
  SafeTensors file;
  file.tensors["conv.weight"] = {{2, 1, 3}, {1.5F, -2.0F, 0.0F, -0.0F, 1e-40F, 3e38F}};
  file.tensors["conv.bias"] = {{2}, {0.25F, -0.5F}};
  file.tensors["scale"] = {{}, {7.0F}};
  file.tensors["none"] = {{0, 4}, {}};
  file.metadata = {{"format", "pt"}, {"note", "caf\xC3\xA9 \"quoted\"\n"}};
  return file;
}

// Compares bits, so that -0 and 0 differ.
void expect_same(const SafeTensors& a, const SafeTensors& b) {
  EXPECT_EQ(a.metadata, b.metadata);
  ASSERT_EQ(a.tensors.size(), b.tensors.size());
  for (const auto& [name, tensor] : a.tensors) {
    ASSERT_EQ(b.tensors.count(name), 1U) << name;
    const Tensor& other = b.tensors.at(name);
    EXPECT_EQ(tensor.shape, other.shape) << name;
    ASSERT_EQ(tensor.values.size(), other.values.size()) << name;
    for (std::size_t i = 0; i < tensor.values.size(); ++i) {
      EXPECT_EQ(std::bit_cast<std::uint32_t>(tensor.values[i]),
                std::bit_cast<std::uint32_t>(other.values[i]))
          << name;
    }
  }
}

Bytes with_header(const std::string& header, std::size_t data_bytes) {
  Bytes bytes(8 + header.size() + data_bytes, 0);
  const std::uint64_t size = header.size();
  std::memcpy(bytes.data(), &size, 8);
  std::copy(header.begin(), header.end(), bytes.begin() + 8);
  return bytes;
}

std::string parse_error(const Bytes& bytes) {
  return message_of<Error>([&] { parse_safetensors(bytes, "w"); });
}
std::string header_error(const std::string& header, std::size_t data_bytes) {
  return parse_error(with_header(header, data_bytes));
}

// One tensor "a" described by these JSON texts, over 16 bytes of data.
std::string tensor_error(const std::string& dtype, const std::string& shape,
                         const std::string& offsets) {
  return header_error(
      R"({"a":{"dtype":)" + dtype + R"(,"shape":)" + shape + R"(,"data_offsets":)" + offsets + "}}",
      16);
}

TEST(SafeTensors, RoundTripsThroughMemoryAndFile) {
  const Bytes bytes = serialize_safetensors(example());
  const SafeTensors back = parse_safetensors(bytes, "w");
  EXPECT_TRUE(back.checksum_verified);
  expect_same(back, example());
  EXPECT_EQ(serialize_safetensors(back), bytes);

  const TemporaryFolder folder;
  write_safetensors(folder.file("w.safetensors"), example());
  EXPECT_EQ(read_file(folder.file("w.safetensors")), bytes);
  expect_same(read_safetensors(folder.file("w.safetensors")), example());

  const SafeTensors empty = parse_safetensors(serialize_safetensors({}), "w");
  EXPECT_TRUE(empty.checksum_verified);
  EXPECT_TRUE(empty.tensors.empty());
  EXPECT_TRUE(empty.metadata.empty());
}

// What the Python package would see: length, JSON, aligned data at the stated offsets.
TEST(SafeTensors, LayoutIsThatOfTheFormat) {
  const Bytes bytes = serialize_safetensors(example());
  std::uint64_t header_size = 0;
  for (std::size_t i = 8; i-- > 0;) header_size = header_size << 8 | bytes[i];
  EXPECT_EQ(header_size % 8, 0U);
  const auto data_start = bytes.begin() + 8 + static_cast<std::ptrdiff_t>(header_size);
  EXPECT_EQ(bytes[8], '{');
  const auto header = nlohmann::json::parse(bytes.begin() + 8, data_start);
  EXPECT_EQ(header.size(), 5U);
  EXPECT_EQ(header["__metadata__"]["format"], "pt");
  EXPECT_EQ(header["__metadata__"]["sha256"].get<std::string>().size(), 64U);
  EXPECT_EQ(header["conv.bias"],
            nlohmann::json::parse(R"({"dtype":"F32","shape":[2],"data_offsets":[0,8]})"));
  EXPECT_EQ(header["conv.weight"],
            nlohmann::json::parse(R"({"dtype":"F32","shape":[2,1,3],"data_offsets":[8,32]})"));
  EXPECT_EQ(header["none"],
            nlohmann::json::parse(R"({"dtype":"F32","shape":[0,4],"data_offsets":[32,32]})"));
  EXPECT_EQ(header["scale"],
            nlohmann::json::parse(R"({"dtype":"F32","shape":[],"data_offsets":[32,36]})"));
  EXPECT_EQ(bytes.end() - data_start, 36);
  EXPECT_EQ(Bytes(data_start, data_start + 8), (Bytes{0, 0, 0x80, 0x3E, 0, 0, 0, 0xBF}));
}

TEST(SafeTensors, ChecksumIsTheDocumentedOne) {
  SafeTensors file;
  file.tensors["b"] = {{1, 2}, {1.0F, 2.0F}};
  file.tensors["a"] = {{}, {0.0F}};
  file.metadata = {{"key", "value"}};
  const std::string text(
      "a\0\0\0\0\0\0b\0"
      "1,2\0\0\0\x80\x3F\0\0\0\x40key\0value\0",
      31);
  Sha256 hash;
  hash.update({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
  const Bytes bytes = serialize_safetensors(file);
  EXPECT_NE(std::string(bytes.begin(), bytes.end()).find(hash.hex_digest()), std::string::npos);
}

TEST(SafeTensors, EveryChangedByteIsNoticed) {
  const Bytes whole = serialize_safetensors(example());
  for (std::size_t i = 0; i < whole.size(); ++i) {
    for (const unsigned mask : {1U, 2U, 4U, 8U, 16U, 32U, 64U, 128U, 255U}) {
      Bytes damaged = whole;
      damaged[i] = static_cast<std::uint8_t>(damaged[i] ^ mask);
      try {
        const SafeTensors file = parse_safetensors(damaged, "w");
        EXPECT_TRUE(file.checksum_verified) << "byte " << i << " mask " << mask;
        expect_same(file, example());  // a change of the JSON that means nothing
      } catch (const Error& error) {
        EXPECT_EQ(std::string(error.what()).rfind("w: ", 0), 0U) << error.what();
      }
    }
  }
}

TEST(SafeTensors, EveryTruncationIsAnError) {
  const Bytes whole = serialize_safetensors(example());
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const Bytes part(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_NE(parse_error(part), "") << size;
  }
  Bytes longer = whole;
  longer.push_back(0);
  EXPECT_EQ(parse_error(longer), "w: 1 bytes after the last tensor");
}

TEST(SafeTensors, MissingChecksumLoadsUnverified) {
  const SafeTensors file =
      parse_safetensors(with_header(R"({"__metadata__":{"format":"pt"},)"
                                    R"("a":{"dtype":"F32","shape":[2,2],"data_offsets":[0,16]}}  )",
                                    16),
                        "w");
  EXPECT_FALSE(file.checksum_verified);
  EXPECT_EQ(file.metadata, (std::map<std::string, std::string>{{"format", "pt"}}));
  EXPECT_EQ(file.tensors.at("a").shape, (std::vector<std::int64_t>{2, 2}));
  EXPECT_EQ(file.tensors.at("a").values, std::vector<float>(4, 0.0F));
}

Bytes with_halves(const std::vector<std::uint16_t>& halves) {
  const std::string count = std::to_string(halves.size());
  const std::string size = std::to_string(2 * halves.size());
  Bytes file = with_header(
      R"({"a":{"dtype":"F16","shape":[)" + count + R"(],"data_offsets":[0,)" + size + "]}}", 0);
  for (const std::uint16_t half : halves) {
    file.push_back(static_cast<std::uint8_t>(half & 0xFF));
    file.push_back(static_cast<std::uint8_t>(half >> 8));
  }
  return file;
}

TEST(SafeTensors, HalfPrecisionIsWidenedExactly) {
  // One, minus two, the largest, the smallest normal, the smallest, both zeros, about a third.
  const SafeTensors file = parse_safetensors(
      with_halves({0x3C00, 0xC000, 0x7BFF, 0x0400, 0x0001, 0x0000, 0x8000, 0x3555}), "w");
  const std::vector<float>& values = file.tensors.at("a").values;
  EXPECT_EQ(values, (std::vector<float>{1.0F, -2.0F, 65504.0F, 0x1p-14F, 0x1p-24F, 0.0F, -0.0F,
                                        1365.0F / 4096.0F}));
  EXPECT_TRUE(std::signbit(values[6]));
  for (const auto half : std::initializer_list<std::uint16_t>{0x7C00, 0xFC00, 0x7E00})
    EXPECT_EQ(parse_error(with_halves({half})),
              "w: tensor \"a\" contains a value that is not finite");
}

TEST(SafeTensors, DamagedChecksumKeyIsNoticed) {
  const Bytes whole = serialize_safetensors(example());
  std::string text(whole.begin(), whole.end());
  text.replace(text.find("\"sha256\""), 8, "\"sha257\"");
  EXPECT_EQ(parse_error(Bytes(text.begin(), text.end())),
            "w: the checksum's key \"sha257\" is damaged");
}

TEST(SafeTensors, WrongTypesAndShapes) {
  EXPECT_EQ(tensor_error("\"F32\"", "[4]", "[0,16]"), "");
  EXPECT_EQ(tensor_error("\"F16\"", "[8]", "[0,16]"), "");
  EXPECT_EQ(tensor_error("\"BF16\"", "[8]", "[0,16]"),
            "w: tensor \"a\" has the dtype \"BF16\", not F32 or F16");
  EXPECT_EQ(tensor_error("32", "[4]", "[0,16]"),
            "w: tensor \"a\" has the dtype 32, not F32 or F16");
  const std::string misfit = "w: tensor \"a\" has a shape that does not fit its 16 bytes of data";
  EXPECT_EQ(tensor_error("\"F32\"", "[3]", "[0,16]"), misfit);
  EXPECT_EQ(tensor_error("\"F32\"", "[]", "[0,16]"), misfit);
  EXPECT_EQ(tensor_error("\"F32\"", "[4,0]", "[0,16]"), misfit);
  // 2^62 * 4 values, times 4 bytes, is 16 modulo 2^64 in several ways.
  const std::string big = "w: tensor \"a\" has an impossibly big shape";
  EXPECT_EQ(tensor_error("\"F32\"", "[4611686018427387904,4]", "[0,16]"), big);
  EXPECT_EQ(tensor_error("\"F32\"", "[4611686018427387905,4]", "[0,16]"), big);
  EXPECT_EQ(tensor_error("\"F32\"", "[9223372036854775807]", "[0,16]"), big);
  const std::string no_shape =
      "w: tensor \"a\" has a shape that is not a list of non-negative integers";
  for (const char* shape : {"[-4]", "[-2,-2]", "[4.0]", "[\"4\"]", "4", "null", "{}",
                            "[18446744073709551615]", "[99999999999999999999]", "[-0]", "[true]"}) {
    EXPECT_EQ(tensor_error("\"F32\"", shape, "[0,16]"), no_shape) << shape;
  }
  const std::string no_offsets =
      "w: tensor \"a\" has data_offsets that are not two increasing integers";
  for (const char* offsets : {"[16,0]", "[-16,0]", "[0]", "[0,16,16]", "[0,16.0]", "16", "null"}) {
    EXPECT_EQ(tensor_error("\"F32\"", "[4]", offsets), no_offsets) << offsets;
  }
}

TEST(SafeTensors, DataMustBeCoveredExactlyOnce) {
  const auto two = [](const std::string& a, const std::string& b, std::size_t bytes) {
    return header_error(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":)" + a +
                            R"(},"b":{"dtype":"F32","shape":[2],"data_offsets":)" + b + "}}",
                        bytes);
  };
  EXPECT_EQ(two("[0,8]", "[8,16]", 16), "");
  EXPECT_EQ(two("[8,16]", "[0,8]", 16), "");
  EXPECT_EQ(two("[0,8]", "[0,8]", 8), "w: tensor \"b\" overlaps another tensor");
  EXPECT_EQ(two("[0,8]", "[4,12]", 12), "w: tensor \"b\" overlaps another tensor");
  EXPECT_EQ(two("[0,8]", "[12,20]", 20), "w: tensor \"b\" follows a hole in the data");
  EXPECT_EQ(two("[4,12]", "[12,20]", 20), "w: tensor \"a\" follows a hole in the data");
  EXPECT_EQ(two("[0,8]", "[8,16]", 20), "w: 4 bytes after the last tensor");
  EXPECT_EQ(two("[0,8]", "[8,16]", 12), "w: tensor \"b\" reaches beyond the end of the file");
  EXPECT_EQ(two("[0,8]", "[9223372036854775799,9223372036854775807]", 16),
            "w: tensor \"b\" reaches beyond the end of the file");
}

TEST(SafeTensors, BadHeaders) {
  EXPECT_EQ(parse_error({}), "w: 0 bytes are too few for a safetensors file");
  Bytes huge(8, 0xFF);
  EXPECT_NE(parse_error(huge).find("is not a safetensors file"), std::string::npos);
  Bytes over_limit = with_header("{}", 0);
  const std::uint64_t size = 100'000'001;
  std::memcpy(over_limit.data(), &size, 8);
  over_limit.resize(8 + size, ' ');
  EXPECT_NE(parse_error(over_limit).find("is not a safetensors file"), std::string::npos);

  EXPECT_EQ(header_error("", 0), "w: the header is not a JSON object");
  EXPECT_EQ(header_error("[]", 0), "w: the header is not a JSON object");
  EXPECT_EQ(header_error(" {}", 0), "w: the header is not a JSON object");
  EXPECT_EQ(header_error(std::string("{}\0{", 4), 0), "w: the header is not a JSON object");
  EXPECT_EQ(header_error("{} x", 0), "w: the header is not valid JSON");
  EXPECT_EQ(header_error("{\"a\":1e9999}", 0), "w: the header is not valid JSON");
  EXPECT_EQ(header_error("{\"\xFF\":1}", 0), "w: the header is not valid JSON");
  EXPECT_EQ(header_error("{}", 0), "");
  EXPECT_EQ(header_error(R"({"a":{"shape":[4],"data_offsets":[0,16]}})", 16),
            "w: tensor \"a\" is not described by dtype, shape and data_offsets");
  EXPECT_EQ(header_error(R"({"a\n":3})", 0),
            "w: tensor \"a\\n\" is not described by dtype, shape and data_offsets");
  EXPECT_EQ(header_error(R"({"__metadata__":[]})", 0), "w: the metadata is not an object");
  EXPECT_EQ(header_error(R"({"__metadata__":{"a":1}})", 0), "w: metadata \"a\" is not a string");
  EXPECT_EQ(header_error(R"({"__metadata__":{"a":"1","a":"1"}})", 0),
            "w: the header repeats the key \"a\"");
  EXPECT_EQ(header_error(R"({"__metadata__":{"sha256":"0000"}})", 0),
            "w: the checksum does not match, the file is damaged");
}

TEST(SafeTensors, RejectsANestingBomb) {
  const std::string expected = "w: the header is nested too deeply";
  std::string arrays = "{\"a\":";
  arrays.append(5'000'000, '[');
  EXPECT_EQ(header_error(arrays, 0), expected);
  std::string objects = "{\"a\":";
  for (int i = 0; i < 100'000; ++i) objects += "{\"a\":";
  EXPECT_EQ(header_error(objects, 0), expected);
  EXPECT_EQ(tensor_error("\"F32\"", "[[4]]", "[0,16]"), expected);
}

TEST(SafeTensors, NonFiniteWeightsAreRefusedBothWays) {
  for (const float bad :
       {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(),
        -std::numeric_limits<float>::infinity()}) {
    Bytes bytes = with_header(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})", 4);
    std::memcpy(&bytes[bytes.size() - 4], &bad, 4);
    EXPECT_EQ(parse_error(bytes), "w: tensor \"a\" contains a value that is not finite");
    SafeTensors file;
    file.tensors["a"] = {{1}, {bad}};
    EXPECT_EQ(message_of<Error>([&] { serialize_safetensors(file); }),
              "tensor \"a\" contains a value that is not finite");
  }
}

TEST(SafeTensors, WritingRefusesWhatCouldNotBeRead) {
  const TemporaryFolder folder;
  const std::string path = folder.file("w");
  const auto write_error = [&](const std::string& name, const Tensor& tensor) {
    SafeTensors file;
    file.tensors[name] = tensor;
    return message_of<Error>([&] { write_safetensors(path, file); });
  };
  EXPECT_EQ(write_error("a", {{2}, {1.0F}}),
            path + ": cannot be written (tensor \"a\" has a shape that does not fit its 1 values)");
  EXPECT_EQ(write_error("a", {{-1}, {}}),
            path + ": cannot be written (tensor \"a\" has a negative extent in its shape)");
  EXPECT_EQ(write_error("__metadata__", {{}, {1.0F}}),
            path + ": cannot be written (tensor \"__metadata__\" has a reserved name)");
  EXPECT_EQ(write_error("\xFF", {{}, {1.0F}}),
            path + ": cannot be written (a tensor name or metadata text is not valid UTF-8)");
  EXPECT_EQ(folder.count(), 0U);
}

}  // namespace
}  // namespace vsmax
