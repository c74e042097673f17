// SPDX-License-Identifier: Apache-2.0
#include "vsmax/experiments/item.h"

#include <fmt/format.h>

#include "vsmax/base/error.h"

namespace vsmax {

std::vector<Item> all_items() {
  return {table_main(),     fig_boundary(),       fig_theta(),
          fig_noise(),      fig_generalisation(), table_generalisation(),
          fig_end_to_end(), fig_rht_sweep(),      table_choices()};
}

Item item_by_name(const std::string& name) {
  std::vector<std::string> names;
  for (const Item& item : all_items()) {
    if (item.name == name) return item;
    names.push_back(item.name);
  }
  throw Error(fmt::format("there is no item '{}'; the items are {}", name, fmt::join(names, ", ")));
}

Json item_json(const Item& item, const Scale& scale, const RunResults& results) {
  Json missing = Json::array();
  for (const Run& run : item.runs(scale))
    if (results.find(run) == nullptr) missing.push_back(run.name);
  Json whole{{"item", item.name},
             {"title", item.title},
             {"scale", scale.name},
             {"complete", missing.empty()},
             {"missing", missing}};
  whole.update(item.content(scale, results));
  return whole;
}

}  // namespace vsmax
