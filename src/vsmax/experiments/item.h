// SPDX-License-Identifier: Apache-2.0
// A table or figure of the paper: the runs it needs, and what it shows of them. One file an item;
// the pictures are drawn from the items' JSON by plots/.
#pragma once

#include <string>
#include <vector>

#include "vsmax/experiments/run_results.h"

namespace vsmax {

struct Item {
  std::string name;
  std::string title;
  std::vector<Run> (*runs)(const Scale& scale);  // in the order of their weight
  // Runs that are not finished leave a null or an empty list.
  Json (*content)(const Scale& scale, const RunResults& results);
};

Item table_main();
Item fig_boundary();
Item fig_theta();
Item fig_noise();
Item fig_end_to_end();
Item fig_generalisation();
Item table_generalisation();
Item fig_rht_sweep();
Item table_choices();

// In the order of their weight where time is short.
std::vector<Item> all_items();

// Throws Error that lists the items for an unknown name.
Item item_by_name(const std::string& name);

// The content with the item's name and what is missing of it.
Json item_json(const Item& item, const Scale& scale, const RunResults& results);

}  // namespace vsmax
