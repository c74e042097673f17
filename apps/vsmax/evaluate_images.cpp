// SPDX-License-Identifier: Apache-2.0
#include "evaluate_images.h"

#include <fmt/core.h>

#include <functional>
#include <utility>
#include <vector>

#include "answers.h"
#include "cli/commands.h"
#include "cli/compact_json.h"
#include "cli/one_line.h"
#include "cli/with_progress.h"
#include "image_report.h"
#include "vsmax/base/counted.h"
#include "vsmax/base/error.h"
#include "vsmax/base/parallel.h"
#include "vsmax/data/labelled_folder.h"
#include "vsmax/image/image_file.h"
#include "vsmax/io/file.h"
#include "vsmax/recover/batch_recoverer.h"
#include "vsmax/score/protocol.h"
#include "vsmax/score/rendered_lines.h"

namespace vsmax::app {
namespace {

constexpr double kMinConfidence = 0.5;

// Calls progress after every image, and throws Interrupted if it says to stop.
using Answers = std::function<std::vector<Answer>(const LabelledFolder&, const Progress&)>;

Answer answer_of(LineRecoverer& recover, const std::string& path, const LinesWanted& wanted) {
  const auto run = [&](const auto& image) {
    try {
      return Answer{image.frame(), recover(image, wanted)};
    } catch (const Error& error) {
      throw Error(path + ": " + error.what());
    }
  };
  return use_decoded(read_file(path), path, recover.model().sees_colour(), run);
}

Answers answers_of_model(const ModelOptions& options, const LinesWanted& wanted, int threads) {
  return [model = options.load(), wanted, threads](const LabelledFolder& folder,
                                                   const Progress& progress) {
    BatchRecoverer batch(model, threads);
    std::vector<Answer> answers(folder.images.size());
    ProgressCounter counter(progress, answers.size());
    batch.for_each(answers.size(), [&](std::size_t i, std::size_t, LineRecoverer& recover) {
      answers[i] = answer_of(recover, folder.images[i].path, wanted);
      counter.advance();
    });
    return answers;
  };
}

// The images are read only for their sizes, which reveal a detector that rotated or scaled them.
Answers answers_of_file(const std::string& file, int threads) {
  return [file, threads](const LabelledFolder& folder, const Progress& progress) {
    const auto known = read_answers(file);
    std::vector<Answer> answers(folder.images.size());
    ProgressCounter counter(progress, answers.size());
    parallel_for(answers.size(), threads, [&](std::size_t i, std::size_t) {
      const LabelledImage& image = folder.images[i];
      const auto found = known.find(image.name);
      if (found == known.end()) throw Error(file + ": has no answer for " + image.name);
      answers[i] = found->second;
      const ImageFrame seen = answers[i].frame;
      const ImageFrame frame = read_rgb_image(image.path).frame();
      if (!(seen == frame))
        throw Error(fmt::format("{}: {} has {}x{} pixels, but the image has {}x{}", file,
                                image.name, seen.width, seen.height, frame.width, frame.height));
      counter.advance();
    });
    return answers;
  };
}

struct Report {
  std::string text;
  nlohmann::ordered_json json;
  std::string per_image;  // CSV
  std::string per_line;
};

std::vector<PixelLine> labelled_lines(const LabelledImage& image, const ImageFrame& frame) {
  std::vector<PixelLine> lines;
  for (const LabelledLine& line : image.lines) lines.push_back(line_through(line.ends, frame));
  return lines;
}

Report report_of_one_line(const LabelledFolder& folder, const std::vector<Answer>& answers) {
  std::vector<std::string> names;
  std::vector<LineScore> scores;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const auto& [frame, recovery] = answers[i];
    names.push_back(folder.images[i].name);
    scores.push_back(score_line(recovery, labelled_lines(folder.images[i], frame).front(), frame));
  }
  const LineSummary summary = summarize(scores);
  return {line_text(summary), line_json(summary), line_csv(names, scores), {}};
}

Report report_of_all_lines(const LabelledFolder& folder, const std::vector<Answer>& answers) {
  std::vector<std::string> names;
  std::vector<MatchCounts> counts;
  MatchCounts sum;
  std::vector<std::string> names_of_lines;
  std::vector<LineScore> lines;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const auto& [frame, recovery] = answers[i];
    const auto truth = labelled_lines(folder.images[i], frame);
    names.push_back(folder.images[i].name);
    sum += counts.emplace_back(match_lines(recovery, truth, frame));
    for (const LineScore& score : score_lines(recovery, truth, frame)) {
      names_of_lines.push_back(names.back());
      lines.push_back(score);
    }
  }
  const Calibration calibration = calibrate(lines);
  return {line_set_text(sum, calibration), line_set_json(sum, calibration),
          line_set_csv(names, counts), line_confidence_csv(names_of_lines, lines)};
}

Report report_of(const LabelledFolder& folder, const std::vector<Answer>& answers, bool several) {
  for (std::size_t i = 0; i < answers.size(); ++i)
    require_inside(folder, folder.images[i], answers[i].frame);
  return several ? report_of_all_lines(folder, answers) : report_of_one_line(folder, answers);
}

}  // namespace

void ImageScoringOptions::declare(CLI::App& parser) {
  auto* folder = images.declare(
      parser,
      "horizon: the only line of each image; guide: the line marked as guide; lines: all lines",
      protocol_names(),
      {"--sigma", "--lines", "--scores", "--seed", "--size", "--line-grid", "--line-width",
       "--line-visible", "--line-dark", "--sample", "--near-seam", "--temperature",
       "--reliability"});
  parser
      .add_option(
          "--answers", answers,
          "Score the answers in this file, as 'vsmax detect --json' prints them, instead of "
          "a model's")
      ->check(not_empty())
      ->needs(folder)
      ->excludes(parser.get_option("--model"))
      ->excludes(parser.get_option("--grid"))
      ->group(LabelledImageOptions::kGroup);
  parser
      .add_option("--min-confidence", min_confidence,
                  "With --protocol lines, leave out lines with a lower confidence [0.5]")
      ->check(fraction())
      ->needs(folder)
      ->excludes(parser.get_option("--answers"))
      ->group(LabelledImageOptions::kGroup);
  parser.add_option("--per-image", per_image, "Write the scores of every image to this CSV file")
      ->check(not_empty())
      ->needs(folder)
      ->group(LabelledImageOptions::kGroup);
  parser
      .add_option("--per-line", per_line,
                  "With --protocol lines, write confidence and EA of every found line to this CSV "
                  "file")
      ->check(not_empty())
      ->needs(folder)
      ->group(LabelledImageOptions::kGroup);
}

int evaluate_images(const ImageScoringOptions& options, const ModelOptions& model, int threads,
                    bool as_json) {
  const LabelledFolder folder = options.images.images();
  const bool several = protocol_named(options.images.protocol) == Protocol::kLines;
  const auto needs_several = [&](const char* option) {
    throw UsageError(std::string(option) + " needs --protocol lines, not " +
                     options.images.protocol);
  };
  if (!several && !options.per_line.empty()) needs_several("--per-line");
  if (!several && options.min_confidence) needs_several("--min-confidence");
  if (model.name == ModelOptions::kPosterior)
    throw UsageError("the posterior needs to know the noise level, so it cannot score photographs");
  for (const std::string& file : {options.per_image, options.per_line})
    if (!file.empty()) require_writable(file, {options.images.data, options.answers, model.name});
  const bool from_file = !options.answers.empty();
  LinesWanted wanted;  // one line, whatever its confidence
  if (several) wanted = {LinesWanted::kAuto, options.min_confidence.value_or(kMinConfidence)};
  const Answers answers = from_file ? answers_of_file(options.answers, threads)
                                    : answers_of_model(model, wanted, threads);
  const auto given =
      with_progress("scoring", [&](const Progress& progress) { return answers(folder, progress); });
  const Report report = report_of(folder, given, several);
  if (!options.per_image.empty()) write_file_atomically(options.per_image, report.per_image);
  if (!options.per_line.empty()) write_file_atomically(options.per_line, report.per_line);
  const std::string& subject = from_file ? options.answers : model.name;
  if (!as_json) {
    fmt::print("{} on {} of {}, protocol {}\n{}", one_line(subject),
               counted(folder.images.size(), "image"), one_line(options.images.data),
               options.images.protocol, report.text);
    return kSuccess;
  }
  nlohmann::ordered_json json{{from_file ? "answers" : "model", subject}};
  options.images.describe(json);
  json["images"] = folder.images.size();
  json.update(report.json);
  fmt::print("{}\n", compact_json(json));
  return kSuccess;
}

}  // namespace vsmax::app
