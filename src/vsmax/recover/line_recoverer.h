// SPDX-License-Identifier: Apache-2.0
// Image in, line out: the stages of the paper's figure in as many lines. Read this one first.
//
//   vsmax::LineRecoverer recover(vsmax::load_model("classic"));
//   for (const auto& found : recover(vsmax::read_image("photo.png")).lines) use(found.line);
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "vsmax/base/error.h"  // IWYU pragma: export
#include "vsmax/evidence/evidence.h"
#include "vsmax/geometry/line.h"
#include "vsmax/image/image.h"
#include "vsmax/recover/model.h"

namespace vsmax {

struct RecoveredLine {
  PolarLine line;                  // theta in [0, pi), rho in pixels from the image centre
  double confidence = 0.0;         // in [0, 1] (Eq. 25)
  std::optional<Segment> visible;  // from the image centre; empty for a line outside the image
};

struct Recovery {
  std::vector<RecoveredLine> lines;  // empty without contrast, or for an answer beyond the corners
};

// What the stages saw on the way, for pictures and for study.
struct RecoveryTrace {
  GrayImage evidence;                // in the working frame
  std::optional<HoughGrid> grid;     // of the working frame
  std::vector<float> accumulator;    // T x R, the plain Hough transform of the evidence
  std::vector<float> probabilities;  // T x R; on the double cover both halves are added; the hard
                                     // readout has none and leaves the values it chose from
  PolarLine line;                    // in the working frame
};

// Keeps the tables and buffers of the last image size, so a stream of equal images allocates
// nothing but the lines it returns (and what threads that share an image take note of). One per
// thread; copies share the model.
class LineRecoverer {
 public:
  // `threads` share the network of one image; the line does not depend on them. For many images
  // BatchRecoverer is the better use of threads.
  explicit LineRecoverer(Model model, int threads = 1);
  LineRecoverer(const LineRecoverer& other);
  LineRecoverer(LineRecoverer&&) noexcept;
  LineRecoverer& operator=(const LineRecoverer&) = delete;
  LineRecoverer& operator=(LineRecoverer&&) noexcept;
  ~LineRecoverer();

  const Model& model() const { return *model_; }

  // Throws Error if the image is smaller than 2x2 or a pixel is not finite.
  Recovery operator()(const GrayImage& image, RecoveryTrace* trace = nullptr);

 private:
  struct Stages;
  Stages& stages_for(const ImageFrame& frame);

  std::shared_ptr<const Model> model_;
  int threads_ = 1;
  FramePlacer placer_;
  std::unique_ptr<Stages> stages_;
};

}  // namespace vsmax
