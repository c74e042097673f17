// SPDX-License-Identifier: Apache-2.0
// The paper's figure "end to end": what cannot be trained through, against VSmax.
#include "vsmax/experiments/item.h"

namespace vsmax {

namespace {

constexpr double kBestWidth = 3.0;  // the paper's choice of its sweep

std::vector<Run> runs(const Scale& scale) {
  return {rht_run(scale, kBestWidth), argmax_run(scale), trained_run(scale, "vsmax-vs"),
          posterior_run(scale)};
}

Json content(const Scale& scale, const RunResults& results) {
  const std::vector<std::string> labels{"RHT", "HT+argmax", "VSmax"};
  Json curves = Json::array();
  const auto list = runs(scale);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    curves.push_back({{"label", labels[i]}});
    curves.back().update(results.curve(list[i], "all"));
  }
  return {{"curves", curves}, {"ceiling", results.curve(posterior_run(scale), "all")}};
}

}  // namespace

Item fig_end_to_end() {
  return {"fig-end-to-end", "EA over the noise: RHT, Hough + argmax, VSmax", runs, content};
}

}  // namespace vsmax
