// SPDX-License-Identifier: Apache-2.0
#include "result_json.h"

#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "cli/compact_json.h"

namespace vsmax::app {
namespace {

using RecordJson = nlohmann::ordered_json;

bool is_utf8(const std::string& text) {
  try {
    static_cast<void>(RecordJson(text).dump());
    return true;
  } catch (const nlohmann::json::exception&) {
    return false;
  }
}

// A path need not be valid UTF-8, but JSON must be: "image" then has replacement characters, and
// "image_hex" the bytes.
RecordJson named_object(const std::string& name) {
  RecordJson object{{"image", name}};
  if (is_utf8(name)) return object;
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string hex;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    hex += kDigits[byte / 16U];
    hex += kDigits[byte % 16U];
  }
  object["image_hex"] = hex;
  return object;
}

std::string json_line(const RecordJson& object) { return compact_json(object) + "\n"; }

}  // namespace

std::string json_text(const std::string& name, const ImageFrame& frame, const Recovery& recovery) {
  auto lines = RecordJson::array();
  for (const auto& [line, confidence, visible, spread] : recovery.lines) {
    RecordJson ends;  // null outside the image
    if (visible) ends = {pixel(visible->begin, frame), pixel(visible->end, frame)};
    RecordJson object{
        {"theta", line.theta}, {"rho", line.rho}, {"confidence", confidence}, {"endpoints", ends}};
    if (spread) {
      object["theta_sd"] = spread->theta_sd;
      object["rho_sd"] = spread->rho_sd;
      object["correlation"] = spread->correlation;
      object["theta_68"] = spread->theta_68;
      object["theta_95"] = spread->theta_95;
      object["rho_68"] = spread->rho_68;
      object["rho_95"] = spread->rho_95;
    }
    lines.push_back(std::move(object));
  }
  RecordJson result = named_object(name);
  result["width"] = frame.width;
  result["height"] = frame.height;
  result["model"] = recovery.model;
  result["lines"] = lines;
  return json_line(result);
}

std::string json_failure(const std::string& name, const std::string& sentence) {
  RecordJson object = named_object(name);
  object["error"] = sentence;
  return json_line(object);
}

}  // namespace vsmax::app
