// SPDX-License-Identifier: Apache-2.0
// The PNG and JPEG files below a folder, by their names' endings, in the order of their names.
// Hidden files and folders are left out. Links are followed, except into a folder that the link
// itself lies in.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace vsmax::app {

struct NamedImage {
  std::string path;
  std::string failure;  // a sentence if there is no image to be read
};

class FolderWalk {
 public:
  explicit FolderWalk(std::string folder);

  // A folder that cannot be read comes with a failure, and so does one without any image.
  std::optional<NamedImage> next();

 private:
  struct Entry {
    std::string name;
    bool is_folder = false;
  };
  struct Level {
    std::string folder;
    std::pair<dev_t, ino_t> id;
    std::vector<Entry> entries;  // the last comes first
  };

  void enter(std::string folder);

  std::string root_;
  std::vector<Level> levels_;  // from the root to the present folder
  std::optional<NamedImage> failed_folder_;
  bool is_empty_ = true;
};

}  // namespace vsmax::app
