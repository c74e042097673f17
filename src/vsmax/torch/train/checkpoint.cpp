// SPDX-License-Identifier: Apache-2.0
#include "vsmax/torch/train/checkpoint.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>

#include "vsmax/base/error.h"

namespace vsmax {
namespace {

constexpr const char* kFormatKey = "format";
constexpr const char* kFormat = "vsmax checkpoint 1";

constexpr const char* kWeights = "weights.";
constexpr const char* kBestWeights = "best_weights.";
constexpr const char* kMeans = "adamw.mean.";
constexpr const char* kSquares = "adamw.square.";
constexpr const char* kAverages = "adamw.average.";
constexpr const char* kSettings = "config.";
constexpr const char* kData = "run.data";            // absent without photographs
constexpr const char* kProcesses = "run.processes";  // absent for one process

std::string hex_text(double value) { return fmt::format("{:a}", value); }

void put_under(const std::string& prefix, const SafeTensors& from, SafeTensors& to) {
  for (const auto& [name, tensor] : from.tensors) to.tensors[prefix + name] = tensor;
  for (const auto& [key, value] : from.metadata) to.metadata[prefix + key] = value;
}

SafeTensors take_under(const std::string& prefix, const SafeTensors& from) {
  SafeTensors taken;
  for (const auto& [name, tensor] : from.tensors)
    if (name.rfind(prefix, 0) == 0) taken.tensors[name.substr(prefix.size())] = tensor;
  for (const auto& [key, value] : from.metadata)
    if (key.rfind(prefix, 0) == 0) taken.metadata[key.substr(prefix.size())] = value;
  taken.checksum_verified = from.checksum_verified;
  return taken;
}

// Numbered with leading zeros, so that the order of the names is the order of the list.
std::string numbered(const std::string& prefix, std::size_t index) {
  return fmt::format("{}{:05}", prefix, index);
}

class Reader {
 public:
  Reader(const SafeTensors& file, const std::string& name) : file_(file), name_(name) {}

  const std::string& text(const std::string& key) const {
    const auto found = file_.metadata.find(key);
    if (found == file_.metadata.end())
      throw Error(fmt::format("{}: the checkpoint lacks '{}'", name_, key));
    return found->second;
  }

  template <class Integer>
  Integer integer(const std::string& key) const {
    const std::string& written = text(key);
    const char* end = written.data() + written.size();
    Integer value{};
    const auto [stop, status] = std::from_chars(written.data(), end, value);
    if (status != std::errc() || stop != end || value < 0) reject(key, written);
    return value;
  }

  double real(const std::string& key) const {
    const std::string& written = text(key);
    char* stop = nullptr;
    const double value = std::strtod(written.c_str(), &stop);
    if (written.empty() || *stop != '\0') reject(key, written);
    return value;
  }

  std::vector<Tensor> list(const std::string& prefix) const {
    std::vector<Tensor> tensors;
    for (std::size_t i = 0;; ++i) {
      const auto found = file_.tensors.find(numbered(prefix, i));
      if (found == file_.tensors.end()) return tensors;
      tensors.push_back(found->second);
    }
  }

 private:
  [[noreturn]] void reject(const std::string& key, const std::string& written) const {
    throw Error(fmt::format("{}: the checkpoint's {} is '{}', which is not a valid number", name_,
                            key, written));
  }

  const SafeTensors& file_;
  const std::string& name_;
};

}  // namespace

SafeTensors pack_checkpoint(const Checkpoint& checkpoint) {
  SafeTensors file;
  file.metadata = {
      {kFormatKey, kFormat},
      {"epoch", std::to_string(checkpoint.epoch)},
      {"adamw.step", std::to_string(checkpoint.optimiser.step)},
      {"schedule.learning_rate", hex_text(checkpoint.schedule.learning_rate)},
      {"schedule.best", hex_text(checkpoint.schedule.best)},
      {"schedule.bad_epochs", std::to_string(checkpoint.schedule.bad_epochs)},
      {"early_stopping.best", hex_text(checkpoint.early_stopping.best)},
      {"early_stopping.waited", std::to_string(checkpoint.early_stopping.waited)},
      {"best.epoch", std::to_string(checkpoint.best_epoch)},
      {"best.loss", hex_text(checkpoint.best_loss)},
      {"run.device", checkpoint.device},
      {"run.threads", std::to_string(checkpoint.threads)},
  };
  if (!checkpoint.data.empty()) file.metadata[kData] = checkpoint.data;
  if (checkpoint.processes > 1) file.metadata[kProcesses] = std::to_string(checkpoint.processes);
  for (const auto& [key, value] : checkpoint.settings) file.metadata[kSettings + key] = value;
  put_under(kWeights, checkpoint.weights, file);
  // The newest weights are usually the best ones; then, without an average, one copy is enough.
  if (checkpoint.best_epoch != checkpoint.epoch || !checkpoint.optimiser.averages.empty())
    put_under(kBestWeights, checkpoint.best_weights, file);
  for (std::size_t i = 0; i < checkpoint.optimiser.means.size(); ++i) {
    file.tensors[numbered(kMeans, i)] = checkpoint.optimiser.means[i];
    file.tensors[numbered(kSquares, i)] = checkpoint.optimiser.squares[i];
  }
  for (std::size_t i = 0; i < checkpoint.optimiser.averages.size(); ++i)
    file.tensors[numbered(kAverages, i)] = checkpoint.optimiser.averages[i];
  return file;
}

Checkpoint unpack_checkpoint(const SafeTensors& file, const std::string& name) {
  const auto format = file.metadata.find(kFormatKey);
  if (format == file.metadata.end() || format->second != kFormat)
    throw Error(fmt::format("{}: is not a checkpoint of this version of vsmax", name));
  if (!file.checksum_verified)
    throw Error(fmt::format("{}: the checkpoint has lost its checksum", name));
  const Reader reader(file, name);
  Checkpoint checkpoint;
  checkpoint.epoch = reader.integer<int>("epoch");
  checkpoint.optimiser = {reader.integer<std::int64_t>("adamw.step"), reader.list(kMeans),
                          reader.list(kSquares), reader.list(kAverages)};
  checkpoint.schedule = {reader.real("schedule.learning_rate"), reader.real("schedule.best"),
                         reader.integer<int>("schedule.bad_epochs")};
  checkpoint.early_stopping = {reader.real("early_stopping.best"),
                               reader.integer<int>("early_stopping.waited")};
  checkpoint.best_epoch = reader.integer<int>("best.epoch");
  checkpoint.best_loss = reader.real("best.loss");
  checkpoint.device = reader.text("run.device");
  checkpoint.threads = reader.integer<int>("run.threads");
  if (file.metadata.contains(kData)) checkpoint.data = reader.text(kData);
  if (file.metadata.contains(kProcesses)) checkpoint.processes = reader.integer<int>(kProcesses);
  checkpoint.weights = take_under(kWeights, file);
  const bool one_copy =
      checkpoint.best_epoch == checkpoint.epoch && checkpoint.optimiser.averages.empty();
  checkpoint.best_weights = one_copy ? checkpoint.weights : take_under(kBestWeights, file);
  const SafeTensors settings = take_under(kSettings, file);
  checkpoint.settings.assign(settings.metadata.begin(), settings.metadata.end());
  return checkpoint;
}

void require_same_settings(const Checkpoint& checkpoint, const TrainConfig& config,
                           const std::string& name) {
  // Some settings are written only where they differ from their default.
  const auto value_in = [](const Settings& settings, const std::string& key) -> std::string {
    for (const auto& [other, value] : settings)
      if (other == key) return value;
    return "unset";
  };
  const Settings now = settings_of(config);
  for (const Settings* settings : {&now, &checkpoint.settings})
    for (const auto& [key, ignored] : *settings) {
      const std::string before = value_in(checkpoint.settings, key);
      const std::string value = value_in(now, key);
      if (before != value && key != kMaxEpochsKey)
        throw Error(fmt::format("{}: belongs to a run with {} {}, but this configuration has {}",
                                name, key, before, value));
    }
}

}  // namespace vsmax
