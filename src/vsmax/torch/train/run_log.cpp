// SPDX-License-Identifier: Apache-2.0
#include "vsmax/torch/train/run_log.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
#include <system_error>

#include "vsmax/base/error.h"
#include "vsmax/io/file.h"

namespace vsmax {
namespace {

bool write_all(int file, const std::string& text) {
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t count = ::write(file, text.data() + done, text.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return false;
    done += static_cast<std::size_t>(count);
  }
  return ::fsync(file) == 0 || errno == EINVAL;  // EINVAL: a file system that cannot sync
}

// Whether a line is a whole record of an epoch up to `last`.
bool kept(const std::string& line, int last) {
  const auto record = nlohmann::json::parse(line, nullptr, false);
  if (!record.is_object() || !record.contains("epoch")) return false;
  const auto& epoch = record["epoch"];
  return epoch.is_number_integer() && epoch.get<std::int64_t>() <= last;
}

}  // namespace

std::string source_commit() { return VSMAX_COMMIT; }

void write_outcome(const std::string& folder, const OutcomeRecord& record) {
  const nlohmann::ordered_json json{{"end", record.end},
                                    {"epochs", record.epochs},
                                    {"best_epoch", record.best_epoch},
                                    {"validation_loss", record.validation_loss},
                                    {"device", record.device},
                                    {"torch", record.torch},
                                    {"commit", record.commit}};
  write_file_atomically(folder + "/outcome.json", json.dump() + "\n");
}

std::string log_line(const EpochRecord& record) {
  return nlohmann::ordered_json{{"epoch", record.epoch},
                                {"train_loss", record.train_loss},
                                {"validation_loss", record.validation_loss},
                                {"lr", record.learning_rate},
                                {"seconds", record.seconds},
                                {"images_per_second", record.images_per_second},
                                {"best", record.best}}
      .dump();
}

void append_line(const std::string& path, const std::string& line) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  struct stat before {};
  const bool open = file >= 0 && ::fstat(file, &before) == 0;
  const bool written = open && write_all(file, line + "\n");
  const int reason = errno;
  if (open && !written) static_cast<void>(::ftruncate(file, before.st_size) == 0);
  if (file >= 0) ::close(file);
  if (!written)
    throw Error(path + ": cannot be written (" + std::generic_category().message(reason) + ")");
}

void trim_log(const std::string& path, int epoch) {
  if (!std::filesystem::exists(path)) return;
  const auto bytes = read_file(path);
  const std::string before(bytes.begin(), bytes.end());
  std::istringstream lines(before);
  std::string after;
  for (std::string line; std::getline(lines, line);)
    if (kept(line, epoch)) after += line + "\n";
  if (after != before) write_file_atomically(path, after);
}

}  // namespace vsmax
