// SPDX-License-Identifier: Apache-2.0
#include "vsmax/io/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <system_error>
#include <utility>

#include "vsmax/base/error.h"

namespace vsmax {
namespace {

// Far more than any file we read; it stops an endless pipe before memory runs out.
constexpr std::size_t kMaxFileBytes = std::size_t{1} << 30;
constexpr std::size_t kFirstChunk = std::size_t{1} << 16;
constexpr int kNameAttempts = 1000;

[[noreturn]] void fail(const std::string& path, const char* what, int code) {
  throw Error(path + ": " + what + " (" + std::generic_category().message(code) + ")");
}

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() { close(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  int get() const { return fd_; }
  bool close() {
    const int fd = std::exchange(fd_, -1);
    return fd < 0 || ::close(fd) == 0;
  }

 private:
  int fd_;
};

std::vector<std::uint8_t> read_all(int fd, const std::string& path) {
  struct stat status {};
  if (::fstat(fd, &status) != 0) fail(path, "cannot be read", errno);
  if (S_ISDIR(status.st_mode)) throw Error(path + ": is a directory, not a file");

  // The size is only a hint (pipes have none); the extra byte leaves room to detect the end.
  const auto size_hint = static_cast<std::size_t>(std::max<off_t>(status.st_size, 0));
  std::vector<std::uint8_t> bytes(std::max(kFirstChunk, std::min(size_hint, kMaxFileBytes) + 1));
  std::size_t used = 0;
  while (true) {
    const ssize_t count = ::read(fd, bytes.data() + used, bytes.size() - used);
    // A signal handler that wants the read to continue sets SA_RESTART.
    if (count < 0) fail(path, "cannot be read", errno);
    if (count == 0) break;
    used += static_cast<std::size_t>(count);
    if (used > kMaxFileBytes) {
      throw Error(path + ": longer than the limit of " + std::to_string(kMaxFileBytes) + " bytes");
    }
    if (used == bytes.size()) bytes.resize(2 * used);
  }
  bytes.resize(used);
  return bytes;
}

void write_all(int fd, std::span<const std::uint8_t> bytes, const std::string& path) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(fd, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail(path, "cannot be written", errno);
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
}

// A file in `folder` that disappears unless it is renamed to its final place.
class TemporaryFile {
 public:
  TemporaryFile(const std::filesystem::path& folder, const std::string& path)
      : path_(path), name_(unused_name(folder)), file_(create()) {}
  ~TemporaryFile() {
    if (!renamed_) ::unlink(name_.c_str());
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  void write(std::span<const std::span<const std::uint8_t>> parts) {
    for (const auto& part : parts) write_all(file_.get(), part, path_);
    // EINVAL: the file system cannot sync, which is not a failure to write.
    if (::fsync(file_.get()) != 0 && errno != EINVAL) fail(path_, "cannot be written", errno);
    if (!file_.close()) fail(path_, "cannot be written", errno);  // some systems report only here
  }
  void rename_to(const std::filesystem::path& target) {
    if (::rename(name_.c_str(), target.c_str()) != 0) fail(path_, "cannot be written", errno);
    renamed_ = true;
  }

 private:
  // Does not contain the target's name, which may already have the maximum length.
  static std::string unused_name(const std::filesystem::path& folder) {
    static std::atomic<unsigned> counter{0};
    return (folder /
            (".vsmax-" + std::to_string(::getpid()) + "-" + std::to_string(counter++) + ".tmp"))
        .string();
  }
  int create() {
    // A crashed process with our id may have left temporary files behind: try the next name.
    int code = EEXIST;
    for (int attempt = 0; attempt < kNameAttempts && code == EEXIST; ++attempt) {
      if (attempt > 0) name_ = unused_name(std::filesystem::path(name_).parent_path());
      const int fd = ::open(name_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
      if (fd >= 0) return fd;
      code = errno;
    }
    fail(path_, "cannot be written", code);
  }

  const std::string& path_;  // the final one, for messages
  std::string name_;
  Descriptor file_;
  bool renamed_ = false;
};

// Where the bytes really go: renaming onto a link would replace the link instead of the file.
std::filesystem::path resolve_target(const std::string& path) {
  std::error_code missing;
  std::filesystem::path resolved = std::filesystem::canonical(path, missing);
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode)) {
    // Renaming over /dev/null, say, would ruin the machine.
    throw Error(path + (S_ISDIR(status.st_mode) ? ": is a directory, not a file"
                                                : ": cannot be written (not a regular file)"));
  }
  if (!missing) return resolved;
  std::error_code no_link;
  const auto target = std::filesystem::read_symlink(path, no_link);
  // A link to a file that does not exist yet; links in a circle lead nowhere.
  if (!no_link && missing == std::errc::no_such_file_or_directory)
    return resolve_target((std::filesystem::path(path).parent_path() / target).string());
  return path;
}

std::filesystem::path folder_of(const std::filesystem::path& target) {
  return target.has_parent_path() ? target.parent_path() : ".";
}

}  // namespace

std::vector<std::uint8_t> read_file(const std::string& path) {
  if (path == "-") return read_all(STDIN_FILENO, path);
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) fail(path, "cannot be read", errno);
  return read_all(file.get(), path);
}

void make_folder(const std::string& path) {
  std::error_code failure;
  if (std::filesystem::exists(path, failure) && !std::filesystem::is_directory(path, failure))
    throw Error(path + ": is a file, not a folder");
  std::filesystem::create_directories(path, failure);
  if (failure) throw Error(path + ": cannot be created (" + failure.message() + ")");
}

void require_writable(const std::string& path, const std::vector<std::string>& inputs) {
  if (path == "-") return;
  std::error_code unknown;
  const auto output = std::filesystem::weakly_canonical(path, unknown);
  for (const std::string& input : inputs) {
    if (input.empty()) continue;
    auto part = output;
    const auto kept = std::filesystem::weakly_canonical(input, unknown);
    while (part != kept && part.has_relative_path()) part = part.parent_path();
    if (part == kept && part == output)
      throw Error(path +
                  ": is an input of this command and would be replaced; choose another file");
    if (part == kept && std::filesystem::is_directory(kept, unknown))
      throw Error(path + ": lies in " + input + ", which this command only reads; choose another " +
                  "place");
  }
  const TemporaryFile trial(folder_of(resolve_target(path)), path);
}

void write_parts_atomically(const std::string& path,
                            std::span<const std::span<const std::uint8_t>> parts) {
  if (path == "-") {
    for (const auto& part : parts) write_all(STDOUT_FILENO, part, path);
    return;
  }
  const std::filesystem::path target = resolve_target(path);
  const std::filesystem::path folder = folder_of(target);
  TemporaryFile temporary(folder, path);
  temporary.write(parts);
  temporary.rename_to(target);
  // Makes the new name survive a power cut. The content is in place already, so a folder that
  // cannot be synced is not reported.
  const Descriptor directory(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (directory.get() >= 0) static_cast<void>(::fsync(directory.get()));
}

void write_file_atomically(const std::string& path, std::span<const std::uint8_t> bytes) {
  write_parts_atomically(path, std::span(&bytes, 1));
}

void write_file_atomically(const std::string& path, const std::string& text) {
  write_file_atomically(path, {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
}

}  // namespace vsmax
