// SPDX-License-Identifier: Apache-2.0
#include "cli/scoring.h"

#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/compact_json.h"
#include "cli/one_line.h"
#include "cli/with_progress.h"
#include "vsmax/io/file.h"

namespace vsmax::app {
namespace {

using Json = nlohmann::ordered_json;

Json scores_json(double sigma, const Evaluation& scores) {
  Json result{{"sigma", sigma},
              {"all", summary_json(scores.all)},
              {"seam", summary_json(scores.seam)},
              {"interior", summary_json(scores.interior)}};
  if (!scores.reliability) return result;
  const auto& [calibration, auroc, coverage] = *scores.reliability;
  result["calibration_error"] = calibration.error;
  auto& bins = result["calibration"] = Json::array();
  for (const auto& bin : calibration.bins)
    bins.push_back({{"confidence", bin.confidence}, {"ea", bin.ea}, {"count", bin.count}});
  if (auroc) result["auroc"] = *auroc;
  if (coverage)
    result["coverage"] = {{"theta_68", coverage->theta_68},
                          {"theta_95", coverage->theta_95},
                          {"rho_68", coverage->rho_68},
                          {"rho_95", coverage->rho_95}};
  return result;
}

// Prints, below the scores, how far the confidence and the intervals can be relied on.
void print_reliability(const std::vector<double>& sigmas,
                       const std::vector<std::optional<Reliability>>& rows) {
  fmt::print("{:>5}  {:>15}  {:>15}  {:>12}  {:>12}\n", "sigma", "calibration", "AUROC, lost",
             "theta 68, 95", "rho 68, 95");
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!rows[i]) continue;
    const auto& [calibration, auroc, coverage] = *rows[i];
    const auto pair = [](double narrow, double wide) {
      return fmt::format("{:.3f} {:.3f}", narrow, wide);
    };
    fmt::print("{:>5g}  {:>15.4f}  {:>15}  {:>12}  {:>12}\n", sigmas[i], calibration.error,
               auroc ? fmt::format("{:.4f}", *auroc) : "-",
               coverage ? pair(coverage->theta_68, coverage->theta_95) : "-",
               coverage ? pair(coverage->rho_68, coverage->rho_95) : "-");
  }
}

// "cells": T rows of R scores, null where a line misses the image or was not scored; "theta": one
// summary per angle. These are the values of the paper's maps.
Json cells_json(double sigma, const HoughGrid& grid, const Evaluation& evaluation) {
  const auto thetas = static_cast<std::size_t>(grid.thetas());
  std::vector<std::vector<double>> of_theta(thetas);
  Json cells(thetas, Json(static_cast<std::size_t>(grid.rhos()), nullptr));
  std::size_t next = 0;  // scores are in the order of resolvable_cells()
  for (const Cell cell : grid.resolvable_cells()) {
    if (next == evaluation.scores.size()) break;
    const PixelLine line = grid.line(cell);
    const PixelLine scored = evaluation.lines[next];
    if (line.theta != scored.theta || line.rho != scored.rho) continue;
    const double score = evaluation.scores[next++];
    cells[static_cast<std::size_t>(cell.t)][static_cast<std::size_t>(cell.r)] = score;
    of_theta[static_cast<std::size_t>(cell.t)].push_back(score);
  }
  auto summaries = Json::array();
  for (const auto& scores : of_theta) summaries.push_back(summary_json(summarize(scores)));
  return {{"sigma", sigma}, {"cells", cells}, {"theta", summaries}};
}

void print_row(double sigma, const ScoredAnswer& answer) {
  const auto text = [](const ScoreSummary& s) {
    return s.count == 0 ? "-" : fmt::format("{:.4f} +- {:.3f}", s.mean, s.deviation);
  };
  fmt::print("{:>5g}  {:>15}  {:>15}  {:>15}{}\n", sigma, text(answer.scores.all),
             text(answer.scores.seam), text(answer.scores.interior), answer.label);
  std::fflush(stdout);
}

}  // namespace

nlohmann::ordered_json summary_json(const ScoreSummary& summary) {
  return {{"mean", summary.mean}, {"deviation", summary.deviation}, {"count", summary.count}};
}

void ScoringOptions::declare(CLI::App& parser) {
  parser
      .add_option_function<std::vector<std::string>>(
          "--sigma",
          [this](const std::vector<std::string>& texts) {
            sigmas.clear();
            for (const std::string& text : texts)
              for (const double sigma : read_levels("--sigma", text)) sigmas.push_back(sigma);
          },
          "Standard deviations of the noise, separated by commas")
      ->type_name("FLOAT")
      ->default_str(fmt::format("{}", fmt::join(sigmas, ",")));
  parser.add_option("--lines", lines, "Test on lines at grid cells, or at arbitrary positions")
      ->check(one_of({"grid", "continuous"}))
      ->capture_default_str();
  parser
      .add_option("--scores", scores,
                  "Write the results to this JSON file, with the EA-score of every cell and angle "
                  "if\nthe lines are those of the grid")
      ->check(not_empty());
  parser.add_option("--seed", seed, "Seed of the noise")
      ->transform(whole(0, kAnySeed))
      ->capture_default_str();
  declare_threads(parser, threads);
  parser.add_flag("--json", as_json, "Print JSON");
  parser.add_flag(
      "--reliability", reliability,
      "Print how well the confidence predicts EA, how well it tells lost lines (EA below "
      "0.4)\nfrom others, and how often the intervals hold the true line");
}

void ScoringOptions::check(const std::vector<std::string>& inputs) const {
  if (!scores.empty()) require_writable(scores, inputs);
}

int print_scores(const std::string& model, const ScoringOptions& options, const Scorer& scorer) {
  Json report{{"model", model}, {"lines", options.lines}, {"seed", options.seed}};
  auto maps = Json::array();
  std::vector<std::optional<Reliability>> reliabilities;
  if (!options.as_json)
    fmt::print("EA of {} on {} lines\n{:>5}  {:>15}  {:>15}  {:>15}\n", one_line(model),
               options.lines, "sigma", "all", "seam", "interior");
  for (const double sigma : options.sigmas) {
    const auto answers =
        with_progress(fmt::format("sigma {:g}", sigma),
                      [&](const Progress& progress) { return scorer.run(sigma, progress); });
    for (const auto& answer : answers) {
      if (!options.as_json) print_row(sigma, answer);
      report[answer.key].push_back(scores_json(sigma, answer.scores));
    }
    reliabilities.push_back(answers.front().scores.reliability);
    if (!options.scores.empty() && options.line_set() == LineSet::kGrid)
      maps.push_back(cells_json(sigma, scorer.grid, answers.front().scores));
  }
  if (options.reliability && !options.as_json) print_reliability(options.sigmas, reliabilities);
  report["name"] = scorer.name;
  report["device"] = scorer.device;
  if (options.as_json) fmt::print("{}\n", compact_json(report));
  if (options.scores.empty()) return kSuccess;
  report["W"] = scorer.grid.frame().width;
  report["H"] = scorer.grid.frame().height;
  report["T"] = scorer.grid.thetas();
  report["R"] = scorer.grid.rhos();
  report["maps"] = maps;
  write_file_atomically(options.scores, compact_json(report) + "\n");
  return kSuccess;
}

}  // namespace vsmax::app
