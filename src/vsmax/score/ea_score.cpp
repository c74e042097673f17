// SPDX-License-Identifier: Apache-2.0
#include "vsmax/score/ea_score.h"

namespace vsmax {

double ea_score(PixelLine predicted, PixelLine truth, const ImageFrame& frame) {
  const auto a = visible_segment(predicted, frame);
  const auto b = visible_segment(truth, frame);
  if (!a || !b) return 0.0;
  return ea_from_parts(angle_between(predicted.theta, truth.theta), a->midpoint(), b->midpoint(),
                       frame);
}

}  // namespace vsmax
