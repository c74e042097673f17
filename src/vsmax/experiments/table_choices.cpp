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
  const char* model;
  const char* tag;  // between model and seed in the run's name
  Change change;
  bool all_seeds = false;
};

void raw_votes(TrainConfig& config) { config.scale = 1.0; }
void wide_guard(TrainConfig& config) { config.eigen_guard = 0.1; }
void clean_images(TrainConfig& config) { config.sigma_max = 0.0; }

constexpr std::array<Choice, 6> kChoices{{
    {"soft-argmax + L_vs", "votes not scaled", "softargmax-vs", "raw", raw_votes, true},
    {"VSmax + L_vs", "votes not scaled", "vsmax-vs", "raw", raw_votes, true},
    {"soft-argmax + L_polar", "votes not scaled", "softargmax-polar", "raw", raw_votes},
    {"VSmax + L_polar", "votes not scaled", "vsmax-polar", "raw", raw_votes},
    {"VSmax + L_polar", "eigenvalue guard 0.1", "vsmax-polar", "guard0.1", wide_guard},
    {"RHT", "trained on clean images", "rht", "clean", clean_images},
}};

Run usual(const Choice& choice, const Scale& scale, std::uint64_t seed) {
  constexpr double kRhtWidth = 3.0;  // the paper's best
  const std::string model = choice.model;
  return model == "rht" ? rht_run(scale, kRhtWidth) : trained_run(scale, model, seed);
}

Run changed(const Choice& choice, const Scale& scale, std::uint64_t seed) {
  Run run = usual(choice, scale, seed);
  choice.change(*run.training);
  const std::string ending = fmt::format("-s{}", seed);
  run.name.insert(run.name.size() - ending.size(), fmt::format("-{}", choice.tag));
  run.map_sigmas.clear();
  return run;
}

std::vector<Run> changed_runs(const Choice& choice, const Scale& scale) {
  std::vector<Run> list{changed(choice, scale, scale.seed())};
  if (choice.all_seeds)
    for (std::size_t i = 1; i < scale.seeds.size(); ++i)
      list.push_back(changed(choice, scale, scale.seeds[i]));
  return list;
}

std::vector<Run> runs(const Scale& scale) {
  std::vector<Run> list;
  for (const Choice& choice : kChoices) {
    list.push_back(usual(choice, scale, scale.seed()));
    for (Run& run : changed_runs(choice, scale)) list.push_back(std::move(run));
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
  for (const Choice& choice : kChoices) {
    const auto changed = changed_runs(choice, scale);
    rows.push_back({{"method", choice.method},
                    {"choice", choice.choice},
                    {"usual", figures(usual(choice, scale, scale.seed()), results)},
                    {"changed", figures(changed.front(), results)}});
    if (choice.all_seeds) rows.back()["seeds"] = results.means_at(changed, kTestSigma);
  }
  return {{"rows", rows}};
}

}  // namespace

Item table_choices() {
  return {"table-choices", "EA where a choice that the paper leaves open is made otherwise", runs,
          content};
}

}  // namespace vsmax
