// SPDX-License-Identifier: Apache-2.0
#include "folder_walk.h"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <string_view>
#include <system_error>

namespace vsmax::app {
namespace {

bool is_image_name(const std::string& name) {
  constexpr std::array<std::string_view, 3> kEndings = {".png", ".jpg", ".jpeg"};
  std::string ending = std::filesystem::path(name).extension().string();
  for (char& c : ending)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return std::find(kEndings.begin(), kEndings.end(), ending) != kEndings.end();
}

}  // namespace

FolderWalk::FolderWalk(std::string folder) : root_(std::move(folder)) { enter(root_); }

std::optional<NamedImage> FolderWalk::next() {
  while (true) {
    if (failed_folder_) {
      is_empty_ = false;
      return std::exchange(failed_folder_, std::nullopt);
    }
    if (levels_.empty()) break;
    Level& level = levels_.back();
    if (level.entries.empty()) {
      levels_.pop_back();
      continue;
    }
    const Entry entry = std::move(level.entries.back());
    level.entries.pop_back();
    std::string path = (std::filesystem::path(level.folder) / entry.name).string();
    if (!entry.is_folder) {
      is_empty_ = false;
      return NamedImage{std::move(path), {}};
    }
    enter(std::move(path));
  }
  if (!std::exchange(is_empty_, false)) return std::nullopt;
  return NamedImage{root_, root_ + ": has no PNG or JPEG file"};
}

void FolderWalk::enter(std::string folder) {
  struct stat status {};
  std::error_code failure;
  if (::stat(folder.c_str(), &status) != 0) failure.assign(errno, std::generic_category());
  const std::pair id{status.st_dev, status.st_ino};
  const bool is_loop = std::any_of(levels_.begin(), levels_.end(),
                                   [&](const Level& level) { return level.id == id; });
  if (is_loop) return;
  std::vector<Entry> entries;
  if (!failure) {
    for (auto entry = std::filesystem::directory_iterator(folder, failure);
         !failure && entry != std::filesystem::directory_iterator(); entry.increment(failure)) {
      std::string name = entry->path().filename().string();
      if (name.front() == '.') continue;
      std::error_code dangling;  // a link to nowhere is left for the reader to report
      const auto type = entry->status(dangling).type();
      const bool is_folder = type == std::filesystem::file_type::directory;
      const bool is_file = type == std::filesystem::file_type::regular ||
                           type == std::filesystem::file_type::not_found;
      if (is_folder || (is_file && is_image_name(name)))
        entries.push_back({std::move(name), is_folder});
    }
  }
  if (failure)
    failed_folder_ = {folder, folder + ": the folder cannot be read (" + failure.message() + ")"};
  std::sort(entries.begin(), entries.end(),
            [](const Entry& a, const Entry& b) { return a.name > b.name; });
  levels_.push_back({std::move(folder), id, std::move(entries)});
}

}  // namespace vsmax::app
