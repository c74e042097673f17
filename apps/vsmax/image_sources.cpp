// SPDX-License-Identifier: Apache-2.0
#include "image_sources.h"

#include <glob.h>

#include <filesystem>
#include <system_error>
#include <utility>

namespace vsmax::app {
namespace {

bool is_folder(const std::string& path) {
  std::error_code failure;
  return path != "-" && std::filesystem::is_directory(path, failure);
}

// An existing file whose name contains such characters is that file.
bool is_pattern(const std::string& path) {
  std::error_code failure;
  return path.find_first_of("*?[{") != std::string::npos &&
         !std::filesystem::exists(std::filesystem::symlink_status(path, failure));
}

// What the shell would expand the unquoted pattern to; empty if nothing matches.
std::vector<std::string> matches_of(const std::string& pattern) {
  std::vector<std::string> matches;
  glob_t found{};
  if (glob(pattern.c_str(), GLOB_BRACE, nullptr, &found) == 0)
    matches.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  globfree(&found);
  return matches;
}

}  // namespace

bool ImageRequest::is_single() const {
  return list.empty() && arguments.size() == 1 && !is_folder(arguments.front()) &&
         !is_pattern(arguments.front());
}

ImageSource::ImageSource(const ImageRequest& request)
    : pending_(request.arguments.rbegin(), request.arguments.rend()) {
  if (!request.list.empty()) list_.emplace(request.list, request.null_separated ? '\0' : '\n');
}

std::optional<NamedImage> ImageSource::next() {
  while (true) {
    if (folder_) {
      if (auto image = folder_->next()) return image;
      folder_.reset();
    }
    if (pending_.empty()) break;
    std::string argument = std::move(pending_.back());
    pending_.pop_back();
    if (is_folder(argument)) {
      folder_.emplace(std::move(argument));
    } else if (is_pattern(argument)) {
      const auto matches = matches_of(argument);
      if (matches.empty()) return NamedImage{argument, argument + ": no file matches the pattern"};
      pending_.insert(pending_.end(), matches.rbegin(), matches.rend());
    } else {
      return NamedImage{std::move(argument), {}};
    }
  }
  if (!list_) return std::nullopt;
  auto path = list_->next();
  if (!path) return std::nullopt;
  return NamedImage{*path == "-" ? "./-" : std::move(*path), {}};  // a file, not standard input
}

}  // namespace vsmax::app
