// SPDX-License-Identifier: Apache-2.0
// Photographs with labelled lines, one folder per data set (docs/data.md):
//   DIR/images/NAME.{png,jpg,jpeg}
//   DIR/ANY.csv    image,x0,y0,x1,y1[,guide]; one row per line; "NAME,,,," for an image without one
// The layout of the SEL data set is read as well: DIR/lines/STEM.txt instead of the CSV file, with
// rows "x0, y0, x1, y1, width, height" whose coordinates count from 1.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "vsmax/geometry/line.h"

namespace vsmax {

struct LabelledLine {
  std::array<double, 4> ends;  // x0, y0, x1, y1 from the centre of the top-left pixel
  bool guide = false;          // the one line of the image that a robot would follow
  std::size_t row = 0;         // of the CSV or text file, for messages
};

struct LabelledImage {
  std::string name;  // of the file, with its extension
  std::string path;
  std::vector<LabelledLine> lines;  // in the order of the file
};

struct LabelledFolder {
  std::string path;
  std::string labels;                 // the CSV file, or the folder of text files
  bool has_guides = false;            // the CSV file has the column `guide`
  std::vector<LabelledImage> images;  // sorted by name; at least one
};

// Reads the labels and lists the images, which are not opened. Throws Error naming the file and the
// row for anything that is inconsistent.
LabelledFolder read_labelled_folder(const std::string& path);

// The line through two points, canonical and relative to the image centre. A line that misses the
// box of pixel centres by at most one pixel, as labels along the border may, is moved onto it.
PixelLine line_through(const std::array<double, 4>& ends, const ImageFrame& frame);

// To be called once the size of an image is known. Throws Error for a line that misses it.
void require_inside(const LabelledFolder& folder, const LabelledImage& image,
                    const ImageFrame& frame);

// The images [begin, end) of a folder.
LabelledFolder part_of(const LabelledFolder& folder, std::size_t begin, std::size_t end);

// Only the images of fold number `fold` (from 1), or all others. The folds are `folds` contiguous
// parts in the order of the images' names. Throw Error for a fold that does not exist, and if there
// are fewer images than folds.
LabelledFolder only_fold(const LabelledFolder& folder, std::size_t fold, std::size_t folds);
LabelledFolder without_fold(const LabelledFolder& folder, std::size_t fold, std::size_t folds);

struct HeldOut {
  LabelledFolder rest;
  LabelledFolder held_out;
};

// Holds out `count` images: the last ones by name, or some in equal steps over all names, half a
// step from the first and the last.
HeldOut hold_out_last(const LabelledFolder& folder, std::size_t count);
HeldOut hold_out_spread(const LabelledFolder& folder, std::size_t count);

// The SHA-256 of the images' names and labels, which identifies a data set.
std::string digest(const LabelledFolder& folder);

}  // namespace vsmax
