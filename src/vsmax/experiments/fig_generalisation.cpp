// SPDX-License-Identifier: Apache-2.0
// The paper's figure "generalisation": where each model was trained, and its EA everywhere.
#include "vsmax/experiments/support_regions.h"

namespace vsmax {

namespace {

// T rows of R: 1 in the region, 0 outside, null where no line can be seen.
Json mask(const HoughGrid& grid, Support region) {
  Json rows(static_cast<std::size_t>(grid.thetas()),
            Json(static_cast<std::size_t>(grid.rhos()), nullptr));
  for (const Cell cell : grid.resolvable_cells())
    rows[static_cast<std::size_t>(cell.t)][static_cast<std::size_t>(cell.r)] =
        in_support(region, grid, cell) ? 1 : 0;
  return rows;
}

Json map_row(const Scale& scale, const std::string& title, const char* model) {
  Json maps = Json::array();
  for (const Support region : kRegions)
    maps.push_back({{"run", support_run(scale, model, region).name}, {"sigma", 0.0}});
  return {{"title", title}, {"maps", maps}};
}

Json content(const Scale& scale, const RunResults&) {
  const HoughGrid grid = scale.protocol.grid();
  Json settings = Json::array();
  Json support = Json::array();
  for (const Support region : kRegions) {
    settings.push_back(region_name(region));
    support.push_back(mask(grid, region));
  }
  return {{"settings", settings},
          {"support", support},
          {"rows",
           {map_row(scale, "Data-driven", kDataDriven),
            map_row(scale, "Known-operator", kKnownOperator)}}};
}

}  // namespace

Item fig_generalisation() {
  return {"fig-generalisation", "Clean EA everywhere, trained on a part of line space", region_runs,
          content};
}

}  // namespace vsmax
