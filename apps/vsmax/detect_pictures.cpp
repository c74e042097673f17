// SPDX-License-Identifier: Apache-2.0
#include "detect_pictures.h"

#include <filesystem>
#include <set>
#include <system_error>
#include <utility>

#include "draw/explain.h"
#include "draw/overlay.h"
#include "vsmax/base/error.h"
#include "vsmax/image/image_file.h"
#include "vsmax/io/file.h"

namespace vsmax::app {
namespace {

// FOLDER/STEM + suffix for each image; a repeated stem gets -2, -3, ... so that no two images write
// to the same file. "-" becomes "stdin".
std::vector<std::string> picture_names(const std::vector<std::string>& images,
                                       const std::string& folder, const std::string& suffix) {
  std::vector<std::string> names;
  std::set<std::string> taken;
  for (const auto& image : images) {
    const std::string stem = image == "-" ? "stdin" : std::filesystem::path(image).stem().string();
    std::string candidate = stem;
    for (int i = 2; !taken.insert(candidate).second; ++i)
      candidate = stem + "-" + std::to_string(i);
    names.push_back((std::filesystem::path(folder) / (candidate + suffix)).string());
  }
  return names;
}

// An input image may happen to have the name of a picture to be written.
void refuse_to_replace(const std::vector<std::string>& images,
                       const std::vector<std::string>& pictures) {
  std::set<std::filesystem::path> sources;
  std::error_code failure;  // gives an empty path; reading the image will report it
  for (const auto& image : images)
    sources.insert(std::filesystem::weakly_canonical(image, failure));
  sources.erase(std::filesystem::path());
  for (const auto& picture : pictures)
    if (sources.count(std::filesystem::weakly_canonical(picture, failure)) != 0)
      throw Error(picture + ": is one of the images, and would be replaced or removed");
}

GrayImage gray(const ImageView& image) {
  GrayImage result(image.frame());
  image.copy_to(result.pixels.data());
  return result;
}

}  // namespace

DetectPictures::DetectPictures(PictureFolders folders, std::vector<std::string> images)
    : folders_(std::move(folders)), images_(std::move(images)) {
  if (!folders_.overlays.empty()) {
    make_folder(folders_.overlays);
    overlays_ = picture_names(images_, folders_.overlays, "-overlay.png");
    refuse_to_replace(images_, overlays_);
  }
  if (!folders_.explanations.empty()) {
    make_folder(folders_.explanations);
    explanations_ = picture_names(images_, folders_.explanations, "-explain.svg");
    refuse_to_replace(images_, explanations_);
  }
  if (folders_.gallery.empty()) return;
  gallery_ = std::make_unique<drawing::Gallery>(folders_.gallery, images_.size());
  refuse_to_replace(images_, gallery_->files());
}

void DetectPictures::write(std::size_t index, const ImageView& image, const Recovery& recovery,
                           const RecoveryTrace& trace) {
  if (!overlays_.empty()) write_png(overlays_[index], drawing::draw_overlay(image, recovery));
  if (!explanations_.empty())
    write_file_atomically(explanations_[index],
                          drawing::explanation_svg(gray(image), recovery, trace, images_[index]));
  if (gallery_) gallery_->add(index, images_[index], image, recovery);
}

void DetectPictures::fail(std::size_t index, const std::string& reason) {
  if (gallery_) gallery_->add_failure(index, images_[index], reason);
}

void DetectPictures::finish(const std::string& model, bool interrupted) const {
  if (!gallery_) return;
  gallery_->write_page("Lines found by " + model + (interrupted ? ", interrupted" : ""));
  if (!interrupted) gallery_->remove_earlier_pictures();
}

}  // namespace vsmax::app
