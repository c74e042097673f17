// SPDX-License-Identifier: Apache-2.0
#include "answers.h"

#include <fmt/core.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <utility>

#include "cli/compact_json.h"
#include "vsmax/base/error.h"
#include "vsmax/io/file.h"

namespace vsmax::app {
namespace {

// A member that must be there and of this type; nlohmann's own message would name neither.
template <class Value>
Value member(const nlohmann::json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end()) throw Error(std::string("has no \"") + name + "\"");
  try {
    return found->get<Value>();
  } catch (const nlohmann::json::exception&) {
    throw Error(fmt::format("has a \"{}\" of the wrong type: {}", name, compact_json(*found)));
  }
}

RecoveredLine parse_line(const nlohmann::json& object, const ImageFrame& frame) {
  if (!object.is_object()) throw Error("has a line that is not an object");
  const PixelLine line{member<double>(object, "theta"), member<double>(object, "rho")};
  const auto confidence = member<double>(object, "confidence");
  if (!std::isfinite(line.theta) || !std::isfinite(line.rho))
    throw Error(
        fmt::format("has a line that is not finite: theta {}, rho {}", line.theta, line.rho));
  if (!(confidence >= 0.0 && confidence <= 1.0))
    throw Error(fmt::format("has the confidence {}, which is not from 0 to 1", confidence));
  return {canonical(line), confidence, visible_segment(line, frame)};
}

// None for an image that the detector failed on.
std::optional<std::pair<std::string, Answer>> parse_answer(const std::string& row) {
  const auto object = nlohmann::json::parse(row, nullptr, false);
  if (!object.is_object()) throw Error("is not a JSON object");
  if (object.contains("error")) return std::nullopt;
  const std::filesystem::path image = member<std::string>(object, "image");
  Answer answer;
  answer.frame = {member<int>(object, "width"), member<int>(object, "height")};
  for (const auto& line : member<nlohmann::json::array_t>(object, "lines"))
    answer.recovery.lines.push_back(parse_line(line, answer.frame));
  return std::pair{image.filename().string(), std::move(answer)};
}

}  // namespace

std::map<std::string, Answer> read_answers(const std::string& file) {
  const auto bytes = read_file(file);
  std::istringstream text(std::string(bytes.begin(), bytes.end()));
  std::map<std::string, Answer> answers;
  std::string row;
  for (std::size_t number = 1; std::getline(text, row); ++number) {
    if (row.find_first_not_of(" \t\r") == std::string::npos) continue;
    try {
      auto parsed = parse_answer(row);
      if (!parsed) continue;
      const auto [answer, is_new] = answers.insert(std::move(*parsed));
      if (!is_new) throw Error("is a second answer for " + answer->first);
    } catch (const Error& error) {
      throw Error(file + ": row " + std::to_string(number) + " " + error.what());
    }
  }
  return answers;
}

}  // namespace vsmax::app
