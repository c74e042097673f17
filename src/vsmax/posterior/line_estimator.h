// SPDX-License-Identifier: Apache-2.0
// The one thin line of a noisy image, by the exact posterior over all lines (Eq. 50 to 54): nothing
// is learned, and the noise is estimated from the image.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "vsmax/geometry/image_frame.h"
#include "vsmax/posterior/evidence_map.h"
#include "vsmax/posterior/line_scan.h"
#include "vsmax/posterior/noise_model.h"
#include "vsmax/posterior/posterior_window.h"
#include "vsmax/posterior/spread.h"

namespace vsmax {

struct LineEstimate {
  PixelLine line;
  double expected_score = 0.0;  // EA, given that there is a line and the noise is white
  double log_odds = 0.0;        // of a line, at even prior odds: log(M / A) of Eq. 53
  LineSpread spread;
  int width = 1;       // of the line, in pixels
  double share = 1.0;  // of the line's pixels that are visible, roughly
  double level = 1.0;  // how bright it is
};

// Keeps its memory from call to call. One per thread.
class LineEstimator {
 public:
  explicit LineEstimator(const ImageFrame& frame);

  const ImageFrame& frame() const { return frame_; }

  // The line that is brighter than its surroundings, wherever it lies. Empty if all pixels are
  // equal.
  std::optional<LineEstimate> operator()(std::span<const float> pixels);

  // The same, but looks only near a given line.
  std::optional<LineEstimate> near(std::span<const float> pixels, PixelLine line);

 private:
  struct Candidate {
    double log_posterior = 0.0;
    double log_cell = 0.0;
    ChordLine line;
    ChordLine scanned;  // in the reduced image
  };
  struct Modes {
    std::vector<PosteriorWindow> windows;
    double log_rest = 0.0;  // log mass of the candidates that no window holds
  };

  // What kind of line to look for.
  struct Hypothesis {
    NoiseModel noise;
    bool fit_level = false;  // to the image; otherwise the noise's level is used
    LineExtent extent = LineExtent::kWhole;
    double share = 1.0;  // of its pixels that are visible
    double log_prior = 0.0;
  };

  // A line in the orientation in which its pixels are counted, and the rows to count.
  struct CountedLine {
    ChordLine line;
    MapRows rows;
  };

  std::vector<Hypothesis> hypotheses_for(const NoiseModel& noise) const;
  // The map must be filled with the evidence of the hypothesis.
  std::optional<LineEstimate> estimate(std::span<const float> pixels, const Hypothesis& hypothesis,
                                       Modes modes);
  // Whether the line's pixels are, on the whole, as bright as those of a whole line should be.
  bool explains(const NoiseModel& noise, const LineEstimate& found,
                std::span<const float> pixels) const;
  void fill_map(std::span<const float> pixels, const NoiseModel& noise, double share);
  void find_candidates(LineExtent extent);
  Modes find_modes(LineExtent extent) const;
  MapRows piece_of(const Candidate& candidate) const;
  CountedLine counted(const ChordLine& line, const std::optional<MapRows>& piece) const;
  std::vector<float> pixels_of(std::span<const float> pixels, const CountedLine& counted) const;
  void refine(Modes& modes) const;
  void settle(PosteriorWindow& window) const;
  void fit_pieces(Modes& modes) const;
  int fit_width(Modes& modes);
  LineEstimate read_out(const Modes& modes) const;
  double reach() const { return kReach * reduction_; }
  const EvidenceMap& scan_map() const { return reduction_ > 1 ? pooled_map_ : map_; }

  static constexpr double kReach = 2.5;    // of a mode's first window, in pixels of the scan
  static constexpr double kMargin = 14.0;  // modes e^14 times less likely are ignored

  ImageFrame frame_;
  int reduction_;  // large images are scanned at a reduced size
  ImageFrame scan_frame_;
  LineScan scan_;
  std::vector<float> evidence_;
  EvidenceMap map_;
  std::vector<float> pooled_;
  EvidenceMap pooled_map_;
  std::vector<Candidate> candidates_;
};

}  // namespace vsmax
