// SPDX-License-Identifier: Apache-2.0
// The gallery that an earlier run wrote to the same folder. Its pictures are removed when its page
// is replaced.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

namespace vsmax::drawing {

// Whether a gallery wrote this page.
bool is_gallery_page(const std::string& page);

// The pictures that a page of ours shows, relative to it; none for any other page.
std::vector<std::string> pictures_of_page(const std::string& page);

class EarlierGallery {
 public:
  // Reads the page in this folder, if there is one. Throws Error if no gallery wrote it.
  explicit EarlierGallery(const std::filesystem::path& folder);

  bool exists() const { return exists_; }

  // Those of its pictures that still exist and have not been modified since.
  std::vector<std::string> files() const;

  // Removes files(), except for those named in `kept`, relative to the folder. Throws Error.
  void remove_all_but(const std::set<std::string>& kept) const;

 private:
  bool is_ours(const std::filesystem::path& file) const;

  std::filesystem::path folder_;
  bool exists_ = false;
  std::filesystem::file_time_type written_{};  // when the page was written
  std::vector<std::string> pictures_;
};

}  // namespace vsmax::drawing
