// SPDX-License-Identifier: Apache-2.0
// The paper's appendix on RHT: the width of the target.
#include <fmt/core.h>

#include <array>

#include "vsmax/experiments/item.h"

namespace vsmax {

namespace {

constexpr std::array<double, 5> kWidths{0.5, 1.1, 1.5, 2.0, 3.0};

std::vector<Run> runs(const Scale& scale) {
  std::vector<Run> list{posterior_run(scale)};
  for (const double width : kWidths) list.push_back(rht_run(scale, width));
  return list;
}

Json content(const Scale& scale, const RunResults& results) {
  Json curves = Json::array();
  for (const double width : kWidths) {
    curves.push_back({{"label", fmt::format("{:.1f}", width)}});
    curves.back().update(results.curve(rht_run(scale, width), "all"));
  }
  return {{"curves", curves}, {"ceiling", results.curve(posterior_run(scale), "all")}};
}

}  // namespace

Item fig_rht_sweep() {
  return {"fig-rht-sweep", "EA of RHT over the noise, by the width of its target", runs, content};
}

}  // namespace vsmax
