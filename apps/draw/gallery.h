// SPDX-License-Identifier: Apache-2.0
// A folder for browsing many results: index.html, a sortable table, and pictures/*.png. It is
// self-contained, so that it can be opened from disk, without a network.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "draw/earlier_gallery.h"
#include "vsmax/image/image_view.h"
#include "vsmax/recover/line_recoverer.h"

namespace vsmax::drawing {

struct GalleryEntry {
  std::string name;     // of the image
  std::string picture;  // relative to the page
  ImageFrame size;      // of the picture
  Recovery recovery;
  std::string failure{};  // why there is no picture
};

// The page for these entries.
std::string gallery_page(const std::string& title, const std::vector<GalleryEntry>& entries);

class Gallery {
 public:
  // Creates the folder for `count` images. The pictures are numbered, so that image names need not
  // be valid in file names or links. Throws Error if it would replace files that no gallery wrote.
  Gallery(std::string folder, std::size_t count);

  // The files that it will write, and the pictures of an earlier gallery that it may remove.
  std::vector<std::string> files() const;

  // Writes the picture of one image. Calls for different images may overlap.
  void add(std::size_t index, const std::string& name, const ImageView& image,
           const Recovery& recovery);

  // The same for an image that could not be searched.
  void add_failure(std::size_t index, const std::string& name, const std::string& reason);

  // Writes the page for what has been added, in the order of the images.
  void write_page(const std::string& title) const;

  // Removes the pictures of an earlier gallery that the page does not show.
  void remove_earlier_pictures() const;

 private:
  std::string picture(std::size_t index) const;  // relative to the folder

  std::string folder_;
  std::vector<std::optional<GalleryEntry>> entries_;
  EarlierGallery earlier_;
};

}  // namespace vsmax::drawing
