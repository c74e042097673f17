// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "cli/extent.h"
#include "cli/one_line.h"
#include "cli/with_progress.h"
#include "commands.h"
#include "vsmax/base/counted.h"
#include "vsmax/image/image_file.h"
#include "vsmax/io/file.h"
#include "vsmax/score/evaluation.h"
#include "vsmax/torch/photos/drawn_photos.h"
#include "vsmax/torch/train/device.h"

namespace vsmax::app {
namespace {

struct ScenesArguments {
  std::string kind;
  std::string out;
  std::string size = "256x192";
  int count = 100;
  std::uint64_t seed = 42;
  int threads = 0;
};

// Removed again unless it was renamed.
struct UnfinishedFolder {
  explicit UnfinishedFolder(const std::string& wanted) : path(wanted + ".partial") {
    if (std::filesystem::exists(path))
      throw Error(path + " exists; remove it or name another folder than " + wanted);
  }
  UnfinishedFolder(const UnfinishedFolder&) = delete;
  UnfinishedFolder& operator=(const UnfinishedFolder&) = delete;
  ~UnfinishedFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }

  std::string path;
};

std::string label_rows(const std::string& name, const DrawnPhoto& photo, bool with_guide) {
  if (photo.lines.empty()) return name + (with_guide ? ",,,,,\n" : ",,,,\n");
  const ImageFrame frame{photo.image.width, photo.image.height};
  std::string rows;
  for (std::size_t k = 0; k < photo.lines.size(); ++k) {
    const Segment seen = visible_segment(photo.lines[k], frame).value();
    rows += fmt::format("{},{:.3f},{:.3f},{:.3f},{:.3f}", name, seen.begin[0] + frame.half_width(),
                        seen.begin[1] + frame.half_height(), seen.end[0] + frame.half_width(),
                        seen.end[1] + frame.half_height());
    rows += with_guide ? (k == photo.guide ? ",1\n" : ",0\n") : "\n";
  }
  return rows;
}

int draw_scenes_into_folder(const ScenesArguments& arguments) {
  namespace fs = std::filesystem;
  constexpr int kBatch = 16;
  const auto* const name =
      std::find(kSceneKindNames.begin(), kSceneKindNames.end(), arguments.kind);
  const auto kind = static_cast<SceneKind>(name - kSceneKindNames.begin());
  const ImageFrame frame = parse_size(arguments.size);
  constexpr int kLeastSide = 16;
  if (std::min(frame.width, frame.height) < kLeastSide)
    throw UsageError(fmt::format("--size {} is too small: sides have at least {} pixels",
                                 arguments.size, kLeastSide));
  if (kind == SceneKind::kCropRows && 4 * frame.width < 3 * frame.height)
    throw UsageError(fmt::format(
        "--size {} is too narrow for crop-rows: it must be at least 3/4 as wide as high",
        arguments.size));
  if (fs::exists(arguments.out) && !fs::is_empty(arguments.out))
    throw Error(arguments.out + " exists and is not an empty folder; name another one");
  // The folder gets its name once it is complete.
  const UnfinishedFolder folder(arguments.out);
  const std::string& unfinished = folder.path;
  make_folder(unfinished + "/images");
  make_reproducible(arguments.threads);
  const bool guides = kind == SceneKind::kCropRows;
  std::string labels = guides ? "image,x0,y0,x1,y1,guide\n" : "image,x0,y0,x1,y1\n";
  with_progress(arguments.kind, [&](const Progress& progress) {
    for (int first = 0; first < arguments.count; first += kBatch) {
      const int count = std::min(kBatch, arguments.count - first);
      const auto batch = static_cast<std::uint32_t>(first / kBatch);
      int number = first;
      for (const DrawnPhoto& photo : draw_photos(kind, frame, count, arguments.seed, batch)) {
        const std::string file = fmt::format("{:06}.png", ++number);
        write_png(unfinished + "/images/" + file, photo.image);
        labels += label_rows(file, photo, guides);
      }
      if (!progress(static_cast<std::size_t>(number), static_cast<std::size_t>(arguments.count)))
        throw Interrupted();
    }
    return 0;
  });
  write_file_atomically(unfinished + "/labels.csv", labels);
  fs::rename(unfinished, arguments.out);
  fmt::print("{}: {} with labels\n", one_line(arguments.out),
             counted(static_cast<std::size_t>(arguments.count), "image"));
  return kSuccess;
}

}  // namespace

Command scenes_command(CLI::App& app) {
  auto* parser = app.add_subcommand("scenes", "Draw labelled synthetic photographs");
  parser->footer(
      "Examples:\n"
      "  vsmax scenes crop-rows --count 200 --size 256x256 --out fields\n"
      "  vsmax scenes blanks --out blanks\n"
      "  vsmax evaluate --data blanks --protocol lines\n\n"
      "KIND is what models train on:\n"
      "  horizons   sky, hills and water; one line each\n"
      "  cuts       parts of different colour and texture; one to four lines\n"
      "  crop-rows  a field in perspective; the rows, with the guide\n"
      "  blanks     noise, clouds, texture, gradients and more, without a line\n"
      "DIR receives images/ and labels.csv (docs/data.md). The same kind, count, size and seed\n"
      "give the same images.");
  const auto arguments = std::make_shared<ScenesArguments>();
  parser->add_option("KIND", arguments->kind, "What to draw")
      ->required()
      ->check(one_of(std::vector<std::string>(kSceneKindNames.begin(), kSceneKindNames.end())));
  parser->add_option("--out", arguments->out, "New folder for images and labels")
      ->required()
      ->check(not_empty())
      ->type_name("DIR");
  constexpr int kMostImages = 1'000'000;
  parser->add_option("--count", arguments->count, "Number of images")
      ->transform(whole(1, kMostImages))
      ->capture_default_str();
  parser->add_option("--size", arguments->size, "Image size as WxH")
      ->check(extent("256x192"))
      ->capture_default_str();
  parser->add_option("--seed", arguments->seed, "Seed of everything random")
      ->transform(whole(0, kAnySeed))
      ->capture_default_str();
  declare_threads(*parser, arguments->threads);
  return {parser, [arguments] { return draw_scenes_into_folder(*arguments); }};
}

}  // namespace vsmax::app
