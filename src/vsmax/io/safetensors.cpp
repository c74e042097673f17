// SPDX-License-Identifier: Apache-2.0
// The checksum in metadata["sha256"] is the SHA-256, in lower-case hexadecimal, of the following
// bytes, with every sequence in the byte order of the names:
//   for each tensor: its name, a 0 byte, its shape as decimal numbers joined by ',', a 0 byte, and
//   its values as little-endian float32 (F16 tensors are widened when they are read);
//   then for each metadata entry except the checksum: its key, a 0 byte, its value, a 0 byte.
// The layout of the header is not included: the same content has the same checksum.
#include "vsmax/io/safetensors.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "vsmax/base/error.h"
#include "vsmax/io/file.h"
#include "vsmax/io/safetensors_header.h"
#include "vsmax/io/sha256.h"

namespace vsmax {
namespace {

static_assert(std::endian::native == std::endian::little, "the data are copied as they are");

constexpr std::size_t kLengthBytes = 8;
constexpr std::uint32_t kExponentBits = 0x7F800000;     // all set in infinities and NaNs only
constexpr std::uint64_t kMaxHeaderBytes = 100'000'000;  // the format's own limit

std::span<const std::uint8_t> raw_bytes(const std::vector<float>& values) {
  return {reinterpret_cast<const std::uint8_t*>(values.data()), values.size() * sizeof(float)};
}

// Leaves out the metadata entry `checksum_key`.
std::string checksum(const SafeTensors& file, const std::string& checksum_key) {
  Sha256 hash;
  const auto add_text = [&hash](const std::string& text) {  // with its final 0 byte
    hash.update({reinterpret_cast<const std::uint8_t*>(text.c_str()), text.size() + 1});
  };
  for (const auto& [name, tensor] : file.tensors) {
    add_text(name);
    std::string shape;
    for (const std::int64_t extent : tensor.shape) {
      if (!shape.empty()) shape += ',';
      shape += std::to_string(extent);
    }
    add_text(shape);
    hash.update(raw_bytes(tensor.values));
  }
  for (const auto& [key, value] : file.metadata) {
    if (key == checksum_key) continue;
    add_text(key);
    add_text(value);
  }
  return hash.hex_digest();
}

void check_finite(const Tensor& tensor, const std::string& label) {
  // Tests the bits, since -ffast-math lets the compiler drop std::isfinite, and all of them, since
  // a loop without an exit becomes vector instructions.
  std::uint32_t found = 0;
  for (const float value : tensor.values) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    found |= static_cast<std::uint32_t>((bits & kExponentBits) == kExponentBits);
  }
  if (found != 0) throw Error(label + " contains a value that is not finite");
}

// Converts a half-precision number (IEEE 754 binary16).
float float_from_half(std::uint16_t half) {
  constexpr int kFractionBits = 10;
  constexpr int kBias = 15;
  const int exponent = (half >> kFractionBits) & 31;
  const int fraction = half & ((1 << kFractionBits) - 1);
  const float sign = (half >> 15) != 0 ? -1.0F : 1.0F;
  if (exponent == 31)
    return sign * (fraction == 0 ? std::numeric_limits<float>::infinity()
                                 : std::numeric_limits<float>::quiet_NaN());
  const int significand = exponent == 0 ? fraction : fraction + (1 << kFractionBits);
  return sign *
         std::ldexp(static_cast<float>(significand), std::max(exponent, 1) - kBias - kFractionBits);
}

void copy_values(std::span<const std::uint8_t> from, std::size_t value_bytes,
                 std::vector<float>& values) {
  values.resize(from.size() / value_bytes);
  if (values.empty()) return;
  if (value_bytes == sizeof(float)) {
    std::memcpy(values.data(), from.data(), from.size());
    return;
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::uint16_t half = 0;
    std::memcpy(&half, from.data() + i * sizeof half, sizeof half);
    values[i] = float_from_half(half);
  }
}

void verify_checksum(SafeTensors& file, const std::string& name) {
  const auto stored = file.metadata.find(kChecksumKey);
  if (stored != file.metadata.end()) {
    if (stored->second != checksum(file, kChecksumKey)) {
      throw Error(name + ": the checksum does not match, the file is damaged");
    }
    file.metadata.erase(stored);
    file.checksum_verified = true;
    return;
  }
  // If another key holds the right checksum, the checksum's own key is damaged.
  for (const auto& [key, value] : file.metadata) {
    if (value.size() == 64 && value == checksum(file, key)) {
      throw Error(name + ": the checksum's key " + quoted(key) + " is damaged");
    }
  }
}

// The file up to its data: the length and the header. Throws Error for content that no file can
// hold.
std::vector<std::uint8_t> opening_of(const SafeTensors& file) {
  std::map<std::string, std::string> metadata = file.metadata;
  metadata[kChecksumKey] = checksum(file, kChecksumKey);
  nlohmann::ordered_json header;
  header[kMetadataKey] = metadata;  // first, where people and other readers look for it
  std::size_t data_size = 0;
  for (const auto& [name, tensor] : file.tensors) {
    const std::string label = "tensor " + quoted(name);
    if (name == kMetadataKey) throw Error(label + " has a reserved name");
    if (count_values(tensor.shape, label) != tensor.values.size()) {
      throw Error(label + " has a shape that does not fit its " +
                  std::to_string(tensor.values.size()) + " values");
    }
    check_finite(tensor, label);
    const std::size_t end = data_size + tensor.values.size() * sizeof(float);
    header[name] = {{"dtype", "F32"}, {"shape", tensor.shape}, {"data_offsets", {data_size, end}}};
    data_size = end;
  }
  std::string text;
  try {
    text = header.dump();
  } catch (const nlohmann::ordered_json::exception&) {
    throw Error("a tensor name or metadata text is not valid UTF-8");
  }
  text.append((kLengthBytes - text.size() % kLengthBytes) % kLengthBytes, ' ');  // aligns the data

  std::vector<std::uint8_t> bytes(kLengthBytes + text.size());
  const std::uint64_t header_size = text.size();
  std::memcpy(bytes.data(), &header_size, kLengthBytes);
  std::copy(text.begin(), text.end(), bytes.begin() + kLengthBytes);
  return bytes;
}

}  // namespace

SafeTensors parse_safetensors(std::span<const std::uint8_t> bytes, const std::string& name) {
  if (bytes.size() < kLengthBytes) {
    throw Error(name + ": " + std::to_string(bytes.size()) +
                " bytes are too few for a safetensors file");
  }
  std::uint64_t header_size = 0;
  std::memcpy(&header_size, bytes.data(), kLengthBytes);
  if (header_size > kMaxHeaderBytes || header_size > bytes.size() - kLengthBytes) {
    throw Error(name + ": is not a safetensors file, or a damaged one: its header would take " +
                std::to_string(header_size) + " bytes");
  }
  const auto header_bytes = bytes.subspan(kLengthBytes, static_cast<std::size_t>(header_size));
  const auto data = bytes.subspan(kLengthBytes + header_bytes.size());
  SafeTensorsHeader header = parse_safetensors_header(
      {reinterpret_cast<const char*>(header_bytes.data()), header_bytes.size()}, data.size(), name);

  SafeTensors file;
  file.metadata = std::move(header.metadata);
  for (TensorInfo& info : header.tensors) {
    Tensor& tensor = file.tensors[info.name];
    tensor.shape = std::move(info.shape);
    const auto begin = static_cast<std::size_t>(info.begin);
    copy_values(data.subspan(begin, static_cast<std::size_t>(info.end) - begin), info.value_bytes,
                tensor.values);
    check_finite(tensor, info.label);
  }
  verify_checksum(file, name);
  return file;
}

SafeTensors read_safetensors(const std::string& path) {
  return parse_safetensors(read_file(path), path);
}

std::vector<std::uint8_t> serialize_safetensors(const SafeTensors& file) {
  std::vector<std::uint8_t> bytes = opening_of(file);
  std::size_t size = bytes.size();
  for (const auto& [name, tensor] : file.tensors) size += raw_bytes(tensor.values).size();
  bytes.reserve(size);
  for (const auto& [name, tensor] : file.tensors) {
    const auto raw = raw_bytes(tensor.values);
    bytes.insert(bytes.end(), raw.begin(), raw.end());
  }
  return bytes;
}

void write_safetensors(const std::string& path, const SafeTensors& file) {
  std::vector<std::uint8_t> opening;
  try {
    opening = opening_of(file);
  } catch (const Error& error) {
    throw Error(path + ": cannot be written (" + error.what() + ")");
  }
  std::vector<std::span<const std::uint8_t>> parts = {opening};
  for (const auto& [name, tensor] : file.tensors) parts.push_back(raw_bytes(tensor.values));
  write_parts_atomically(path, parts);
}

}  // namespace vsmax
