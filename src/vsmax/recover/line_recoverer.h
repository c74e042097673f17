// SPDX-License-Identifier: Apache-2.0
// Image in, lines out: the stages of the paper's Figure 1b. line_recoverer.cpp calls them in order;
// read that file first.
//
//   vsmax::LineRecoverer recover(vsmax::load_model("classic"));
//   for (const auto& found : recover(vsmax::read_image("photo.png")).lines) use(found.line);
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "vsmax/geometry/line.h"
#include "vsmax/geometry/line_spread.h"
#include "vsmax/image/image_view.h"
#include "vsmax/recover/model.h"

namespace vsmax {

struct Evidence;
struct RecoveryTrace;

struct RecoveredLine {
  PixelLine line;                      // theta in [0, pi)
  double confidence = 0.0;             // the EA-score to expect, in [0, 1] (Eq. 25)
  std::optional<Segment> visible;      // from the image centre; empty if the line misses the image
  std::optional<LineSpread> spread{};  // how far off it may be, where the model can tell
};

struct Recovery {
  std::vector<RecoveredLine> lines;  // by falling confidence; empty if the image has no contrast;
                                     // lines beyond the corners are left out
  std::string model{};               // that answered; with `auto`, the one chosen
};

// How many lines to look for. A single line is read from the whole distribution, as in the paper;
// of several, each is read from a window around its own peak (Eq. 34).
struct LinesWanted {
  static constexpr int kAuto = 32;  // as many as there are, within reason

  int most = 1;                 // at least 1
  double min_confidence = 0.0;  // from 0 to 1; less certain lines are left out
};

// Keeps the tables and buffers of the last image size, so that a stream of images of one size
// allocates nothing except the lines it returns (and, with several threads, their bookkeeping). Use
// one per thread; copies share the model.
class LineRecoverer {
 public:
  // `threads` run the network on each image in parallel; the lines do not depend on their number.
  // For many images, BatchRecoverer makes better use of threads.
  explicit LineRecoverer(Model model, int threads = 1);
  LineRecoverer(const LineRecoverer& other);
  LineRecoverer(LineRecoverer&&) noexcept;
  LineRecoverer& operator=(const LineRecoverer&) = delete;
  LineRecoverer& operator=(LineRecoverer&&) noexcept;
  ~LineRecoverer();

  const Model& model() const { return *model_; }
  void use_threads(int threads) { threads_ = threads; }

  // Throws Error if the image is smaller than 2x2, a pixel is not finite or `wanted` makes no
  // sense.
  Recovery operator()(const ImageView& image, RecoveryTrace* trace = nullptr) {
    return (*this)(image, LinesWanted{}, trace);
  }
  Recovery operator()(const ImageView& image, const LinesWanted& wanted,
                      RecoveryTrace* trace = nullptr);

 private:
  struct State;

  std::vector<RecoveredLine> run_stages(const ImageView& image, const LinesWanted& wanted,
                                        RecoveryTrace* trace);
  std::vector<RecoveredLine> run_stages(const ImageView& image, const Evidence& evidence,
                                        const LinesWanted& wanted, RecoveryTrace* trace);
  // Adds the lines that are plain to see once the ground is evened out (Eq. 66).
  void look_again(const ImageView& image, const Evidence& evidence, const LinesWanted& wanted,
                  std::vector<RecoveredLine>& lines, RecoveryTrace* trace);
  // For `auto`: asks the candidates and returns the best answer, the first of (nearly) equal ones.
  Recovery choose(const ImageView& image, const LinesWanted& wanted, RecoveryTrace* trace);

  std::shared_ptr<const Model> model_;
  int threads_ = 1;
  bool looks_twice_ = true;  // Eq. 66
  std::unique_ptr<State> state_;
};

}  // namespace vsmax
