// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>
#include <utility>

#include "result_text.h"

namespace vsmax::app {

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

}  // namespace vsmax::app
