// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/interrupt.h"
#include "commands.h"
#include "detect_options.h"
#include "detect_progress.h"
#include "ordered_batch.h"
#include "ray.h"
#include "vsmax/base/counted.h"
#include "vsmax/image/image_file.h"
#include "vsmax/io/file.h"

namespace vsmax::app {
namespace {

class Detection {
 public:
  explicit Detection(const DetectOptions& options)
      : options_(options),
        batch_(options.load_model(), options.threads),
        source_(options.images),
        pictures_(make_pictures()),
        log_(options.log) {}  // last, so that a run that cannot begin leaves no file

  int run() {
    install_interrupt_handler();
    DetectProgress progress(options_.images, options_.shard);
    std::size_t searched = 0;
    bool failed = false;
    const auto emit = [&](const Outcome& outcome) {
      if (!outcome.failure.empty() || log_.has_terminal()) progress.clear();
      if (!outcome.failure.empty()) print_error(outcome.failure);
      failed = failed || !outcome.failure.empty();
      log_.append(outcome.record.empty() ? failure_text(outcome) : outcome.record);
      progress.show(++searched, skipped_);
    };
    OrderedBatch({.pull = [this] { return next_image(); },
                  .search = [this](const BatchImage& image,
                                   LineRecoverer& recover) { return search(image, recover); },
                  .emit = emit})
        .run(batch_, options_.images.is_single());
    progress.clear();
    log_.finish();
    if (filled_ > 0)
      print_error("note: --lines auto stopped at " + std::to_string(LinesWanted::kAuto) +
                  " lines in " + counted(filled_.load(), "image") +
                  ", where there may be more (--lines K finds up to K)");
    if (pictures_) pictures_->finish(options_.model.name, interrupted());
    if (interrupted()) {
      print_error("interrupted");
      return kInterrupted;
    }
    if (log_.failed_before() > 0)
      print_error(counted(log_.failed_before(), "image") +
                  " failed in an earlier run (--retry-errors tries again)");
    return failed ? kBadInput : kSuccess;
  }

 private:
  // The pictures' names depend on all images, including those that this run skips.
  std::unique_ptr<DetectPictures> make_pictures() {
    if (!options_.pictures.any()) return nullptr;
    std::vector<std::string> names;
    while (auto image = source_.next()) {
      names.push_back(image->path);
      listed_.push_back(std::move(*image));
    }
    return std::make_unique<DetectPictures>(options_.pictures, std::move(names));
  }

  std::optional<NamedImage> next_name() {
    if (!pictures_) return source_.next();
    if (index_ == listed_.size()) return std::nullopt;
    return std::move(listed_[index_]);
  }

  // The next image of this shard that has no record in the file yet.
  std::optional<BatchImage> next_image() {
    while (auto name = next_name()) {
      const std::size_t index = index_++;
      const PathKey key(name->path);
      if (!options_.shard.has(key)) continue;
      if (log_.claim(key)) return BatchImage{std::move(*name), index};
      ++skipped_;
    }
    return std::nullopt;
  }

  // Failures get a record only with --out, whose file --resume reads; printed results omit them.
  std::string failure_text(const Outcome& outcome) const {
    const auto& [file, format, resume, retry_errors] = options_.log;
    return file.empty() ? "" : failure_record(format, outcome.path, outcome.failure);
  }

  Outcome search(const BatchImage& image, LineRecoverer& recover) const {
    const auto& [path, failure] = image.name;
    Outcome outcome{path, {}, failure};
    if (failure.empty()) try_search(image, recover, outcome);
    if (pictures_ && !outcome.failure.empty()) pictures_->fail(image.index, outcome.failure);
    return outcome;
  }

  void try_search(const BatchImage& image, LineRecoverer& recover, Outcome& outcome) const {
    const std::string& path = image.name.path;
    try {
      use_decoded(read_file(path), name_of_file(path), recover.model().sees_colour(),
                  [&](const auto& decoded) { search(decoded, recover, image, outcome); });
    } catch (const Error& error) {
      outcome.failure = error.what();
    } catch (const std::bad_alloc&) {
      outcome.failure = path + ": not enough memory";
    }
  }

  void search(const ImageView& pixels, LineRecoverer& recover, const BatchImage& image,
              Outcome& outcome) const {
    RecoveryTrace trace;
    Recovery recovery;
    try {
      const bool is_traced = pictures_ && pictures_->needs_trace();
      recovery = recover(pixels, options_.lines, is_traced ? &trace : nullptr);
    } catch (const Error& error) {
      throw Error(outcome.path + ": " + error.what());
    }
    if (options_.lines_auto && recovery.lines.size() == LinesWanted::kAuto) ++filled_;
    outcome.record = result_record(options_.log.format, outcome.path, pixels.frame(), recovery);
    if (pictures_) pictures_->write(image.index, pixels, recovery, trace);
  }

  const DetectOptions& options_;
  BatchRecoverer batch_;
  ImageSource source_;
  std::vector<NamedImage> listed_;            // all images, if there are pictures
  std::unique_ptr<DetectPictures> pictures_;  // null if none is wanted
  ResultLog log_;
  std::size_t index_ = 0;
  std::atomic<std::size_t> skipped_{0};
  mutable std::atomic<std::size_t> filled_{0};  // images with as many lines as auto looks for
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
      "  vsmax detect photos --out lines.jsonl --resume\n"
      "  find photos -name '*.jpg' -print0 | vsmax detect --csv --files-from - --null\n"
      "  cat photo.png | vsmax detect --json -\n"
      "  vsmax detect --ray auto photos --out lines.parquet\n\n"
      "theta is the angle of the line's normal (y points down), rho the signed distance of the "
      "line\nfrom the image centre in pixels. End points are relative to the centre of the "
      "top-left pixel.");
  const auto options = std::make_shared<DetectOptions>();
  options->declare(*parser);
  return {parser, [options] {
            options->complete();
            if (!options->ray.empty()) hand_over_to_ray(*options);
            return Detection(*options).run();
          }};
}

}  // namespace vsmax::app
