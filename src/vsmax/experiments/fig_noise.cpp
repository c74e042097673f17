// SPDX-License-Identifier: Apache-2.0
// The paper's figure "noise": interior EA over the noise, three pipelines, two losses.
#include <array>

#include "vsmax/experiments/item.h"

namespace vsmax {

namespace {

struct Pipeline {
  const char* title;
  const char* name;
};

constexpr std::array<Pipeline, 3> kPipelines{
    {{"MLP", "mlp"}, {"soft-argmax", "softargmax"}, {"VSmax", "vsmax"}}};
constexpr std::array<const char*, 2> kLosses{"vs", "polar"};

Run run_with(const Scale& scale, const Pipeline& pipeline, const std::string& loss) {
  return trained_run(scale, std::string(pipeline.name) + "-" + loss);
}

std::vector<Run> runs(const Scale& scale) {
  std::vector<Run> list{posterior_run(scale)};
  for (const Pipeline& pipeline : kPipelines)
    for (const char* loss : kLosses) list.push_back(run_with(scale, pipeline, loss));
  return list;
}

Json content(const Scale& scale, const RunResults& results) {
  Json panels = Json::array();
  for (const Pipeline& pipeline : kPipelines) {
    Json curves = Json::array();
    for (const char* loss : kLosses) {
      Json curve{{"label", std::string("L_") + loss}};
      curve.update(results.curve(run_with(scale, pipeline, loss), "interior"));
      curves.push_back(curve);
    }
    panels.push_back({{"title", pipeline.title}, {"curves", curves}});
  }
  return {{"panels", panels}, {"ceiling", results.curve(posterior_run(scale), "interior")}};
}

}  // namespace

Item fig_noise() {
  return {"fig-noise", "Interior EA over the noise, with either loss", runs, content};
}

}  // namespace vsmax
