// SPDX-License-Identifier: Apache-2.0
// Internal: the items of a suite (its tables and figures), and the runs that they show.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "vsmax/experiments/suite.h"
#include "vsmax/experiments/suite_values.h"

namespace vsmax {

// What items may refer to.
struct SuiteNames {
  std::vector<Run> runs;           // of this scale
  std::set<std::string> left_out;  // runs with seeds that the scale leaves out
  std::vector<std::string> families;
  std::set<double> sigmas;  // of any scale
};

struct SuiteItems {
  std::vector<SuiteItem> items;
  Json resolved;  // for the report: the items as they stand, each with the runs that it needs
};

// Throws Error.
SuiteItems read_items(const Json& root, const SuiteValues& values, const SuiteNames& names);

}  // namespace vsmax
