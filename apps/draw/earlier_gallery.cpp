// SPDX-License-Identifier: Apache-2.0
#include "draw/earlier_gallery.h"

#include <regex>
#include <system_error>

#include "vsmax/base/error.h"
#include "vsmax/io/file.h"

namespace vsmax::drawing {

bool is_gallery_page(const std::string& page) {
  return page.find("<meta name=\"generator\" content=\"vsmax\"/>") != std::string::npos;
}

// An image name cannot match this pattern: its angle brackets are escaped.
std::vector<std::string> pictures_of_page(const std::string& page) {
  static const std::regex row("<td><a href=\"(pictures/[0-9]{5,}\\.png)\"><img src=\"\\1\" ");
  std::vector<std::string> pictures;
  for (std::sregex_iterator match(page.begin(), page.end(), row), end; match != end; ++match)
    pictures.push_back((*match)[1]);
  return pictures;
}

EarlierGallery::EarlierGallery(const std::filesystem::path& folder) : folder_(folder) {
  const std::filesystem::path page = folder / "index.html";
  std::error_code failure;
  if (!std::filesystem::is_regular_file(page, failure)) return;
  const auto bytes = read_file(page.string());
  const std::string text(bytes.begin(), bytes.end());
  pictures_ = pictures_of_page(text);
  exists_ = is_gallery_page(text);
  if (!exists_)
    throw Error(page.string() + ": was not written by a gallery; choose another folder");
  written_ = std::filesystem::last_write_time(page, failure);
}

// A page is written after its pictures, so a newer file is somebody else's.
bool EarlierGallery::is_ours(const std::filesystem::path& file) const {
  std::error_code failure;
  return std::filesystem::is_regular_file(std::filesystem::symlink_status(file, failure)) &&
         std::filesystem::last_write_time(file, failure) <= written_;
}

std::vector<std::string> EarlierGallery::files() const {
  std::vector<std::string> files;
  for (const auto& picture : pictures_)
    if (is_ours(folder_ / picture)) files.push_back((folder_ / picture).string());
  return files;
}

void EarlierGallery::remove_all_but(const std::set<std::string>& kept) const {
  for (const auto& picture : pictures_) {
    const std::filesystem::path file = folder_ / picture;
    if (kept.count(picture) != 0 || !is_ours(file)) continue;
    std::error_code failure;
    std::filesystem::remove(file, failure);
    if (failure) throw Error(file.string() + ": cannot be removed (" + failure.message() + ")");
  }
}

}  // namespace vsmax::drawing
