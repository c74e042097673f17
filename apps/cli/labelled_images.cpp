// SPDX-License-Identifier: Apache-2.0
#include "cli/labelled_images.h"

#include <fmt/core.h>

#include "cli/commands.h"

namespace vsmax::app {

CLI::Option* LabelledImageOptions::declare(CLI::App& parser, const std::string& protocols,
                                           const std::vector<std::string>& names,
                                           const std::vector<std::string>& excluded) {
  auto* folder = parser.add_option("--data", data, "Score on the labelled images of this folder")
                     ->check(not_empty())
                     ->group(kGroup);
  auto* choice = parser.add_option("--protocol", protocol, protocols)
                     ->check(one_of(names))
                     ->needs(folder)
                     ->group(kGroup);
  folder->needs(choice);
  for (const std::string& other : excluded) folder->excludes(parser.get_option(other));
  auto* number = parser.add_option("--folds", folds, "Divide the images into N contiguous folds")
                     ->transform(whole(1, kAnyInt))
                     ->needs(folder)
                     ->group(kGroup);
  auto* part = parser.add_option("--fold", fold, "Score only fold K of them, from 1 to N")
                   ->transform(whole(1, kAnyInt))
                   ->needs(number)
                   ->group(kGroup);
  number->needs(part);
  return folder;
}

LabelledFolder LabelledImageOptions::images() const {
  if (fold > folds)
    throw UsageError(fmt::format("--fold is {}, but --folds is {}: it must be from 1 to {}", fold,
                                 folds, folds));
  LabelledFolder folder = read_labelled_folder(data);
  if (folds > 0) folder = only_fold(folder, fold, folds);
  keep_lines(folder, protocol_named(protocol));
  return folder;
}

void LabelledImageOptions::describe(nlohmann::ordered_json& json) const {
  json["data"] = data;
  json["protocol"] = protocol;
  if (folds == 0) return;
  json["fold"] = fold;
  json["folds"] = folds;
}

}  // namespace vsmax::app
