// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace vsmax {

using Json = nlohmann::ordered_json;

// A YAML file as JSON; a quoted scalar stays a string. Throws Error if it cannot be read, is not
// YAML, or holds a key twice.
Json read_yaml_file(const std::string& path);

}  // namespace vsmax
