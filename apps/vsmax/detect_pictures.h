// SPDX-License-Identifier: Apache-2.0
// The pictures of 'vsmax detect': overlays, explanations and the gallery.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "draw/gallery.h"
#include "vsmax/image/image_view.h"
#include "vsmax/recover/trace.h"

namespace vsmax::app {

struct PictureFolders {
  std::string overlays;  // empty for none, like the others
  std::string explanations;
  std::string gallery;

  bool any() const { return !overlays.empty() || !explanations.empty() || !gallery.empty(); }
};

class DetectPictures {
 public:
  // Takes all images at once: no two write to the same file, and none is replaced. Throws Error.
  DetectPictures(PictureFolders folders, std::vector<std::string> images);

  bool needs_trace() const { return !folders_.explanations.empty(); }

  // Writes the pictures of one image. Calls for different images may overlap. Throws Error.
  void write(std::size_t index, const ImageView& image, const Recovery& recovery,
             const RecoveryTrace& trace);

  // Notes in the gallery why an image has no pictures.
  void fail(std::size_t index, const std::string& reason);

  // Writes the page of the gallery for the pictures that are there.
  void finish(const std::string& model, bool interrupted) const;

 private:
  PictureFolders folders_;
  std::vector<std::string> images_;
  std::vector<std::string> overlays_;
  std::vector<std::string> explanations_;
  std::unique_ptr<drawing::Gallery> gallery_;  // null if none is wanted
};

}  // namespace vsmax::app
