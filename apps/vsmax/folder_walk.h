// SPDX-License-Identifier: Apache-2.0
// The PNG and JPEG files below a folder, recognised by their extensions, sorted by name in each
// folder. Hidden files and folders are left out. Links are followed, except to a folder that
// contains the link.
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

  // The next image. An unreadable folder, or a root without any image, is returned with a failure.
  std::optional<NamedImage> next();

 private:
  struct Entry {
    std::string name;
    bool is_folder = false;
  };
  struct Level {
    std::string folder;
    std::pair<dev_t, ino_t> id;
    std::vector<Entry> entries;  // in reverse order: the next is at the back
  };

  void enter(std::string folder);

  std::string root_;
  std::vector<Level> levels_;  // from the root to the current folder
  std::optional<NamedImage> failed_folder_;
  bool is_empty_ = true;
};

}  // namespace vsmax::app
