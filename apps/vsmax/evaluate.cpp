// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/extent.h"
#include "cli/interrupt.h"
#include "cli/scoring.h"
#include "commands.h"
#include "evaluate_images.h"
#include "model_options.h"
#include "stroke_options.h"
#include "vsmax/ceiling/posterior_evaluation.h"
#include "vsmax/recover/grid_choice.h"
#include "vsmax/score/rendered_lines.h"

namespace vsmax::app {
namespace {

struct EvaluateOptions {
  ModelOptions model;
  ScoringOptions scoring;
  std::string size;       // of the images; empty means the paper's or the model's
  std::string line_grid;  // likewise
  Stroke stroke;
  std::size_t sample = 0;    // 0 means all lines
  int near_seam = 0;         // 0 means all angles
  double temperature = 0.0;  // 0 means the model's
  ImageScoringOptions images;

  bool of_posterior() const { return model.name == ModelOptions::kPosterior; }
};

void check(const EvaluateOptions& options) {
  options.scoring.check({options.model.name});
  const std::string& lines = options.scoring.lines;
  if (options.near_seam > 0 && lines != "grid")
    throw UsageError("--near-seam counts the angles of the grid and cannot be used with --lines " +
                     lines);
  if (!options.of_posterior()) return;
  if (lines != "grid")
    throw UsageError("the posterior only knows the lines of the grid and cannot score --lines " +
                     lines);
  if (options.model.device != "cpu")
    throw UsageError("the posterior only runs on the CPU, so it cannot take --device");
  if (!options.model.bins.empty())
    throw UsageError("the posterior uses the grid of the scored lines and cannot take --grid " +
                     options.model.bins);
  if (options.stroke != Stroke{})
    throw UsageError(
        "the posterior only knows white lines, one pixel wide and whole, and cannot take "
        "--line-width, --line-visible or --line-dark");
  if (options.temperature > 0.0)
    throw UsageError("the posterior has no softmax, so it cannot take --temperature");
}

// The grid of the scored lines, for a model without its own.
HoughGrid asked_for_grid(const EvaluateOptions& options) {
  const HoughGrid paper = HoughGrid::paper();
  ImageFrame frame = paper.frame();
  if (!options.size.empty()) frame = parse_size(options.size);
  Extent bins{paper.thetas(), paper.rhos()};
  if (!options.line_grid.empty()) bins = parse_extent(options.line_grid);
  return with_usage_errors([&] { return HoughGrid(frame, bins.first, bins.second); });
}

EvaluationOptions settings_on(const HoughGrid& grid, const EvaluateOptions& options) {
  const ScoringOptions& scoring = options.scoring;
  EvaluationOptions settings{grid,           scoring.line_set(), scoring.seed,     scoring.threads,
                             options.stroke, options.sample,     options.near_seam};
  if (options.sample == 0) return settings;
  const std::size_t available = available_lines(settings);
  if (options.sample > available)
    throw UsageError(
        fmt::format("--sample must be at most {}, which is how many lines there are, "
                    "not '{}'",
                    available, options.sample));
  return settings;
}

Scorer posterior_scorer(const EvaluateOptions& options) {
  const LinePosterior posterior(asked_for_grid(options));
  const EvaluationOptions settings = settings_on(posterior.grid(), options);
  return {ModelOptions::kPosterior, "cpu", posterior.grid(),
          [=](double sigma, const Progress& progress) {
            auto result = evaluate(posterior, sigma, settings, progress);
            return std::vector<ScoredAnswer>{
                {"results", "  highest expected EA", std::move(result.best_expected)},
                {"maximum", "  maximum", std::move(result.maximum)},
                {"barycentre", "  barycentre", std::move(result.barycentre)}};
          }};
}

Scorer model_scorer(const EvaluateOptions& options) {
  Model model = options.model.load();
  if (model.spec.frame && !(options.size.empty() && options.line_grid.empty()))
    throw UsageError(
        options.model.name +
        " is scored on the lines of its own grid and cannot take --size or --line-grid");
  if (options.temperature > 0.0) {
    if (!model.candidates.empty() || model.spec.readout == Readout::kArgmax)
      throw UsageError(options.model.name +
                       " has no softmax of its own, so it cannot take --temperature");
    model.spec.temperature = options.temperature;
  }
  const std::string name = model.spec.name.empty() ? model.name : model.spec.name;
  const HoughGrid grid =
      model.spec.frame ? grid_for(model.spec, *model.spec.frame) : asked_for_grid(options);
  const EvaluationOptions settings = settings_on(grid, options);
  return {name, options.model.device, grid, [=](double sigma, const Progress& progress) {
            return std::vector<ScoredAnswer>{
                {"results", "", evaluate(model, sigma, settings, progress)}};
          }};
}

int evaluate_model(const EvaluateOptions& options) {
  install_interrupt_handler();
  if (!options.images.images.data.empty())
    return evaluate_images(options.images, options.model, options.scoring.threads,
                           options.scoring.as_json);
  check(options);
  const Scorer scorer = options.of_posterior() ? posterior_scorer(options) : model_scorer(options);
  return print_scores(options.model.name, options.scoring, scorer);
}

}  // namespace

Command evaluate_command(CLI::App& app) {
  auto* parser = app.add_subcommand("evaluate", "Score a model (EA-score)");
  parser->footer(
      "Examples:\n"
      "  vsmax evaluate --model classic --sigma 0,0.6\n"
      "  vsmax evaluate --model posterior --sigma 0.6\n"
      "  vsmax evaluate --model run/model.safetensors --data lake --protocol horizon\n"
      "  vsmax evaluate --answers other.jsonl --data lake --protocol horizon\n\n"
      "With --data, the default model is auto. Without --data, the lines are those of the\n"
      "paper: every resolvable cell of a 127x127 grid on 256x256 pixels, or the same number of\n"
      "lines off the grid. The seam is the first five and the last five of 127 angles. The\n"
      "model 'posterior' is the upper bound: the exact posterior over these lines, given the\n"
      "noise level. It prints three rows, for the line with the highest expected EA, the\n"
      "maximum and the barycentre.");
  const auto options = std::make_shared<EvaluateOptions>();
  auto& [model, scoring, size, line_grid, stroke, sample, near_seam, temperature, images] =
      *options;
  model.declare(*parser);
  scoring.declare(*parser);
  parser->add_option("--size", size, "Image size as WxH, for models without weights [256x256]")
      ->check(extent("256x192"));
  parser
      ->add_option("--line-grid", line_grid,
                   "Grid TxR whose cells are the lines, for models without weights [127x127]")
      ->check(extent("127x127"));
  declare_stroke(*parser, stroke);
  parser->add_option("--sample", sample, "Score only N lines, spread evenly over all")
      ->transform(whole(1, kAnyInt));
  parser
      ->add_option("--near-seam", near_seam,
                   "Score only lines at most N of the grid's angles from theta = 0")
      ->transform(whole(1, kAnyInt));
  parser->add_option("--temperature", temperature, "Override the model's softmax temperature")
      ->check(positive());
  images.declare(*parser);
  return {parser, [options, parser] {
            // On photographs the default model is that of detect.
            const bool photos = !options->images.images.data.empty();
            if (photos && parser->count("--model") == 0 && options->model.bins.empty())
              options->model.name = "auto";
            return evaluate_model(*options);
          }};
}

}  // namespace vsmax::app
