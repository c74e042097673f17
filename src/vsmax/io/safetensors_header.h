// SPDX-License-Identifier: Apache-2.0
// The JSON header of a weights file, read strictly. Internal to io; users include safetensors.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace vsmax {

inline constexpr const char* kMetadataKey = "__metadata__";

struct TensorInfo {
  std::string name;
  std::string label;  // file and tensor, for messages
  std::vector<std::int64_t> shape;
  std::uint64_t begin = 0;  // in bytes, from the start of the data
  std::uint64_t end = 0;
  std::size_t value_bytes = sizeof(float);  // 4 for F32, 2 for F16
};

struct SafeTensorsHeader {
  std::vector<TensorInfo> tensors;  // in the order of their data
  std::map<std::string, std::string> metadata;
};

// Throws Error unless the header is consistent, in itself and with `data_size`: all tensors are F32
// or F16, their shapes match their sizes, and they cover the data without overlap or gap.
SafeTensorsHeader parse_safetensors_header(std::string_view text, std::uint64_t data_size,
                                           const std::string& name);

// The number of values in a tensor of this shape. `label` says which tensor, for messages.
std::uint64_t count_values(const std::vector<std::int64_t>& shape, const std::string& label);

// A name as it may appear in a message: in quotes, with control characters escaped.
std::string quoted(const std::string& text);

}  // namespace vsmax
