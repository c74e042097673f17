// SPDX-License-Identifier: Apache-2.0
#include "vsmax/experiments/run.h"

#include <fmt/format.h>

#include "vsmax/io/sha256.h"

namespace vsmax {

std::string Run::hash() const {
  std::string text = fmt::format("{}\n{}\n{}\n{}\n", model, fmt::join(sigmas, " "),
                                 fmt::join(map_sigmas, " "), test_seed);
  text += training ? config_text(*training)
                   : fmt::format("{}x{} {}x{}\n", grid.frame().width, grid.frame().height,
                                 grid.thetas(), grid.rhos());
  Sha256 digest;
  digest.update({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
  constexpr std::size_t kDigits = 16;
  return digest.hex_digest().substr(0, kDigits);
}

}  // namespace vsmax
