// SPDX-License-Identifier: Apache-2.0
#include "vsmax/io/safetensors_header.h"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "vsmax/base/error.h"

namespace vsmax {
namespace {

constexpr int kMaxDepth = 3;  // header, tensor, shape
constexpr std::uint64_t kMaxInt64 = std::numeric_limits<std::int64_t>::max();
constexpr std::uint64_t kMaxValues = std::numeric_limits<std::uint64_t>::max() / sizeof(float);

// Parses the JSON, rejecting what a plain parser lets through: deep nesting, repeated keys, and a
// zero byte, which would pass as the end of the text.
nlohmann::json parse_json(std::string_view text, const std::string& name) {
  std::vector<std::set<std::string>> keys_of_open_objects;
  const auto check = [&](int depth, nlohmann::json::parse_event_t event, nlohmann::json& parsed) {
    if (depth > kMaxDepth) throw Error(name + ": the header is nested too deeply");
    if (event == nlohmann::json::parse_event_t::object_start) keys_of_open_objects.emplace_back();
    if (event == nlohmann::json::parse_event_t::object_end) keys_of_open_objects.pop_back();
    if (event == nlohmann::json::parse_event_t::key &&
        !keys_of_open_objects.back().insert(parsed.get<std::string>()).second) {
      throw Error(name + ": the header repeats the key " + quoted(parsed.get<std::string>()));
    }
    return true;
  };
  if (text.empty() || text.front() != '{' || text.find('\0') != std::string_view::npos) {
    throw Error(name + ": the header is not a JSON object");
  }
  try {
    return nlohmann::json::parse(text.begin(), text.end(), check);
  } catch (const nlohmann::json::exception&) {
    throw Error(name + ": the header is not valid JSON");
  }
}

TensorInfo parse_tensor_info(const std::string& key, const nlohmann::json& entry,
                             const std::string& name) {
  TensorInfo info{key, name + ": tensor " + quoted(key), {}};
  if (!entry.is_object() || entry.size() != 3 || !entry.contains("dtype") ||
      !entry.contains("shape") || !entry.contains("data_offsets")) {
    throw Error(info.label + " is not described by dtype, shape and data_offsets");
  }
  const nlohmann::json& dtype = entry["dtype"];
  if (dtype != "F32" && dtype != "F16")
    throw Error(info.label + " has the dtype " + dtype.dump() + ", not F32 or F16");
  info.value_bytes = dtype == "F16" ? sizeof(std::uint16_t) : sizeof(float);
  const auto all_natural = [](const nlohmann::json& list) {
    return list.is_array() && std::all_of(list.begin(), list.end(), [](const nlohmann::json& item) {
             return item.is_number_unsigned() && item.get<std::uint64_t>() <= kMaxInt64;
           });
  };
  if (!all_natural(entry["shape"])) {
    throw Error(info.label + " has a shape that is not a list of non-negative integers");
  }
  const nlohmann::json& offsets = entry["data_offsets"];
  if (!all_natural(offsets) || offsets.size() != 2 || offsets[0] > offsets[1]) {
    throw Error(info.label + " has data_offsets that are not two increasing integers");
  }
  info.shape = entry["shape"].get<std::vector<std::int64_t>>();
  info.begin = offsets[0].get<std::uint64_t>();
  info.end = offsets[1].get<std::uint64_t>();
  if (count_values(info.shape, info.label) * info.value_bytes != info.end - info.begin) {
    throw Error(info.label + " has a shape that does not fit its " +
                std::to_string(info.end - info.begin) + " bytes of data");
  }
  return info;
}

std::map<std::string, std::string> parse_metadata(const nlohmann::json& entry,
                                                  const std::string& name) {
  std::map<std::string, std::string> metadata;
  if (!entry.is_object()) throw Error(name + ": the metadata is not an object");
  for (const auto& [key, value] : entry.items()) {
    if (!value.is_string()) throw Error(name + ": metadata " + quoted(key) + " is not a string");
    metadata.emplace(key, value.get<std::string>());
  }
  return metadata;
}

// Done before any tensor is copied, so that overlaps cannot multiply the memory needed.
void check_tiling(std::vector<TensorInfo>& infos, std::uint64_t size, const std::string& name) {
  std::sort(infos.begin(), infos.end(), [](const TensorInfo& a, const TensorInfo& b) {
    return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
  });
  std::uint64_t expected = 0;
  for (const TensorInfo& info : infos) {
    if (info.end > size) throw Error(info.label + " reaches beyond the end of the file");
    if (info.begin < expected) throw Error(info.label + " overlaps another tensor");
    if (info.begin > expected) throw Error(info.label + " follows a hole in the data");
    expected = info.end;
  }
  if (expected != size) {
    throw Error(name + ": " + std::to_string(size - expected) + " bytes after the last tensor");
  }
}

}  // namespace

SafeTensorsHeader parse_safetensors_header(std::string_view text, std::uint64_t data_size,
                                           const std::string& name) {
  const nlohmann::json json = parse_json(text, name);
  SafeTensorsHeader header;
  for (const auto& [key, entry] : json.items()) {
    if (key == kMetadataKey) {
      header.metadata = parse_metadata(entry, name);
    } else {
      header.tensors.push_back(parse_tensor_info(key, entry, name));
    }
  }
  check_tiling(header.tensors, data_size, name);
  return header;
}

std::uint64_t count_values(const std::vector<std::int64_t>& shape, const std::string& label) {
  std::uint64_t count = 1;
  for (const std::int64_t extent : shape) {
    if (extent < 0) throw Error(label + " has a negative extent in its shape");
    const auto factor = static_cast<std::uint64_t>(extent);
    if (factor != 0 && count > kMaxValues / factor)
      throw Error(label + " has an impossibly big shape");
    count *= factor;
  }
  return count;
}

std::string quoted(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace vsmax
