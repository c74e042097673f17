// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "vsmax/base/error.h"
#include "vsmax/commands.h"
#include "vsmax/interrupt.h"
#include "vsmax/model_options.h"
#include "vsmax/progress.h"
#include "vsmax/scores_json.h"
#include "vsmax/score/evaluation.h"

namespace vsmax::app {

namespace {

struct EvaluateOptions {
  ModelOptions model;
  std::vector<double> sigmas{0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8};
  std::string lines = "grid";
  std::uint64_t seed = 42;
  int threads = 0;
  bool as_json = false;
};

int evaluate_model(const EvaluateOptions& options) {
  for (const double sigma : options.sigmas)
    if (!(sigma >= 0.0) || !std::isfinite(sigma))
      throw Error(fmt::format("--sigma must be finite and not negative, but holds {}", sigma));
  const LineRecoverer recoverer(options.model.load());
  EvaluationOptions settings;
  if (recoverer.model().grid) settings.grid = *recoverer.model().grid;
  settings.lines = options.lines == "grid" ? LineSet::kGrid : LineSet::kContinuous;
  settings.seed = options.seed;
  settings.threads = options.threads;

  auto results = nlohmann::ordered_json::array();
  if (!options.as_json)
    fmt::print("EA of {} on {} lines\n{:>5}  {:>15}  {:>15}  {:>15}\n", options.model.name,
               options.lines, "sigma", "all", "seam", "interior");
  for (const double sigma : options.sigmas) {
    ProgressBar bar(fmt::format("sigma {:g}", sigma));
    Evaluation result;
    try {
      result = evaluate(recoverer, sigma, settings, [&](std::size_t done, std::size_t total) {
        bar.update(done, total);
        return !interrupted();
      });
    } catch (const Interrupted&) {
      return kInterrupted;
    }
    if (options.as_json) {
      results.push_back({{"sigma", sigma},
                         {"all", summary_json(result.all)},
                         {"seam", summary_json(result.seam)},
                         {"interior", summary_json(result.interior)}});
      continue;
    }
    const auto text = [](const ScoreSummary& s) {
      return fmt::format("{:.4f} +- {:.3f}", s.mean, s.deviation);
    };
    bar.clear();
    fmt::print("{:>5g}  {:>15}  {:>15}  {:>15}\n", sigma, text(result.all), text(result.seam),
               text(result.interior));
    std::fflush(stdout);
  }
  if (options.as_json)
    fmt::print("{}\n", nlohmann::ordered_json{{"model", options.model.name},
                                              {"lines", options.lines},
                                              {"seed", options.seed},
                                              {"results", results}}
                           .dump());
  return kSuccess;
}

}  // namespace

Command evaluate_command(CLI::App& app) {
  auto* parser = app.add_subcommand("evaluate", "Score a model on synthetic lines (EA-score)");
  parser->footer(
      "Example:\n  vsmax evaluate --model classic --sigma 0,0.6\n\n"
      "Seam: the five angles on either side of theta = 0. The lines are the paper's: every\n"
      "resolvable cell of a 127x127 grid on 256x256 pixels, or as many drawn off the grid.");
  const auto options = std::make_shared<EvaluateOptions>();
  options->model.declare(*parser);
  parser->add_option("--sigma", options->sigmas, "Deviations of the noise, separated by commas")
      ->delimiter(',')
      ->capture_default_str();
  parser->add_option("--lines", options->lines, "On the grid's cells, or anywhere")
      ->check(CLI::IsMember({"grid", "continuous"}))
      ->capture_default_str();
  parser->add_option("--seed", options->seed, "Seed of the noise")->capture_default_str();
  parser->add_option("--threads", options->threads, "Threads; 0 takes one per processor")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  parser->add_flag("--json", options->as_json, "Print JSON");
  return {parser, [options] { return evaluate_model(*options); }};
}

}  // namespace vsmax::app
