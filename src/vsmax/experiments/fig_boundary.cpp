// SPDX-License-Identifier: Apache-2.0
// The paper's figure "boundary": EA of every cell, only the readout changed.
#include "vsmax/experiments/readout_maps.h"

namespace vsmax {

Item fig_boundary() {
  return {"fig-boundary", "EA of every line at sigma 0.6, soft-argmax against VSmax",
          readout_map_runs, readout_maps};
}

}  // namespace vsmax
