// SPDX-License-Identifier: Apache-2.0
#include "evaluate_images.h"

#include <fmt/core.h>

#include <functional>
#include <utility>
#include <vector>

#include "answers.h"
#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/progress_line.h"
#include "image_report.h"
#include "vsmax/base/error.h"
#include "vsmax/base/parallel.h"
#include "vsmax/data/labelled_folder.h"
#include "vsmax/image/image_file.h"
#include "vsmax/io/file.h"
#include "vsmax/recover/batch_recoverer.h"
#include "vsmax/score/rendered_lines.h"

namespace vsmax::app {
namespace {

constexpr const char* kHorizon = "horizon";
constexpr const char* kGuide = "guide";
constexpr const char* kLines = "lines";

// The images to score, with only the lines that the protocol asks for.
LabelledFolder chosen_images(const ImageScoringOptions& options) {
  if (options.fold > options.folds)
    throw UsageError(fmt::format("--fold must lie between 1 and --folds, which is {}, got {}",
                                 options.folds, options.fold));
  LabelledFolder folder = read_labelled_folder(options.data);
  if (options.folds > 0) folder = only_fold(folder, options.fold, options.folds);
  if (options.protocol == kGuide && !folder.has_guides)
    throw Error(folder.labels + ": has no guides, which --protocol guide needs");
  for (LabelledImage& image : folder.images) {
    if (options.protocol == kHorizon && image.lines.size() != 1)
      throw Error(fmt::format("{}: {} has {} lines, but --protocol horizon needs exactly one",
                              folder.labels, image.name, image.lines.size()));
    if (options.protocol != kGuide) continue;
    std::erase_if(image.lines, [](const LabelledLine& line) { return !line.guide; });
    if (image.lines.empty())
      throw Error(folder.labels + ": " + image.name +
                  " has no guide, which --protocol guide needs");
  }
  return folder;
}

// Calls progress after every image, and throws Interrupted where it says to stop.
using Answers = std::function<std::vector<Answer>(const LabelledFolder&, const Progress&)>;

// The pixels of every image; only learned evidence uses colour, and 16 bits are kept for the rest.
Answer answer_of(LineRecoverer& recover, const std::string& path, const LinesWanted& wanted) {
  const auto run = [&](const auto& image) {
    try {
      return Answer{image.frame(), recover(image, wanted)};
    } catch (const Error& error) {
      throw Error(path + ": " + error.what());
    }
  };
  return recover.model().sees_colour() ? run(read_rgb_image(path)) : run(read_image(path));
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

// The images are read for their sizes: a detector that turned or scaled them saw others.
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
  std::string csv;
};

Report report_of(const LabelledFolder& folder, const std::vector<Answer>& answers, bool one_line) {
  std::vector<std::string> names;
  std::vector<LineScore> scores;
  std::vector<MatchCounts> counts;
  MatchCounts sum;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const auto& [frame, recovery] = answers[i];
    const LabelledImage& image = folder.images[i];
    require_inside(folder, image, frame);
    names.push_back(image.name);
    std::vector<PixelLine> truth;
    for (const LabelledLine& line : image.lines) truth.push_back(line_through(line.ends, frame));
    if (one_line)
      scores.push_back(score_line(recovery, truth.front(), frame));
    else
      sum += counts.emplace_back(match_lines(recovery, truth, frame));
  }
  if (!one_line) return {line_set_text(sum), line_set_json(sum), line_set_csv(names, counts)};
  const LineSummary summary = summarize(scores);
  return {line_text(summary), line_json(summary), line_csv(names, scores)};
}

}  // namespace

void ImageScoringOptions::declare(CLI::App& parser) {
  const std::string group = "Labelled images";
  auto* folder = parser.add_option("--data", data, "Score on the labelled images of this folder")
                     ->check(not_empty())
                     ->group(group);
  auto* choice =
      parser
          .add_option("--protocol", protocol,
                      "horizon: the only line of each image; guide: the line marked as guide; "
                      "lines: all lines")
          ->check(CLI::IsMember({kHorizon, kGuide, kLines}))
          ->needs(folder)
          ->group(group);
  folder->needs(choice);
  for (const char* other :
       {"--sigma", "--lines", "--cells", "--seed", "--size", "--line-grid", "--temperature"})
    folder->excludes(parser.get_option(other));
  parser
      .add_option(
          "--answers", answers,
          "Score the answers in this file, as 'vsmax detect --json' prints them, instead of "
          "a model's")
      ->check(not_empty())
      ->needs(folder)
      ->excludes(parser.get_option("--model"))
      ->excludes(parser.get_option("--grid"))
      ->group(group);
  auto* number = parser.add_option("--folds", folds, "Divide the images into N contiguous folds")
                     ->check(positive())
                     ->needs(folder)
                     ->group(group);
  auto* part = parser.add_option("--fold", fold, "Score only fold K of them, from 1 to N")
                   ->check(positive())
                   ->needs(number)
                   ->group(group);
  number->needs(part);
  parser
      .add_option("--min-confidence", min_confidence,
                  "With --protocol lines, leave out lines with a lower confidence")
      ->check(fraction())
      ->capture_default_str()
      ->needs(folder)
      ->group(group);
  parser.add_option("--per-image", per_image, "Write the scores of every image to this CSV file")
      ->check(not_empty())
      ->needs(folder)
      ->group(group);
}

int evaluate_images(const ImageScoringOptions& options, const ModelOptions& model, int threads,
                    bool as_json) {
  const LabelledFolder folder = chosen_images(options);
  if (!options.per_image.empty()) require_writable(options.per_image);
  const bool from_file = !options.answers.empty();
  LinesWanted wanted;  // one line, whatever its confidence
  if (options.protocol == kLines) wanted = {LinesWanted::kAuto, options.min_confidence};
  const Answers answers = from_file ? answers_of_file(options.answers, threads)
                                    : answers_of_model(model, wanted, threads);
  ProgressLine progress;
  Report report;
  try {
    const auto given = answers(folder, [&](std::size_t done, std::size_t total) {
      progress.show("scoring", done, total);
      return !interrupted();
    });
    report = report_of(folder, given, options.protocol != kLines);
  } catch (const Interrupted&) {
    progress.clear();
    print_error("interrupted");
    return kInterrupted;
  }
  progress.clear();
  if (!options.per_image.empty()) write_file_atomically(options.per_image, report.csv);
  const std::string& subject = from_file ? options.answers : model.name;
  if (!as_json) {
    fmt::print("{} on {} images of {}, protocol {}\n{}", subject, folder.images.size(),
               options.data, options.protocol, report.text);
    return kSuccess;
  }
  nlohmann::ordered_json json{{from_file ? "answers" : "model", subject},
                              {"data", options.data},
                              {"protocol", options.protocol}};
  if (options.folds > 0) {
    json["fold"] = options.fold;
    json["folds"] = options.folds;
  }
  json["images"] = folder.images.size();
  json.update(report.json);
  // A path need not be valid UTF-8, but JSON must be.
  fmt::print("{}\n", json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  return kSuccess;
}

}  // namespace vsmax::app
