// SPDX-License-Identifier: Apache-2.0
// Not in the paper: what it leaves open, chosen otherwise, one choice at a time.
#include <fmt/core.h>

#include <array>

#include "vsmax/experiments/item.h"

namespace vsmax {

namespace {

using Change = void (*)(TrainConfig&);

struct Choice {
  const char* method;
  const char* choice;
  const char* tag;  // between model and seed in the run's name
  Run (*usual)(const Scale&);
  Change change;
};

constexpr double kRhtWidth = 3.0;  // the paper's best

Run rht(const Scale& scale) { return rht_run(scale, kRhtWidth); }
Run softargmax(const Scale& scale) { return trained_run(scale, "softargmax-vs"); }
Run vsmax(const Scale& scale) { return trained_run(scale, "vsmax-vs"); }
Run vsmax_polar(const Scale& scale) { return trained_run(scale, "vsmax-polar"); }

void raw_votes(TrainConfig& config) { config.scale = 1.0; }
void wide_guard(TrainConfig& config) { config.eigen_guard = 0.1; }
void clean_images(TrainConfig& config) { config.sigma_max = 0.0; }

constexpr std::array<Choice, 4> kChoices{{
    {"VSmax + L_polar", "eigenvalue guard 0.1", "guard0.1", vsmax_polar, wide_guard},
    {"RHT", "trained on clean images", "clean", rht, clean_images},
    {"soft-argmax + L_vs", "votes not scaled", "raw", softargmax, raw_votes},
    {"VSmax + L_vs", "votes not scaled", "raw", vsmax, raw_votes},
}};

Run changed(const Choice& choice, const Scale& scale) {
  Run run = choice.usual(scale);
  choice.change(*run.training);
  const std::string seed = fmt::format("-s{}", scale.seed());
  run.name.insert(run.name.size() - seed.size(), fmt::format("-{}", choice.tag));
  run.map_sigmas.clear();
  return run;
}

std::vector<Run> runs(const Scale& scale) {
  std::vector<Run> list;
  for (const Choice& choice : kChoices) {
    list.push_back(choice.usual(scale));
    list.push_back(changed(choice, scale));
  }
  return list;
}

Json figures(const Run& run, const RunResults& results) {
  return {{"run", run.name},
          {"all", results.curve(run, "all")},
          {"seam", results.curve(run, "seam")},
          {"interior", results.curve(run, "interior")}};
}

Json content(const Scale& scale, const RunResults& results) {
  Json rows = Json::array();
  for (const Choice& choice : kChoices)
    rows.push_back({{"method", choice.method},
                    {"choice", choice.choice},
                    {"usual", figures(choice.usual(scale), results)},
                    {"changed", figures(changed(choice, scale), results)}});
  return {{"rows", rows}};
}

}  // namespace

Item table_choices() {
  return {"table-choices", "EA where a choice that the paper leaves open is made otherwise", runs,
          content};
}

}  // namespace vsmax
