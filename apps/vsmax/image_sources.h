// SPDX-License-Identifier: Apache-2.0
// The images that 'vsmax detect' is asked for, one after the other: files, folders, patterns and
// lists of paths. Only the names in one folder, or the matches of one pattern, are in memory at a
// time.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "folder_walk.h"
#include "path_list.h"

namespace vsmax::app {

struct ImageRequest {
  std::vector<std::string> arguments;  // files, folders or patterns; "-" is standard input
  std::string list;                    // file of paths; "-" is standard input, empty for none
  bool null_separated = false;         // the paths in the list

  // Whether the request certainly names exactly one file.
  bool is_single() const;
};

class ImageSource {
 public:
  explicit ImageSource(const ImageRequest& request);  // throws Error if the list cannot be read

  // The next image, or an argument or folder with the reason why it yields none.
  std::optional<NamedImage> next();

 private:
  std::vector<std::string> pending_;  // arguments and pattern matches; the next is at the back
  std::optional<FolderWalk> folder_;
  std::optional<PathList> list_;
};

}  // namespace vsmax::app
