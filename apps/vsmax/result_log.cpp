// SPDX-License-Identifier: Apache-2.0
#include "result_log.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <cerrno>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include "logged_records.h"
#include "vsmax/base/error.h"

namespace vsmax::app {
namespace {

// Returns 0, or the error number if not everything could be written.
int write_all_of(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::write(file, text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno;
    text.remove_prefix(static_cast<std::size_t>(count));
  }
  return 0;
}

// EINVAL, ENOTSUP: the file, such as a pipe, does not support it; this is not a write failure.
bool sync(int file) { return ::fdatasync(file) == 0 || errno == EINVAL || errno == ENOTSUP; }

}  // namespace

ResultLog::ResultLog(const LogOptions& options) : name_(options.file), format_(options.format) {
  if (name_.empty() || name_ == "-") {
    name_ = "standard output";
  } else {
    open_file(options.resume);
    lock();
    if (options.resume && is_regular_) read_existing();
    if (options.retry_errors && failed_before_ > 0) remove_failures();
  }
  if (size_ == 0) append(header_of(format_));
}

ResultLog::~ResultLog() {
  if (is_ours_) ::close(file_);
}

bool ResultLog::has_terminal() const { return ::isatty(file_) != 0; }

void ResultLog::open_file(bool resume) {
  is_ours_ = true;
  file_ = ::open(name_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0666);
  if (file_ < 0 && errno == EEXIST) {
    struct stat present {};
    const bool is_known = ::stat(name_.c_str(), &present) == 0;
    if (is_known && S_ISREG(present.st_mode) && !resume)
      throw Error(name_ + ": exists already; continue it with --resume or choose another file");
    file_ = ::open(name_.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  }
  if (file_ < 0) fail_to_write(errno);
  struct stat status {};
  if (::fstat(file_, &status) != 0) fail_to_write(errno);
  is_regular_ = S_ISREG(status.st_mode);
}

// Two runs must not append to the same file. Some file systems do not support locks.
void ResultLog::lock() const {
  if (is_regular_ && ::flock(file_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
    throw Error(name_ + ": another process is writing to it");
}

void ResultLog::read_existing() {
  constexpr off_t kLongestRecord = off_t{1} << 20;
  LoggedRecords records(name_, format_);
  while (const auto record = records.next()) {
    images_.emplace(record->path);
    failed_before_ += record->failed ? 1 : 0;
  }
  size_ = records.complete_bytes();
  struct stat status {};
  if (::fstat(file_, &status) != 0) fail_to_write(errno);
  const off_t rest = status.st_size - static_cast<off_t>(size_);
  if (rest > kLongestRecord)
    throw Error(name_ + ": its last " + std::to_string(rest) + " bytes are not a record");
  if (rest > 0 && ::ftruncate(file_, static_cast<off_t>(size_)) != 0) fail_to_write(errno);
}

// Writes a second file without them and renames it, so that a crash leaves one or the other.
void ResultLog::remove_failures() {
  constexpr std::size_t kBuffer = std::size_t{1} << 20;
  const std::string target = std::filesystem::canonical(name_).string();  // keeps a symbolic link
  const std::string copy = target + ".tmp";
  const int old = std::exchange(
      file_, ::open(copy.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666));
  if (file_ < 0) fail_to_write(errno);
  lock();
  images_.clear();
  failed_before_ = 0;
  std::string kept = header_of(format_);
  size_ = 0;
  const auto give_up = [&](int code) {
    ::unlink(copy.c_str());
    fail_to_write(code);
  };
  const auto flush = [&] {
    if (const int code = write_all_of(file_, kept); code != 0) give_up(code);
    size_ += kept.size();
    kept.clear();
  };
  LoggedRecords records(name_, format_);
  while (const auto record = records.next()) {
    if (record->failed) continue;
    images_.emplace(record->path);
    kept += record->text;
    if (kept.size() > kBuffer) flush();
  }
  flush();
  if (!sync(file_) || ::rename(copy.c_str(), target.c_str()) != 0) give_up(errno);
  ::close(old);  // releases its lock only now that the locked replacement is in place
}

bool ResultLog::claim(const PathKey& image) { return !is_ours_ || images_.insert(image).second; }

void ResultLog::append(const std::string& record) {
  const int code = write_all_of(file_, record);
  if (code != 0) {
    // Only our own file is truncated: standard output may have other writers.
    if (is_regular_) static_cast<void>(::ftruncate(file_, static_cast<off_t>(size_)));
    fail_to_write(code);
  }
  size_ += record.size();
}

void ResultLog::finish() {
  if (is_ours_ && !sync(file_)) fail_to_write(errno);
}

void ResultLog::fail_to_write(int code) const {
  throw Error(name_ + ": cannot be written (" + std::generic_category().message(code) + ")");
}

}  // namespace vsmax::app
