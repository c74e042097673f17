// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <cmath>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "vsmax/base/error.h"
#include "vsmax/commands.h"
#include "vsmax/interrupt.h"
#include "vsmax/io/file.h"
#include "vsmax/model_options.h"
#include "vsmax/progress.h"
#include "vsmax/score/evaluation.h"
#include "vsmax/score/posterior_evaluation.h"
#include "vsmax/scores_json.h"

namespace vsmax::app {

namespace {

struct EvaluateOptions {
  ModelOptions model;
  std::vector<double> sigmas{0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8};
  std::string lines = "grid";
  std::string size;       // of the images, empty for the paper's or the model's own
  std::string line_grid;  // likewise
  std::string cells;      // file, empty for none
  std::uint64_t seed = 42;
  int threads = 0;
  bool as_json = false;

  bool of_posterior() const { return model.name == ModelOptions::kPosterior; }
};

// What a model answered with, and its name in the report; the posterior has several answers.
struct ScoredAnswer {
  std::string key;
  std::string label;
  Evaluation scores;
};

struct Scorer {
  std::string name;  // of what was trained, or built in
  HoughGrid grid;    // whose lines are scored
  std::function<std::vector<ScoredAnswer>(double, const EvaluationOptions&, const Progress&)> run;
};

void check(const EvaluateOptions& options) {
  for (const double sigma : options.sigmas)
    if (!(sigma >= 0.0) || !std::isfinite(sigma))
      throw Error(fmt::format("--sigma must be finite and not negative, but holds {}", sigma));
  if (!options.cells.empty() && options.lines != "grid")
    throw Error("--cells needs the grid's own lines, so not --lines " + options.lines);
  if (!options.of_posterior()) return;
  if (options.lines != "grid")
    throw Error("the posterior knows the grid's own lines alone, so not --lines " + options.lines);
  if (!options.model.bins.empty())
    throw Error("the posterior is over the lines that it is scored on, so not --grid " +
                options.model.bins);
}

// The lines for a model that has no grid of its own.
HoughGrid asked_for_grid(const EvaluateOptions& options) {
  const HoughGrid paper = HoughGrid::paper();
  ImageFrame frame = paper.frame();
  if (!options.size.empty()) {
    const Extent size = parse_extent(options.size, "--size");
    frame = {size.first, size.second};
  }
  if (options.line_grid.empty()) return {frame, paper.thetas(), paper.rhos()};
  const Extent bins = parse_extent(options.line_grid, "--line-grid");
  return {frame, bins.first, bins.second};
}

Scorer posterior_scorer(const EvaluateOptions& options) {
  const LinePosterior posterior(asked_for_grid(options));
  return {ModelOptions::kPosterior, posterior.grid(),
          [posterior](double sigma, const EvaluationOptions& settings, const Progress& progress) {
            auto result = evaluate(posterior, sigma, settings, progress);
            return std::vector<ScoredAnswer>{
                {"results", "  highest expected EA", std::move(result.best_expected)},
                {"maximum", "  maximum", std::move(result.maximum)},
                {"barycentre", "  barycentre", std::move(result.barycentre)}};
          }};
}

Scorer model_scorer(const EvaluateOptions& options) {
  const LineRecoverer recoverer(options.model.load());
  const Model& model = recoverer.model();
  if (model.grid && !(options.size.empty() && options.line_grid.empty()))
    throw Error(options.model.name +
                " is scored on the lines of its own grid, so neither --size nor --line-grid");
  return {model.trained_as.empty() ? model.name : model.trained_as,
          model.grid ? *model.grid : asked_for_grid(options),
          [recoverer](double sigma, const EvaluationOptions& settings, const Progress& progress) {
            return std::vector<ScoredAnswer>{
                {"results", "", evaluate(recoverer, sigma, settings, progress)}};
          }};
}

// A path need not be UTF-8; JSON must be.
std::string text_of(const nlohmann::ordered_json& report) {
  return report.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

void print_row(double sigma, const ScoredAnswer& answer) {
  const auto text = [](const ScoreSummary& s) {
    return fmt::format("{:.4f} +- {:.3f}", s.mean, s.deviation);
  };
  fmt::print("{:>5g}  {:>15}  {:>15}  {:>15}{}\n", sigma, text(answer.scores.all),
             text(answer.scores.seam), text(answer.scores.interior), answer.label);
  std::fflush(stdout);
}

int evaluate_model(const EvaluateOptions& options) {
  check(options);
  const Scorer scorer = options.of_posterior() ? posterior_scorer(options) : model_scorer(options);
  EvaluationOptions settings;
  settings.grid = scorer.grid;
  settings.lines = options.lines == "grid" ? LineSet::kGrid : LineSet::kContinuous;
  settings.seed = options.seed;
  settings.threads = options.threads;

  nlohmann::ordered_json report{
      {"model", options.model.name}, {"lines", options.lines}, {"seed", options.seed}};
  auto maps = nlohmann::ordered_json::array();
  if (!options.as_json)
    fmt::print("EA of {} on {} lines\n{:>5}  {:>15}  {:>15}  {:>15}\n", options.model.name,
               options.lines, "sigma", "all", "seam", "interior");
  for (const double sigma : options.sigmas) {
    ProgressBar bar(fmt::format("sigma {:g}", sigma));
    std::vector<ScoredAnswer> answers;
    try {
      answers = scorer.run(sigma, settings, [&](std::size_t done, std::size_t total) {
        bar.update(done, total);
        return !interrupted();
      });
    } catch (const Interrupted&) {
      return kInterrupted;
    }
    bar.clear();
    for (const auto& answer : answers) {
      if (!options.as_json) print_row(sigma, answer);
      report[answer.key].push_back({{"sigma", sigma},
                                    {"all", summary_json(answer.scores.all)},
                                    {"seam", summary_json(answer.scores.seam)},
                                    {"interior", summary_json(answer.scores.interior)}});
    }
    if (!options.cells.empty()) {
      maps.push_back({{"sigma", sigma}});
      maps.back().update(cells_json(scorer.grid, answers.front().scores));
    }
  }
  report["name"] = scorer.name;
  report["device"] = "cpu";
  if (options.as_json) fmt::print("{}\n", text_of(report));
  if (!options.cells.empty()) {
    report["W"] = scorer.grid.frame().width;
    report["H"] = scorer.grid.frame().height;
    report["T"] = scorer.grid.thetas();
    report["R"] = scorer.grid.rhos();
    report["maps"] = maps;
    write_file_atomically(options.cells, text_of(report) + "\n");
  }
  return kSuccess;
}

}  // namespace

Command evaluate_command(CLI::App& app) {
  auto* parser = app.add_subcommand("evaluate", "Score a model on synthetic lines (EA-score)");
  parser->footer(
      "Examples:\n"
      "  vsmax evaluate --model classic --sigma 0,0.6\n"
      "  vsmax evaluate --model posterior --sigma 0.6\n\n"
      "Seam: the five angles on either side of theta = 0. The lines are the paper's: every\n"
      "resolvable cell of a 127x127 grid on 256x256 pixels, or as many drawn off the grid.\n"
      "The model posterior is the ceiling: the exact posterior over these lines, which is told\n"
      "the noise; its results are those of the line of highest expected EA.");
  const auto options = std::make_shared<EvaluateOptions>();
  options->model.declare(*parser);
  parser->add_option("--sigma", options->sigmas, "Deviations of the noise, separated by commas")
      ->delimiter(',')
      ->capture_default_str();
  parser->add_option("--lines", options->lines, "On the grid's cells, or anywhere")
      ->check(CLI::IsMember({"grid", "continuous"}))
      ->capture_default_str();
  parser->add_option("--size", options->size,
                     "Size of the images as WxH; for models without weights [256x256]");
  parser->add_option("--line-grid", options->line_grid,
                     "The grid TxR whose cells are the lines; for models without weights "
                     "[127x127]");
  parser->add_option("--cells", options->cells,
                     "Write EA per cell and per angle to this JSON file");
  parser->add_option("--seed", options->seed, "Seed of the noise")->capture_default_str();
  parser->add_option("--threads", options->threads, "Threads; 0 takes one per processor")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  parser->add_flag("--json", options->as_json, "Print JSON");
  return {parser, [options] { return evaluate_model(*options); }};
}

}  // namespace vsmax::app
