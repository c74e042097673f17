// SPDX-License-Identifier: Apache-2.0
#include "vsmax/experiments/run.h"

#include <fmt/format.h>

#include "vsmax/io/sha256.h"

namespace vsmax {

namespace {

Run untrained_run(const Scale& scale, const std::string& model) {
  Run run;
  run.name = model;
  run.model = model;
  run.grid = scale.protocol.grid();
  run.sigmas = scale.sigmas;
  return run;
}

Run run_of(const Scale& scale, const std::string& model, std::uint64_t seed) {
  Run run = untrained_run(scale, model);
  run.training = scale.protocol;
  run.training->model = model;
  run.training->seed = seed;
  run.name = fmt::format("{}-s{}", model, seed);
  return run;
}

}  // namespace

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

Run trained_run(const Scale& scale, const std::string& model, std::uint64_t seed) {
  Run run = run_of(scale, model, seed);
  if (seed == scale.seed()) run.map_sigmas = {kTestSigma};
  return run;
}

Run support_run(const Scale& scale, const std::string& model, Support support) {
  Run run = run_of(scale, model, scale.seed());
  run.training->support = support;
  run.name = fmt::format("{}-{}-s{}", model, kSupportNames[static_cast<std::size_t>(support)],
                         scale.seed());
  run.map_sigmas = {0.0};
  return run;
}

Run rht_run(const Scale& scale, double target_width) {
  Run run = run_of(scale, "rht", scale.seed());
  run.training->target_width = target_width;
  run.name = fmt::format("rht-t{:.1f}-s{}", target_width, scale.seed());
  return run;
}

Run argmax_run(const Scale& scale) { return untrained_run(scale, "argmax"); }

Run posterior_run(const Scale& scale) {
  Run run = untrained_run(scale, "posterior");
  run.map_sigmas = {0.0, kTestSigma};
  return run;
}

}  // namespace vsmax
