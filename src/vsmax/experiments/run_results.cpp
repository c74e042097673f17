// SPDX-License-Identifier: Apache-2.0
#include "vsmax/experiments/run_results.h"

#include <filesystem>

#include "vsmax/base/error.h"
#include "vsmax/io/file.h"

namespace vsmax {

namespace {

const Json* entry_at(const Json& entries, double sigma) {
  for (const Json& entry : entries)
    if (entry.at("sigma").get<double>() == sigma) return &entry;
  return nullptr;
}

}  // namespace

bool RunResults::load(const Run& run) {
  if (!std::filesystem::exists(path(run))) return false;
  const auto bytes = read_file(path(run));
  Json result = Json::parse(bytes.begin(), bytes.end(), nullptr, false);
  if (!result.is_object() || !result.contains("hash") || !result.contains("evaluation"))
    throw Error(path(run) + ": is not the result of a run; remove it to have it made again");
  if (result["hash"] != run.hash()) return false;
  results_[run.name] = std::move(result);
  return true;
}

void RunResults::save(const Run& run, Json result) {
  std::filesystem::create_directories(folder_);
  write_file_atomically(path(run), result.dump() + "\n");
  results_[run.name] = std::move(result);
}

const Json* RunResults::find(const Run& run) const {
  const auto place = results_.find(run.name);
  return place == results_.end() ? nullptr : &place->second;
}

Json RunResults::scores_at(const Run& run, double sigma) const {
  const Json* result = find(run);
  if (result == nullptr) return nullptr;
  const Json* entry = entry_at(result->at("evaluation").at("results"), sigma);
  if (entry == nullptr) return nullptr;
  return {
      {"all", entry->at("all")}, {"seam", entry->at("seam")}, {"interior", entry->at("interior")}};
}

Json RunResults::means_at(const std::vector<Run>& runs, double sigma) const {
  Json means = Json::array();
  for (const Run& run : runs) {
    const Json scores = scores_at(run, sigma);
    if (scores.is_null()) continue;
    means.push_back({{"seed", run.training->seed},
                     {"run", run.name},
                     {"all", scores["all"]["mean"]},
                     {"seam", scores["seam"]["mean"]},
                     {"interior", scores["interior"]["mean"]}});
  }
  return means;
}

Json RunResults::cells_at(const Run& run, double sigma) const {
  const Json* result = find(run);
  if (result == nullptr) return nullptr;
  const Json* entry = entry_at(result->at("maps"), sigma);
  return entry == nullptr ? Json(nullptr) : entry->at("cells");
}

Json RunResults::curve(const Run& run, const std::string& lines) const {
  Json curve{{"run", run.name}, {"sigma", Json::array()}, {"mean", Json::array()}};
  if (const Json* result = find(run))
    for (const Json& entry : result->at("evaluation").at("results")) {
      curve["sigma"].push_back(entry.at("sigma"));
      curve["mean"].push_back(entry.at(lines).at("mean"));
    }
  return curve;
}

}  // namespace vsmax
