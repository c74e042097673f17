// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <string>
#include <vector>

#include "cli/scoring.h"
#include "commands.h"
#include "evaluate_photos.h"
#include "vsmax/base/error.h"
#include "vsmax/torch/train/model_evaluation.h"

namespace vsmax::app {
namespace {

struct EvaluateOptions {
  std::string model;
  ScoringOptions scoring;
  PhotoScoringOptions photos;
  std::string device = "cpu";
  std::string precision = "float32";
  int batch = 64;
};

std::vector<std::string> spec_names(bool learns) {
  std::vector<std::string> names;
  for (const ModelSpec& spec : named_specs())
    if (spec.learns() == learns) names.push_back(spec.name);
  return names;
}

int evaluate_model(const EvaluateOptions& options) {
  const ScoringOptions& scoring = options.scoring;
  scoring.check({options.model, options.photos.images.data});
  if (options.model == "classic" || options.model == "default")
    throw UsageError("the model " + options.model +
                     " does not need LibTorch; use 'vsmax evaluate --model " + options.model + "'");
  const ModelEvaluator evaluator(options.model, options.device, scoring.threads,
                                 options.precision == "bfloat16");
  if (!options.photos.images.data.empty())
    return evaluate_photos(options.photos, options.model, evaluator, options.batch, scoring);
  const auto run = [&](double sigma, const Progress& progress) {
    return std::vector<ScoredAnswer>{
        {"results", "",
         evaluator.evaluate(sigma, scoring.line_set(), scoring.seed, options.batch, progress)}};
  };
  return print_scores(options.model, scoring,
                      {evaluator.model_name(), options.device, evaluator.grid(), run});
}

}  // namespace

Command evaluate_command(CLI::App& app) {
  auto* parser = app.add_subcommand("evaluate", "Score a trained model (EA)");
  parser->footer(
      "Examples:\n"
      "  vsmax-torch evaluate --model run/model.safetensors --sigma 0,0.6 --scores map.json\n"
      "  vsmax-torch evaluate --model run/model.safetensors --data DIR --protocol guide\n\n"
      "The synthetic lines are every resolvable cell of the grid that the model was trained on, "
      "or\n"
      "the same number of lines off the grid. The seam is the first five and the last five\n"
      "of 127 angles. Photographs are reduced to the size that the model was trained at, and its\n"
      "line is scored without refinement; 'vsmax evaluate --data' scores what 'vsmax detect'\n"
      "answers.");
  const auto options = std::make_shared<EvaluateOptions>();
  constexpr int kMostImages = 1 << 16;
  parser
      ->add_option("--model", options->model, "A .safetensors file written by training, or argmax")
      ->required()
      ->check(model_name(spec_names(false), spec_names(true)));
  options->scoring.declare(*parser);
  options->photos.declare(*parser);
  parser->add_option("--device", options->device, "Device to run on")
      ->check(one_of({"cpu", "cuda"}))
      ->capture_default_str();
  parser->add_option("--precision", options->precision, "Arithmetic of the network on CUDA")
      ->check(one_of({"float32", "bfloat16"}))
      ->capture_default_str();
  parser->add_option("--batch", options->batch, "Images per batch")
      ->transform(whole(1, kMostImages))
      ->capture_default_str();
  return {parser, [options] { return evaluate_model(*options); }};
}

}  // namespace vsmax::app
