// SPDX-License-Identifier: Apache-2.0
#include "evaluate_photos.h"

#include <fmt/core.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>
#include <vector>

#include "cli/commands.h"
#include "cli/compact_json.h"
#include "cli/one_line.h"
#include "cli/with_progress.h"
#include "vsmax/base/counted.h"
#include "vsmax/base/error.h"
#include "vsmax/io/file.h"

namespace vsmax::app {
namespace {

using Json = nlohmann::ordered_json;

// Four decimals are enough for a picture and halve the file.
double rounded(double value) {
  constexpr double kDecimals = 1e4;
  return std::round(value * kDecimals) / kDecimals;
}

struct SeamScores {
  std::vector<double> all;
  std::vector<double> seam;
  std::vector<double> interior;
};

SeamScores by_seam(const std::vector<ViewScore>& views) {
  SeamScores scores;
  for (const ViewScore& view : views) {
    scores.all.push_back(view.score.ea);
    (on_seam(view.truth) ? scores.seam : scores.interior).push_back(view.score.ea);
  }
  return scores;
}

// "views": the angle of every line in degrees, and its scores.
Json views_json(const std::vector<ViewScore>& views) {
  Json json{{"theta_deg", Json::array()}, {"ea", Json::array()}, {"angle_deg", Json::array()}};
  for (const ViewScore& view : views) {
    json["theta_deg"].push_back(rounded(view.truth.theta * 180.0 / std::numbers::pi));
    json["ea"].push_back(rounded(view.score.ea));
    json["angle_deg"].push_back(view.score.angle ? Json(rounded(*view.score.angle)) : Json());
  }
  return json;
}

std::string text_of(const ScoreSummary& scores) {
  return scores.count == 0 ? "-" : fmt::format("{:.4f} ({})", scores.mean, scores.count);
}

}  // namespace

void PhotoScoringOptions::declare(CLI::App& parser) {
  parser.get_option("--scores")
      ->description(
          "Write the results to this JSON file, with the EA-score of every cell and angle if\n"
          "the lines are those of the grid, or of every photograph");
  auto* folder = images.declare(
      parser, "horizon: the only line of each image; guide: the line marked as guide",
      {"horizon", "guide"}, {"--sigma", "--lines", "--seed"});
  constexpr int kMostRotations = 3600;
  parser
      .add_option("--rotations", rotations,
                  "Score N views of each image, rotated by equal steps and cut to a disc")
      ->transform(whole(1, kMostRotations))
      ->needs(folder)
      ->group(LabelledImageOptions::kGroup);
}

int evaluate_photos(const PhotoScoringOptions& options, const std::string& model,
                    const ModelEvaluator& evaluator, int batch, const ScoringOptions& scoring) {
  const LabelledFolder folder = options.images.images();
  const auto views = with_progress("scoring", [&](const Progress& progress) {
    return evaluator.evaluate_photos(folder, options.rotations, batch, progress);
  });

  std::vector<LineScore> lines;
  lines.reserve(views.size());
  for (const ViewScore& view : views) lines.push_back(view.score);
  const LineSummary summary = summarize(std::span<const LineScore>(lines));
  const SeamScores eas = by_seam(views);
  const ScoreSummary seam = summarize(eas.seam);
  const ScoreSummary interior = summarize(eas.interior);
  Json json{{"model", model}, {"name", evaluator.model_name()}};
  options.images.describe(json);
  if (options.rotations > 0) json["rotations"] = options.rotations;
  json["images"] = folder.images.size();
  // In the format of the scores on synthetic lines without added noise.
  json["results"] = Json::array({{{"sigma", 0.0},
                                  {"all", summary_json(summarize(eas.all))},
                                  {"seam", summary_json(seam)},
                                  {"interior", summary_json(interior)}}});
  json["median"] = summary.ea.median;
  json["below_half"] = summary.below_half;
  json["angle_deg"] = {{"mean", summary.angle.mean}, {"median", summary.angle.median}};
  if (scoring.as_json)
    fmt::print("{}\n", compact_json(json));
  else
    fmt::print(
        "{} on {} of {} of {}, protocol {}\n"
        "EA {:.4f}, median {:.4f}, below 0.5: {:.1f} %; seam {}, interior {}\n"
        "angle error, deg: mean {:.3f}, median {:.3f}\n",
        one_line(model), counted(views.size(), "view"), counted(folder.images.size(), "image"),
        one_line(options.images.data), options.images.protocol, summary.ea.mean, summary.ea.median,
        100.0 * summary.below_half, text_of(seam), text_of(interior), summary.angle.mean,
        summary.angle.median);
  if (scoring.scores.empty()) return kSuccess;
  json["views"] = views_json(views);
  write_file_atomically(scoring.scores, compact_json(json) + "\n");
  return kSuccess;
}

}  // namespace vsmax::app
