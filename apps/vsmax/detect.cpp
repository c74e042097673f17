// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <charconv>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <vector>

#include "cli/interrupt.h"
#include "cli/progress_line.h"
#include "commands.h"
#include "draw/explain.h"
#include "draw/gallery.h"
#include "draw/overlay.h"
#include "model_options.h"
#include "result_text.h"
#include "vsmax/base/error.h"
#include "vsmax/base/parallel.h"
#include "vsmax/image/image_file.h"
#include "vsmax/io/file.h"
#include "vsmax/recover/batch_recoverer.h"
#include "vsmax/recover/trace.h"

namespace vsmax::app {
namespace {

struct DetectOptions {
  std::vector<std::string> images;
  ModelOptions model;
  LinesWanted lines;
  bool dark = false;
  bool as_json = false;
  std::string overlay_folder;
  std::string explain_folder;
  std::string gallery_folder;
  int threads = 0;
};

constexpr int kMostLines = 1000;

// The number in --lines. Throws a usage error for anything but a number or 'auto'.
int parse_lines(const std::string& text) {
  if (text == "auto") return LinesWanted::kAuto;
  int most = 0;
  const char* end = text.data() + text.size();
  const auto [last, status] = std::from_chars(text.data(), end, most);
  if (status != std::errc() || last != end || most < 1 || most > kMostLines)
    throw CLI::ValidationError(
        fmt::format("--lines must be 'auto' or a number from 1 to {}, got {}", kMostLines, text));
  return most;
}

void declare_lines(CLI::App& parser, LinesWanted& wanted) {
  wanted = {LinesWanted::kAuto, 0.5};
  parser
      .add_option_function<std::string>(
          "--lines", [&wanted](const std::string& text) { wanted.most = parse_lines(text); },
          fmt::format("Find at most this many lines per image, or 'auto' for as many as there are, "
                      "at most {}",
                      LinesWanted::kAuto))
      ->default_str("auto");
  parser
      .add_option("--min-confidence", wanted.min_confidence,
                  "Leave out lines with a lower confidence")
      ->check(fraction())
      ->capture_default_str();
}

// FOLDER/STEM + suffix for each image; a repeated stem gets -2, -3, ... so that no two images write
// to the same file. "-" becomes "stdin".
std::vector<std::string> picture_names(const std::vector<std::string>& images,
                                       const std::string& folder, const std::string& suffix) {
  std::vector<std::string> names;
  std::set<std::string> taken;
  for (const auto& image : images) {
    const std::string stem = image == "-" ? "stdin" : std::filesystem::path(image).stem().string();
    std::string candidate = stem;
    for (int i = 2; !taken.insert(candidate).second; ++i)
      candidate = stem + "-" + std::to_string(i);
    names.push_back((std::filesystem::path(folder) / (candidate + suffix)).string());
  }
  return names;
}

// An image's name may happen to end like that of a picture.
void refuse_to_replace(const std::vector<std::string>& images,
                       const std::vector<std::string>& pictures) {
  std::set<std::filesystem::path> sources;
  std::error_code failure;  // gives an empty path; reading the image will report it
  for (const auto& image : images)
    sources.insert(std::filesystem::weakly_canonical(image, failure));
  sources.erase(std::filesystem::path());
  for (const auto& picture : pictures)
    if (sources.count(std::filesystem::weakly_canonical(picture, failure)) != 0)
      throw Error(picture + ": is one of the images, and a picture would replace it");
}

// No more threads than images, except that a single image is shared by all of them.
int threads_for(const DetectOptions& options) {
  const int threads = resolve_threads(options.threads);
  const auto images = static_cast<int>(std::min<std::size_t>(options.images.size(), 1 << 20));
  return images == 1 ? threads : std::min(threads, images);
}

GrayImage gray(const ImageView& image) {
  GrayImage result(image.frame());
  image.copy_to(result.pixels.data());
  return result;
}

Model model_for(const DetectOptions& options) {
  ModelOptions chosen = options.model;
  if (chosen.name == "auto" && !chosen.bins.empty()) chosen.name = "classic";
  if (chosen.name == "auto" && options.dark) chosen.name = "default";
  Model model = chosen.load();
  if (options.dark) model.spec.polarity = Polarity::kDark;
  return model;
}

class Detection {
 public:
  explicit Detection(const DetectOptions& options)
      : options_(options),
        batch_(model_for(options), threads_for(options)),
        overlays_(picture_names(options.images, options.overlay_folder, "-overlay.png")),
        explanations_(picture_names(options.images, options.explain_folder, "-explain.svg")),
        texts_(options.images.size()) {
    for (const std::string& folder : {options.overlay_folder, options.explain_folder})
      if (!folder.empty()) make_folder(folder);
    if (!options.overlay_folder.empty()) refuse_to_replace(options.images, overlays_);
    if (!options.explain_folder.empty()) refuse_to_replace(options.images, explanations_);
    if (options.gallery_folder.empty()) return;
    gallery_ = std::make_unique<drawing::Gallery>(options.gallery_folder, options.images.size());
    refuse_to_replace(options.images, gallery_->files());
  }

  int run() {
    install_interrupt_handler();
    const std::size_t count = options_.images.size();
    ProgressLine progress;
    std::mutex mutex;
    std::size_t done = 0;
    bool failed = false;
    batch_.for_each(count, [&](std::size_t i, std::size_t, LineRecoverer& recover) {
      if (interrupted()) return;
      std::string text;
      std::string failure;
      try {
        text = one(i, recover, failure);
      } catch (const Error& error) {
        failure = error.what();
      } catch (const std::bad_alloc&) {
        failure = options_.images[i] + ": not enough memory";
      }
      const std::lock_guard lock(mutex);
      progress.clear();
      if (interrupted() && text.empty()) return;  // which may be why reading failed
      if (!failure.empty()) print_error(failure);
      failed = failed || !failure.empty();
      print_in_order(i, std::move(text));
      if (count > 1) progress.show("detecting", ++done, count);
    });
    if (interrupted()) {
      for (std::size_t i = next_; i < count; ++i)  // what was finished out of order
        if (texts_[i] && !texts_[i]->empty()) fmt::print("{}\n", *texts_[i]);
      print_error("interrupted");
      return kInterrupted;
    }
    if (gallery_) gallery_->write_page("Lines found by " + options_.model.name);
    return failed ? kBadInput : kSuccess;
  }

 private:
  // The lines as text. If only their pictures cannot be written, `failure` says why.
  std::string one(std::size_t index, LineRecoverer& recover, std::string& failure) const {
    const std::string& name = options_.images[index];
    // Only some models use colour, and 16 bits are kept for the others.
    return recover.model().sees_colour() ? one(index, read_rgb_image(name), recover, failure)
                                         : one(index, read_image(name), recover, failure);
  }

  template <class Image>
  std::string one(std::size_t index, const Image& image, LineRecoverer& recover,
                  std::string& failure) const {
    const std::string& name = options_.images[index];
    const ImageFrame frame = image.frame();
    const bool explain = !options_.explain_folder.empty();
    RecoveryTrace trace;
    Recovery recovery;
    try {
      recovery = recover(image, options_.lines, explain ? &trace : nullptr);
    } catch (const Error& error) {
      throw Error(name + ": " + error.what());
    }
    try {
      if (!options_.overlay_folder.empty())
        write_png(overlays_[index], drawing::draw_overlay(image, recovery));
      if (explain)
        write_file_atomically(explanations_[index],
                              drawing::explanation_svg(gray(image), recovery, trace, name));
      if (gallery_) gallery_->add(index, name, image, recovery);
    } catch (const Error& error) {
      failure = error.what();
    }
    return options_.as_json ? json_text(name, frame, recovery) : plain_text(name, frame, recovery);
  }

  // Prints results in the order of the images, each as soon as all before it are finished.
  void print_in_order(std::size_t index, std::string text) {
    texts_[index] = std::move(text);
    for (; next_ < texts_.size() && texts_[next_]; ++next_) {
      if (!texts_[next_]->empty()) fmt::print("{}\n", *texts_[next_]);
      texts_[next_]->clear();
    }
    std::fflush(stdout);
  }

  const DetectOptions& options_;
  BatchRecoverer batch_;
  std::vector<std::string> overlays_;
  std::vector<std::string> explanations_;
  std::unique_ptr<drawing::Gallery> gallery_;      // null if none is wanted
  std::vector<std::optional<std::string>> texts_;  // of finished images; empty after a failure
  std::size_t next_ = 0;                           // to print
};

}  // namespace

Command detect_command(CLI::App& app) {
  auto* parser = app.add_subcommand("detect", "Find the lines in each image (PNG or JPEG)");
  parser->footer(
      "Examples:\n"
      "  vsmax detect photo.jpg\n"
      "  vsmax detect --json --overlay out *.png\n"
      "  vsmax detect --gallery out *.jpg\n"
      "  vsmax detect --lines 2 --dark scan.png\n"
      "  cat photo.png | vsmax detect --json -\n\n"
      "theta is the angle of the line's normal (y points down), rho the signed distance of the "
      "line\nfrom the image centre in pixels. End points are relative to the centre of the "
      "top-left pixel.");
  const auto options = std::make_shared<DetectOptions>();
  parser->add_option("IMAGE", options->images, "Image files, or - for standard input")
      ->required()
      ->check(not_empty());
  options->model.name = "auto";
  options->model.declare(*parser);
  declare_lines(*parser, options->lines);
  parser->add_flag(
      "--dark", options->dark,
      "Look for dark lines on a bright background, with default unless another model is named");
  parser->add_flag("--json", options->as_json, "Print one JSON object per image");
  parser
      ->add_option("--overlay", options->overlay_folder,
                   "Write each image with its lines drawn over it (PNG) to this folder")
      ->check(not_empty());
  parser
      ->add_option("--explain", options->explain_folder,
                   "Write one figure per image that shows every stage (SVG) to this folder")
      ->check(not_empty());
  parser
      ->add_option("--gallery", options->gallery_folder,
                   "Write a page with a table and pictures of all images (HTML) to this folder")
      ->check(not_empty());
  declare_threads(*parser, options->threads);
  return {parser, [options] { return Detection(*options).run(); }};
}

}  // namespace vsmax::app
