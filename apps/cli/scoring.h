// SPDX-License-Identifier: Apache-2.0
// The common part of 'vsmax evaluate' and 'vsmax-torch evaluate': which lines to score, and the
// scores as a table or as JSON.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "vsmax/score/evaluation.h"

namespace vsmax::app {

struct ScoringOptions {
  std::vector<double> sigmas{0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8};
  std::string lines = "grid";
  std::string scores;  // file, empty for none
  std::uint64_t seed = 42;
  int threads = 0;
  bool as_json = false;
  bool reliability = false;  // print how reliable confidences and intervals are

  void declare(CLI::App& parser);
  // Before the work begins; throws Error. `inputs` are what is read, files or folders.
  void check(const std::vector<std::string>& inputs) const;
  LineSet line_set() const { return lines == "grid" ? LineSet::kGrid : LineSet::kContinuous; }
};

// The scores of one readout of a model; the posterior has several.
struct ScoredAnswer {
  std::string key;
  std::string label;
  Evaluation scores;
};

struct Scorer {
  std::string name;  // of the trained or built-in model
  std::string device;
  HoughGrid grid;  // whose lines are scored
  std::function<std::vector<ScoredAnswer>(double sigma, const Progress& progress)> run;
};

// {"mean", "deviation", "count"}.
nlohmann::ordered_json summary_json(const ScoreSummary& summary);

// Scores at every noise level, prints the results and writes the file. Returns the exit code.
int print_scores(const std::string& model, const ScoringOptions& options, const Scorer& scorer);

}  // namespace vsmax::app
