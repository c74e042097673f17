// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "vsmax-torch/torch_commands.h"
#include "vsmax/base/error.h"
#include "vsmax/interrupt.h"
#include "vsmax/io/file.h"
#include "vsmax/progress.h"
#include "vsmax/scores_json.h"
#include "vsmax/train/model_evaluation.h"

namespace vsmax::app {

namespace {

struct EvaluateOptions {
  std::string model;
  std::vector<double> sigmas{0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8};
  std::string lines = "grid";
  std::string device = "cpu";
  std::string precision = "float32";
  std::string cells;  // file, empty for none
  std::uint64_t seed = 42;
  int batch = 64;
  int threads = 0;
  bool as_json = false;
};

void check(const EvaluateOptions& options) {
  for (const double sigma : options.sigmas)
    if (!(sigma >= 0.0) || !std::isfinite(sigma))
      throw Error(fmt::format("--sigma must be finite and not negative, but holds {}", sigma));
  if (!options.cells.empty() && options.lines != "grid")
    throw Error("--cells needs the grid's own lines, so not --lines " + options.lines);
  if (options.model == "classic")
    throw Error("the model classic needs no LibTorch: 'vsmax evaluate --model classic'");
}

void print_row(double sigma, const Evaluation& result) {
  const auto text = [](const ScoreSummary& s) {
    return fmt::format("{:.4f} +- {:.3f}", s.mean, s.deviation);
  };
  fmt::print("{:>5g}  {:>15}  {:>15}  {:>15}\n", sigma, text(result.all), text(result.seam),
             text(result.interior));
  std::fflush(stdout);
}

int evaluate_model(const EvaluateOptions& options) {
  check(options);
  const ModelEvaluator evaluator(options.model, options.device, options.threads,
                                 options.precision == "bfloat16");
  const HoughGrid& grid = evaluator.grid();
  const LineSet lines = options.lines == "grid" ? LineSet::kGrid : LineSet::kContinuous;

  auto results = nlohmann::ordered_json::array();
  auto maps = nlohmann::ordered_json::array();
  if (!options.as_json)
    fmt::print("EA of {} on {} lines\n{:>5}  {:>15}  {:>15}  {:>15}\n", options.model,
               options.lines, "sigma", "all", "seam", "interior");
  for (const double sigma : options.sigmas) {
    ProgressBar bar(fmt::format("sigma {:g}", sigma));
    Evaluation result;
    try {
      result = evaluator.evaluate(sigma, lines, options.seed, options.batch,
                                  [&](std::size_t done, std::size_t total) {
                                    bar.update(done, total);
                                    return !interrupted();
                                  });
    } catch (const Interrupted&) {
      return kInterrupted;
    }
    bar.clear();
    if (!options.as_json) print_row(sigma, result);
    results.push_back({{"sigma", sigma},
                       {"all", summary_json(result.all)},
                       {"seam", summary_json(result.seam)},
                       {"interior", summary_json(result.interior)}});
    if (!options.cells.empty()) {
      maps.push_back({{"sigma", sigma}});
      maps.back().update(cells_json(grid, result));
    }
  }
  nlohmann::ordered_json report{{"model", options.model},         {"lines", options.lines},
                                {"seed", options.seed},           {"results", results},
                                {"name", evaluator.model_name()}, {"device", options.device}};
  if (options.as_json) fmt::print("{}\n", report.dump());
  if (!options.cells.empty()) {
    report["W"] = grid.frame().width;
    report["H"] = grid.frame().height;
    report["T"] = grid.thetas();
    report["R"] = grid.rhos();
    report["maps"] = maps;
    write_file_atomically(options.cells, report.dump() + "\n");
  }
  return kSuccess;
}

}  // namespace

Command evaluate_command(CLI::App& app) {
  auto* parser = app.add_subcommand("evaluate", "Score a trained model on synthetic lines (EA)");
  parser->footer(
      "Example:\n"
      "  vsmax-torch evaluate --model run/model.safetensors --sigma 0,0.6 --cells map.json\n\n"
      "Seam: the five angles on either side of theta = 0. The lines are every resolvable cell of\n"
      "the grid that the model was trained on, or as many drawn off the grid.");
  const auto options = std::make_shared<EvaluateOptions>();
  constexpr int kMostImages = 1 << 16;
  parser
      ->add_option("--model", options->model, "A .safetensors file that training wrote, or argmax")
      ->required();
  parser->add_option("--sigma", options->sigmas, "Deviations of the noise, separated by commas")
      ->delimiter(',')
      ->capture_default_str();
  parser->add_option("--lines", options->lines, "On the grid's cells, or anywhere")
      ->check(CLI::IsMember({"grid", "continuous"}))
      ->capture_default_str();
  parser->add_option("--device", options->device, "Where to run")
      ->check(CLI::IsMember({"cpu", "cuda"}))
      ->capture_default_str();
  parser->add_option("--precision", options->precision, "The network's arithmetic, on CUDA")
      ->check(CLI::IsMember({"float32", "bfloat16"}))
      ->capture_default_str();
  parser->add_option("--cells", options->cells,
                     "Write EA per cell and per angle to this JSON file");
  parser->add_option("--batch", options->batch, "Images at a time")
      ->check(CLI::Range(1, kMostImages))
      ->capture_default_str();
  parser->add_option("--seed", options->seed, "Seed of the noise")->capture_default_str();
  parser->add_option("--threads", options->threads, "CPU threads; 0 takes one per processor")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  parser->add_flag("--json", options->as_json, "Print JSON");
  return {parser, [options] { return evaluate_model(*options); }};
}

}  // namespace vsmax::app
