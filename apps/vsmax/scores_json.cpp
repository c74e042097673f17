// SPDX-License-Identifier: Apache-2.0
#include "vsmax/scores_json.h"

#include <vector>

namespace vsmax::app {

nlohmann::ordered_json summary_json(const ScoreSummary& summary) {
  return {{"mean", summary.mean}, {"deviation", summary.deviation}, {"count", summary.count}};
}

nlohmann::ordered_json cells_json(const HoughGrid& grid, const Evaluation& evaluation) {
  using Json = nlohmann::ordered_json;
  const auto thetas = static_cast<std::size_t>(grid.thetas());
  std::vector<std::vector<double>> of_theta(thetas);
  Json cells(thetas, Json(static_cast<std::size_t>(grid.rhos()), nullptr));
  std::size_t next = 0;  // scores stand in the order of the resolvable cells
  for (const Cell cell : grid.resolvable_cells()) {
    const double score = evaluation.scores[next++];
    cells[static_cast<std::size_t>(cell.t)][static_cast<std::size_t>(cell.r)] = score;
    of_theta[static_cast<std::size_t>(cell.t)].push_back(score);
  }
  auto summaries = Json::array();
  for (const auto& scores : of_theta) summaries.push_back(summary_json(summarize(scores)));
  return {{"cells", cells}, {"theta", summaries}};
}

}  // namespace vsmax::app
