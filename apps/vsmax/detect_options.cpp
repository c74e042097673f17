// SPDX-License-Identifier: Apache-2.0
#include "detect_options.h"

#include <fmt/core.h>

#include <algorithm>
#include <string>

#include "cli/commands.h"
#include "ray.h"

namespace vsmax::app {
namespace {

constexpr int kMostLines = 1000;
constexpr const char* kAuto = "auto";

// The number in --lines. Throws a usage error for anything but a number or 'auto'.
int parse_lines(const std::string& text) {
  if (text == kAuto) return LinesWanted::kAuto;
  const auto most = read_whole(text);
  if (!most || *most < 1 || *most > kMostLines)
    throw CLI::ValidationError(
        "--lines",
        fmt::format("must be 'auto' or a whole number from 1 to {}, not '{}'", kMostLines, text));
  return static_cast<int>(*most);
}

void declare_lines(CLI::App& parser, LinesWanted& wanted, bool& is_auto) {
  wanted = {LinesWanted::kAuto, 0.5};
  parser
      .add_option_function<std::string>(
          "--lines",
          [&wanted, &is_auto](const std::string& text) {
            wanted.most = parse_lines(text);
            is_auto = text == kAuto;
          },
          fmt::format("Find at most this many lines per image, up to {}, or 'auto' for as many as "
                      "there are, at most {}; 1 reads the one line that explains the whole image",
                      kMostLines, LinesWanted::kAuto))
      ->default_str(kAuto);
  parser
      .add_option("--min-confidence", wanted.min_confidence,
                  "Leave out lines with a lower confidence")
      ->check(fraction())
      ->capture_default_str();
}

void declare_images(CLI::App& parser, ImageRequest& images, Shard& shard) {
  parser
      .add_option(
          "IMAGE", images.arguments,
          "Image files, folders (all PNG and JPEG files below them), quoted patterns such as "
          "'shots/*.jpg', or - for an image on standard input")
      ->check(not_empty());
  auto* list = parser
                   .add_option("--files-from", images.list,
                               "Read the images' paths from this file, one per line, or from - for "
                               "standard input")
                   ->check(not_empty());
  parser.add_flag("-0,--null", images.null_separated, "The paths in the list are separated by NUL")
      ->needs(list);
  parser
      .add_option_function<std::string>(
          "--shard", [&shard](const std::string& text) { shard = parse_shard(text); },
          "Take only part I of N, as I/N with I from 0, by a hash of each path: for several "
          "machines")
      ->check(not_empty());
}

void declare_output(CLI::App& parser, LogOptions& log) {
  constexpr const char* kGroup = "Output";
  auto* json =
      parser
          .add_flag_callback(
              "--json", [&log] { log.format = Format::kJson; }, "Print one JSON object per image")
          ->group(kGroup);
  parser
      .add_flag_callback(
          "--csv", [&log] { log.format = Format::kCsv; }, "Print CSV, one row per line")
      ->excludes(json)
      ->group(kGroup);
  auto* out = parser
                  .add_option("--out", log.file,
                              "Write JSON (or CSV) to this file, which must not exist, instead of "
                              "printing; an image that fails has a record with its error")
                  ->check(not_empty())
                  ->group(kGroup);
  auto* resume = parser
                     .add_flag("--resume", log.resume,
                               "Continue the file of an interrupted run: images in it are skipped")
                     ->needs(out)
                     ->group(kGroup);
  parser.add_flag("--retry-errors", log.retry_errors, "With --resume, try those that failed again")
      ->needs(resume)
      ->group(kGroup);
}

void declare_pictures(CLI::App& parser, PictureFolders& folders) {
  constexpr const char* kGroup = "Pictures";
  parser
      .add_option("--overlay", folders.overlays,
                  "Write each image with its lines drawn over it (PNG) to this folder")
      ->check(not_empty())
      ->group(kGroup);
  parser
      .add_option("--explain", folders.explanations,
                  "Write one figure per image that shows every stage (SVG) to this folder")
      ->check(not_empty())
      ->group(kGroup);
  parser
      .add_option("--gallery", folders.gallery,
                  "Write a page with a table and pictures of all images (HTML) to this folder")
      ->check(not_empty())
      ->excludes("--resume")
      ->group(kGroup);
}

}  // namespace

void DetectOptions::declare(CLI::App& parser) {
  declare_images(parser, images, shard);
  model.name = "auto";
  model.declare(parser);
  declare_lines(parser, lines, lines_auto);
  parser.add_flag(
      "--dark", dark,
      "Look for dark lines on a bright background, with default unless another model is named");
  declare_threads(parser, threads, "one per processor (with --device cuda, four)");
  declare_output(parser, log);
  declare_pictures(parser, pictures);
  declare_ray(parser, ray);
}

void DetectOptions::complete() {
  if (images.arguments.empty() && images.list.empty())
    throw UsageError("detect needs an image, a folder, a pattern or --files-from");
  const auto& arguments = images.arguments;
  if (images.list == "-" && std::find(arguments.begin(), arguments.end(), "-") != arguments.end())
    throw UsageError("standard input cannot be both an image and the list of --files-from");
  if (log.resume && log.file == "-")
    throw UsageError("--resume needs a file, and --out - is standard output");
  check_ray(*this);
  // Plain text could not be read back by --resume.
  if (!log.file.empty() && log.format == Format::kText) log.format = Format::kJson;
}

Model DetectOptions::load_model() const {
  ModelOptions chosen = model;
  if (chosen.name == "auto" && !chosen.bins.empty()) chosen.name = "classic";
  if (chosen.name == "auto" && dark) chosen.name = "default";
  Model loaded = chosen.load();
  if (dark && loaded.spec.evidence != EvidenceKind::kIntensity)
    throw UsageError("--dark needs a model of thin lines, which " + chosen.name + " is not");
  if (dark) loaded.spec.polarity = Polarity::kDark;
  return loaded;
}

}  // namespace vsmax::app
