// SPDX-License-Identifier: Apache-2.0
// Clean EA in and out of the region that a model was trained on.
#include "vsmax/experiments/support_regions.h"
#include "vsmax/score/evaluation.h"

namespace vsmax {

namespace {

struct PaperFigures {
  double in, out, in_deviation, out_deviation;
};

struct PaperRow {
  const char* method;
  const char* model;
  std::array<PaperFigures, kRegions.size()> figures;  // g1..g4
};

constexpr std::array<PaperRow, 2> kPaper{{
    {"MLP",
     kDataDriven,
     {{{0.934, 0.325, 0.147, 0.341},
       {0.945, 0.289, 0.116, 0.330},
       {0.931, 0.515, 0.204, 0.331},
       {0.956, 0.296, 0.085, 0.315}}}},
    {"operator",
     kKnownOperator,
     {{{0.949, 0.949, 0.058, 0.058},
       {0.948, 0.947, 0.058, 0.059},
       {0.948, 0.948, 0.054, 0.055},
       {0.914, 0.914, 0.060, 0.063}}}},
}};

Json summary(const std::vector<double>& scores) {
  const ScoreSummary summary = summarize(scores);
  return {{"mean", summary.mean}, {"deviation", summary.deviation}, {"count", summary.count}};
}

// {"in", "out"} of the region, or null without the map.
Json split(const Json& cells, const HoughGrid& grid, Support region) {
  if (cells.is_null()) return nullptr;
  std::vector<double> in;
  std::vector<double> out;
  for (const Cell cell : grid.resolvable_cells())
    (in_support(region, grid, cell) ? in : out)
        .push_back(cells.at(static_cast<std::size_t>(cell.t))
                       .at(static_cast<std::size_t>(cell.r))
                       .get<double>());
  return {{"in", summary(in)}, {"out", summary(out)}};
}

Json content(const Scale& scale, const RunResults& results) {
  const HoughGrid grid = scale.protocol.grid();
  Json rows = Json::array();
  Json ceiling = Json::object();
  for (std::size_t i = 0; i < kRegions.size(); ++i) {
    for (const PaperRow& paper : kPaper) {
      const Run run = support_run(scale, paper.model, kRegions[i]);
      const PaperFigures& figures = paper.figures[i];
      rows.push_back(
          {{"setting", region_name(kRegions[i])},
           {"method", paper.method},
           {"run", run.name},
           {"ours", split(results.cells_at(run, 0.0), grid, kRegions[i])},
           {"paper", {{"in", figures.in}, {"out", figures.out}}},
           {"paper_deviation", {{"in", figures.in_deviation}, {"out", figures.out_deviation}}}});
    }
    ceiling[region_name(kRegions[i])] =
        split(results.cells_at(posterior_run(scale), 0.0), grid, kRegions[i]);
  }
  const bool known = results.find(posterior_run(scale)) != nullptr;
  return {{"sigma", 0.0}, {"rows", rows}, {"ceiling", known ? ceiling : Json(nullptr)}};
}

}  // namespace

Item table_generalisation() {
  return {"table-generalisation", "Clean EA in and out of the region trained on", region_runs,
          content};
}

}  // namespace vsmax
