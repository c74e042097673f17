// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "commands.h"
#include "vsmax/recover/model.h"

namespace vsmax::app {
namespace {

nlohmann::ordered_json score_json(const std::optional<double>& score) {
  return score ? nlohmann::ordered_json(*score) : nlohmann::ordered_json();
}

std::string score_text(const std::optional<double>& score) {
  return score ? fmt::format("{:.3f}", *score) : "-";
}

int list_models(bool as_json) {
  if (as_json) {
    auto list = nlohmann::ordered_json::array();
    for (const auto& model : builtin_models())
      list.push_back({{"name", model.name},
                      {"description", model.sentence},
                      {"ea_clean", score_json(model.clean_ea)},
                      {"ea_sigma_0.6", score_json(model.noisy_ea)}});
    fmt::print("{}\n", list.dump());
    return kSuccess;
  }
  fmt::print("{:<11} {:>8} {:>14}  {}\n", "model", "EA clean", "EA sigma 0.6", "description");
  for (const auto& model : builtin_models())
    fmt::print("{:<11} {:>8} {:>14}  {}\n", model.name, score_text(model.clean_ea),
               score_text(model.noisy_ea), model.sentence);
  fmt::print("\nA trained model is a .safetensors file: vsmax detect --model FILE IMAGE\n");
  return kSuccess;
}

}  // namespace

Command models_command(CLI::App& app) {
  auto* parser = app.add_subcommand("models", "List the built-in models and their accuracy");
  parser->footer("Example:\n  vsmax models\n\nThe EA-scores are those of 'vsmax evaluate'.");
  const auto as_json = std::make_shared<bool>(false);
  parser->add_flag("--json", *as_json, "Print JSON");
  return {parser, [as_json] { return list_models(*as_json); }};
}

}  // namespace vsmax::app
