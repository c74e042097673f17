// SPDX-License-Identifier: Apache-2.0
// Weights files: https://github.com/huggingface/safetensors (8-byte length, JSON header, raw data).
// Our files store a SHA-256 of their content in the metadata, because the format itself has none.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace vsmax {

// A dense row-major tensor of float32, the type our models use. Half precision (F16) is widened;
// other types in a file are an error that names the tensor and its type.
struct Tensor {
  std::vector<std::int64_t> shape;
  std::vector<float> values;
};

struct SafeTensors {
  std::map<std::string, Tensor> tensors;
  std::map<std::string, std::string> metadata;  // without the checksum, which reading verifies
  bool checksum_verified = false;               // false: the file carried none
};

// The metadata key under which the checksum is kept.
inline constexpr const char* kChecksumKey = "sha256";

// Every length, offset, shape and type in the header is checked before it is used. Throws Error
// whose message starts with `name` when anything is inconsistent or the checksum does not match.
SafeTensors parse_safetensors(std::span<const std::uint8_t> bytes, const std::string& name);
SafeTensors read_safetensors(const std::string& path);

// Tensors are sorted by name, so the same content always gives the same bytes.
std::vector<std::uint8_t> serialize_safetensors(const SafeTensors& file);
void write_safetensors(const std::string& path, const SafeTensors& file);

}  // namespace vsmax
