// SPDX-License-Identifier: Apache-2.0
// Takes the ground away from under thin lines: shading, a sky's gradient, clouds. In the votes,
// such ground outweighs a line that is plain to see (Eq. 66).
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "vsmax/evidence/evidence.h"

namespace vsmax {

// Keeps its memory from call to call.
class EvenGround {
 public:
  // The evidence less the mean of the square around each pixel; its lines must still be seen in the
  // pixels as they were. Empty if the ground is even already. Valid until the next call.
  std::optional<Evidence> operator()(const Evidence& evidence);

 private:
  std::vector<float> rows_;   // means along the rows
  std::vector<double> sums_;  // down the columns
  std::vector<float> even_;
};

}  // namespace vsmax
