// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace vsmax::app {

// On one line. A path need not be valid UTF-8, but JSON must be.
template <class Json>
std::string compact_json(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace vsmax::app
