// SPDX-License-Identifier: Apache-2.0
#include "vsmax/ceiling/pixel_evidence.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "vsmax/base/error.h"

namespace vsmax {

PixelEvidence::PixelEvidence(double sigma) {
  if (!(sigma >= 0.0) || !std::isfinite(sigma))
    throw Error("the standard deviation of the noise must be finite and not negative, but is " +
                std::to_string(sigma));
  const double deviation = std::max(sigma, kLeastSigma);
  // Phi(-1/sigma) / Phi(0), where erfc(x) = 2 Phi(-sqrt(2) x).
  at_black_ = std::log(std::erfc(1.0 / (std::numbers::sqrt2 * deviation)));
  slope_ = 1.0 / (deviation * deviation);
}

}  // namespace vsmax
