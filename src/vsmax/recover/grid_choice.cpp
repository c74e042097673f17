// SPDX-License-Identifier: Apache-2.0
#include "vsmax/recover/grid_choice.h"

#include <algorithm>
#include <cmath>

namespace vsmax {
namespace {

// Bins of about 1.4 pixels, where a one-pixel line is sharp and noise still averages out; no
// coarser than the paper's in theta; and no finer than keeps large photographs fast.
constexpr double kPixelsPerBin = 1.431;
constexpr int kLeastAngles = 127;
constexpr int kMostAngles = 255;
constexpr int kMostOffsets = 509;

}  // namespace

HoughGrid grid_for(const ModelSpec& spec, const ImageFrame& image) {
  const ImageFrame frame =
      spec.evidence == EvidenceKind::kIntensity ? spec.frame.value_or(image) : image;
  if (spec.bins) return {frame, spec.bins->thetas, spec.bins->rhos};
  if (spec.refinement == Refinement::kNone) return {frame, kLeastAngles, kLeastAngles};
  const int half_offsets = static_cast<int>(std::lround(frame.half_diagonal() / kPixelsPerBin));
  const int offsets = std::clamp(2 * half_offsets + 1, 3, kMostOffsets);
  const int angles = std::clamp((offsets + 1) / 2, kLeastAngles, kMostAngles);
  return {frame, angles, offsets};
}

}  // namespace vsmax
