// SPDX-License-Identifier: Apache-2.0
#include "vsmax/torch/train/run_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "vsmax/base/error.h"
#include "vsmax/io/file.h"

namespace vsmax {

namespace fs = std::filesystem;

namespace {

// Whether the file can be read and holds exactly these bytes.
bool holds(const std::string& path, const std::vector<std::uint8_t>& bytes) {
  if (!fs::exists(path)) return false;
  try {
    return read_file(path) == bytes;
  } catch (const Error&) {
    return false;
  }
}

// Removes the temporary files of killed runs (write_file_atomically's); because of the lock, no
// other run is alive.
void remove_leftovers(const std::string& folder) {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    const std::string name = entry.path().filename().string();
    if (name.rfind(".vsmax-", 0) == 0 && entry.path().extension() == ".tmp")
      fs::remove(entry.path(), ignored);
  }
}

}  // namespace

void refuse_existing_run(const std::string& path, bool resume) {
  const fs::path folder(path);
  for (const char* name :
       {RunFolder::kCheckpoint, RunFolder::kModel, RunFolder::kLog, RunFolder::kConfig})
    if (!resume && fs::exists(folder / name))
      throw Error((folder / name).string() +
                  ": exists already; use --resume to continue that run, or another --out");
  const fs::path checkpoint = folder / RunFolder::kCheckpoint;
  if (resume && fs::exists(folder / RunFolder::kModel) && !fs::exists(checkpoint))
    throw Error(checkpoint.string() +
                ": is missing, so there is nothing to resume, and a new run would overwrite the "
                "model beside it");
}

RunFolder::RunFolder(const std::string& path, bool resume) : path_(path) {
  refuse_existing_run(path, resume);
  make_folder(path);
  lock_ = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  // Training also works on a file system without locks.
  if (lock_ >= 0 && ::flock(lock_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    ::close(lock_);
    throw Error(path + ": another vsmax train is using this folder");
  }
}

RunFolder::~RunFolder() {
  if (lock_ >= 0) ::close(lock_);
}

std::string RunFolder::file(const char* name) const { return (fs::path(path_) / name).string(); }

std::optional<Checkpoint> RunFolder::load_checkpoint() const {
  if (!fs::exists(checkpoint_path())) return std::nullopt;
  return unpack_checkpoint(read_safetensors(checkpoint_path()), checkpoint_path());
}

void RunFolder::begin(const TrainConfig& config, const Checkpoint* checkpoint) const {
  remove_leftovers(path_);
  write_file_atomically(config_path(), config_text(config));
  trim_log(log_path(), checkpoint ? checkpoint->epoch : 0);
  if (!checkpoint) return;
  // The run may have been killed between writing the checkpoint and the model.
  const auto bytes = serialize_safetensors(checkpoint->best_weights);
  if (!holds(model_path(), bytes)) write_file_atomically(model_path(), bytes);
}

void RunFolder::save_epoch(const EpochRecord& record, const Checkpoint& checkpoint) const {
  append_line(log_path(), log_line(record));
  write_safetensors(checkpoint_path(), pack_checkpoint(checkpoint));
  if (record.best) write_safetensors(model_path(), checkpoint.best_weights);
}

}  // namespace vsmax
