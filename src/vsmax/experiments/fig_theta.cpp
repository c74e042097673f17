// SPDX-License-Identifier: Apache-2.0
// EA along theta: the mean over all offsets of an angle, and its spread.
#include "vsmax/experiments/readout_maps.h"

namespace vsmax {

Item fig_theta() {
  return {"fig-theta", "EA along theta at sigma 0.6, soft-argmax against VSmax", readout_map_runs,
          readout_maps};
}

}  // namespace vsmax
