// SPDX-License-Identifier: Apache-2.0
#include "result_text.h"

#include <fmt/core.h>

#include <array>
#include <nlohmann/json.hpp>
#include <numbers>
#include <utility>

#include "draw/captions.h"

namespace vsmax::app {
namespace {

// From the image centre to pixel coordinates, where the top-left pixel's centre is (0, 0).
std::array<double, 2> pixel(std::array<double, 2> from_centre, const ImageFrame& frame) {
  return {from_centre[0] + frame.half_width(), from_centre[1] + frame.half_height()};
}

std::string row_text(const std::string& name, const ImageFrame& frame, const RecoveredLine& found,
                     const std::string& model) {
  std::string text = fmt::format("{}: theta {:.2f} deg, rho {} px, confidence {:.2f}", name,
                                 found.line.theta * 180.0 / std::numbers::pi,
                                 drawing::fixed(found.line.rho, 2), found.confidence);
  if (!model.empty()) text += fmt::format(" ({})", model);
  if (!found.visible) return text + ", outside the image";
  const auto [x1, y1] = pixel(found.visible->begin, frame);
  const auto [x2, y2] = pixel(found.visible->end, frame);
  return text + fmt::format(", from ({:.1f}, {:.1f}) to ({:.1f}, {:.1f})", x1, y1, x2, y2);
}

}  // namespace

std::string json_text(const std::string& name, const ImageFrame& frame, const Recovery& recovery) {
  auto lines = nlohmann::ordered_json::array();
  for (const auto& [line, confidence, visible, spread] : recovery.lines) {
    nlohmann::ordered_json ends;  // null outside the image
    if (visible) ends = {pixel(visible->begin, frame), pixel(visible->end, frame)};
    nlohmann::ordered_json object{
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
  // A path need not be valid UTF-8, but JSON must be.
  nlohmann::ordered_json result{{"image", name}, {"width", frame.width}, {"height", frame.height}};
  if (!recovery.model.empty()) result["model"] = recovery.model;
  result["lines"] = lines;
  return result.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string plain_text(const std::string& name, const ImageFrame& frame, const Recovery& recovery) {
  if (recovery.lines.empty()) return name + ": no line";
  std::string text;
  for (const RecoveredLine& found : recovery.lines)
    text += (text.empty() ? "" : "\n") + row_text(name, frame, found, recovery.model);
  return text;
}

}  // namespace vsmax::app
