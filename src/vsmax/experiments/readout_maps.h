// SPDX-License-Identifier: Apache-2.0
// What fig-boundary and fig-theta are drawn from: EA of every cell with one readout or the other.
#pragma once

#include "vsmax/experiments/item.h"

namespace vsmax {

inline std::vector<Run> readout_map_runs(const Scale& scale) {
  return {trained_run(scale, "softargmax-vs"), trained_run(scale, "vsmax-vs"),
          posterior_run(scale)};
}

inline Json readout_maps(const Scale& scale, const RunResults&) {
  const std::vector<std::string> titles{"soft-argmax", "VSmax", "ceiling"};
  Json maps = Json::array();
  for (const Run& run : readout_map_runs(scale))
    maps.push_back({{"title", titles[maps.size()]}, {"run", run.name}, {"sigma", kTestSigma}});
  return {{"sigma", kTestSigma}, {"maps", maps}};
}

}  // namespace vsmax
