// SPDX-License-Identifier: Apache-2.0
// What fig-generalisation and table-generalisation share: the regions g1..g4 and their runs.
#pragma once

#include <array>

#include "vsmax/experiments/item.h"

namespace vsmax {

inline constexpr std::array<Support, 4> kRegions{Support::kG1, Support::kG2, Support::kG3,
                                                 Support::kG4};

inline constexpr const char* kDataDriven = "mlp-vs";
inline constexpr const char* kKnownOperator = "vsmax-vs";

inline std::string region_name(Support region) {
  return kSupportNames[static_cast<std::size_t>(region)];
}

// The operator first: it trains in less time.
inline std::vector<Run> region_runs(const Scale& scale) {
  std::vector<Run> list{posterior_run(scale)};
  for (const char* model : {kKnownOperator, kDataDriven})
    for (const Support region : kRegions) list.push_back(support_run(scale, model, region));
  return list;
}

}  // namespace vsmax
