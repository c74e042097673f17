// SPDX-License-Identifier: Apache-2.0
#include "vsmax/experiments/run_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <span>

#include "vsmax/base/error.h"
#include "vsmax/io/file.h"
#include "vsmax/io/safetensors.h"
#include "vsmax/torch/train/run_log.h"

namespace vsmax {
namespace {

// Reads a file that `vsmax train` or `vsmax evaluate` wrote.
Json json_of(const std::string& path) {
  std::ifstream file(path);
  Json json = Json::parse(file, nullptr, false);
  if (!json.is_object()) throw Error(path + ": is missing or damaged");
  return json;
}

// The complete records of log.jsonl.
std::vector<Json> epochs_of(const std::string& path) {
  std::vector<Json> records;
  std::ifstream lines(path);
  for (std::string line; std::getline(lines, line);) {
    Json record = Json::parse(line, nullptr, false);
    if (record.is_object()) records.push_back(std::move(record));
  }
  return records;
}

// Four decimals are enough for a picture and halve the file.
double rounded(double value) {
  constexpr double kDecimals = 1e4;
  return std::round(value * kDecimals) / kDecimals;
}

void round_cells(Json& cells) {
  for (Json& row : cells)
    for (Json& cell : row)
      if (cell.is_number()) cell = rounded(cell.get<double>());
}

// For every angle of a map: the mean EA, the share of lost lines and the number of lines.
Json angles_of(const Json& map) {
  constexpr double kLost = 0.4;
  Json angles{{"sigma", map.at("sigma")}};
  for (const Json& row : map.at("cells")) {
    double sum = 0.0;
    double lost = 0.0;
    int count = 0;
    for (const Json& cell : row) {
      if (!cell.is_number()) continue;
      sum += cell.get<double>();
      lost += cell.get<double>() < kLost ? 1.0 : 0.0;
      ++count;
    }
    angles["mean"].push_back(count > 0 ? rounded(sum / count) : 0.0);
    angles["lost"].push_back(count > 0 ? rounded(lost / count) : 0.0);
    angles["count"].push_back(count);
  }
  return angles;
}

// Everything in a weights file except the statistics of batch normalisation.
std::size_t parameter_count(const SafeTensors& file) {
  std::size_t count = 0;
  for (const auto& [name, tensor] : file.tensors)
    if (name.find("running_") == std::string::npos) count += tensor.values.size();
  return count;
}

using Words = std::vector<std::string>;  // of a command line

void add(Words& words, const Words& more) { words.insert(words.end(), more.begin(), more.end()); }

Words options_of(const LineTest& test) {
  const auto& [width, visible, dark] = test.stroke;
  Words words;
  if (width != 1.0) add(words, {"--line-width", fmt::format("{}", width)});
  if (visible != 1.0) add(words, {"--line-visible", fmt::format("{}", visible)});
  if (dark) words.emplace_back("--line-dark");
  if (test.continuous) add(words, {"--lines", "continuous"});
  if (test.sample > 0) add(words, {"--sample", std::to_string(test.sample)});
  return words;
}

}  // namespace

RunJob::RunJob(const Run& run, const RunTools& tools, double seconds)
    : run_(run), tools_(tools), folder_(tools.work_folder + "/" + run.name + "-" + run.hash()) {
  std::filesystem::create_directories(folder_);
  if (run_.training && !is_trained())
    start_training(seconds);
  else
    start_evaluation();
}

bool RunJob::is_trained() const {
  if (!std::filesystem::exists(file("outcome.json"))) return false;
  const std::string end = json_of(file("outcome.json")).value("end", "");
  const bool whole = end == "early stopping" || end == "all epochs";
  return whole && std::filesystem::exists(file("model.safetensors"));
}

void RunJob::start(const std::vector<std::string>& arguments) {
  process_ = std::make_unique<ChildProcess>(arguments, file("output.txt"));
}

void RunJob::start_training(double seconds) {
  state_ = State::kTraining;
  write_file_atomically(file("run.yaml"), config_text(*run_.training));
  const std::string threads = std::to_string(tools_.threads);
  Words words{tools_.vsmax_torch, "train", file("run.yaml"), "--resume", "--out"};
  add(words, {folder_, "--device", tools_.device, "--threads", threads});
  if (run_.photos) add(words, {"--data", photo_folder()});
  if (std::isfinite(seconds))
    add(words, {"--time-limit", fmt::format("{:.1f}", std::max(seconds, 1.0))});
  start(words);
}

void RunJob::start_evaluation() {
  state_ = State::kEvaluating;
  const std::string threads = std::to_string(tools_.threads);
  Words words{run_.training ? tools_.vsmax_torch : tools_.vsmax, "evaluate", "--threads", threads};
  if (run_.photos) {
    const PhotoData& data = run_.training->photos;
    add(words, {"--data", photo_folder(), "--protocol", run_.photos->protocol});
    add(words, {"--fold", std::to_string(data.fold), "--folds", std::to_string(data.folds)});
    if (run_.photos->rotations > 0)
      add(words, {"--rotations", std::to_string(run_.photos->rotations)});
  } else {
    add(words, {"--sigma", fmt::format("{}", fmt::join(run_.sigmas, ","))});
    add(words, {"--seed", std::to_string(run_.test_seed)});
  }
  add(words, {"--scores", file("scores.json"), "--model"});
  if (run_.training) {
    const std::string precision = run_.training->bfloat16 ? "bfloat16" : "float32";
    add(words, {file("model.safetensors"), "--device", tools_.device, "--precision", precision});
  } else {
    const std::string bins = fmt::format("{}x{}", run_.grid.thetas(), run_.grid.rhos());
    const auto [width, height] = run_.grid.frame();
    words.push_back(run_.model);
    if (run_.model != "paper")  // which has weights, and so a grid of its own
      add(words, {"--line-grid", bins, "--size", fmt::format("{}x{}", width, height)});
    if (run_.model == "argmax") add(words, {"--grid", bins});
    add(words, options_of(run_.test));
  }
  start(words);
}

RunJob::State RunJob::advance() {
  const bool active = state_ == State::kTraining || state_ == State::kEvaluating;
  if (active)
    if (const auto code = process_->exit_code()) state_ = *code == 0 ? step() : State::kFailed;
  return state_;
}

RunJob::State RunJob::step() {
  if (state_ == State::kEvaluating) return State::kDone;
  const std::string end = json_of(file("outcome.json")).value("end", "");
  if (end == "time limit") return State::kOutOfTime;
  start_evaluation();
  return State::kEvaluating;
}

std::string RunJob::progress() const {
  if (state_ == State::kEvaluating) return "evaluating";
  const auto epochs = epochs_of(file("log.jsonl"));
  if (epochs.empty()) return "starting";
  return fmt::format("epoch {}, validation {:.4g}", epochs.back().value("epoch", 0),
                     epochs.back().value("validation_loss", 0.0));
}

Json RunJob::result() const {
  Json scores = json_of(file("scores.json"));
  Json result{{"format", 1}, {"name", run_.name}, {"hash", run_.hash()}};
  if (run_.training) {
    Json settings = Json::object();
    for (const auto& [key, value] : settings_of(*run_.training)) settings[key] = value;
    result["configuration"] = settings;
    result.update(json_of(file("outcome.json")));
    result["parameters"] = parameter_count(read_safetensors(file("model.safetensors")));
    double seconds = 0.0;
    for (const Json& epoch : epochs_of(file("log.jsonl"))) seconds += epoch.value("seconds", 0.0);
    result["seconds"] = std::round(seconds * 10.0) / 10.0;
  } else {
    result["configuration"] = {{"model", run_.model}};
    result["device"] = "cpu";
    result["commit"] = source_commit();
  }
  if (run_.photos) {
    for (const char* part : {"model", "name", "data"}) scores.erase(part);
    scores["data"] = run_.photos->folder;
    result["evaluation"] = scores;
    return result;
  }
  for (const char* size : {"W", "H", "T", "R"}) result[size] = scores.at(size);
  result["evaluation"] = {{"lines", scores.at("lines")}, {"seed", scores.at("seed")}};
  for (const char* part : {"results", "maximum", "barycentre"})
    if (scores.contains(part)) result["evaluation"][part] = scores[part];
  result["maps"] = Json::array();
  for (Json& map : scores.at("maps")) {
    result["angles"].push_back(angles_of(map));
    const double sigma = map.at("sigma");
    if (std::count(run_.map_sigmas.begin(), run_.map_sigmas.end(), sigma) == 0) continue;
    round_cells(map.at("cells"));
    result["maps"].push_back(map);
  }
  return result;
}

void RunJob::keep_log(const std::string& out) const {
  if (!run_.training) return;
  std::filesystem::create_directories(out + "/logs");
  write_file_atomically(out + "/logs/" + run_.name + ".jsonl",
                        std::span<const std::uint8_t>(read_file(file("log.jsonl"))));
}

void RunJob::clean_up() const {
  std::error_code ignored;
  std::filesystem::remove(file("checkpoint.safetensors"), ignored);
}

}  // namespace vsmax
