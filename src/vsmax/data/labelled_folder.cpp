// SPDX-License-Identifier: Apache-2.0
#include "vsmax/data/labelled_folder.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <initializer_list>
#include <map>
#include <optional>
#include <string_view>
#include <system_error>

#include "vsmax/base/counted.h"
#include "vsmax/base/error.h"
#include "vsmax/base/number_text.h"
#include "vsmax/data/csv.h"
#include "vsmax/io/file.h"
#include "vsmax/io/sha256.h"

namespace vsmax {
namespace {

namespace fs = std::filesystem;

// The file and row that a message refers to.
struct Place {
  const std::string& file;
  std::size_t row;
};

[[noreturn]] void fail(const Place& place, const std::string& what) {
  throw Error(place.file + ": row " + std::to_string(place.row) + " " + what);
}

std::string quoted(const std::string& text) { return "'" + text + "'"; }

bool has_extension(const fs::path& path, std::initializer_list<std::string_view> extensions) {
  std::string extension = path.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return std::find(extensions.begin(), extensions.end(), extension) != extensions.end();
}

// The files in a folder with one of these extensions, sorted by name. Hidden files are left out.
std::vector<fs::path> files_in(const fs::path& folder,
                               std::initializer_list<std::string_view> extensions) {
  std::error_code failure;
  std::vector<fs::path> files;
  for (fs::directory_iterator entry(folder, failure), end; !failure && entry != end;
       entry.increment(failure)) {
    const fs::path& path = entry->path();
    std::error_code unknown;  // a broken link, for instance, is no file
    if (path.filename().string().front() != '.' && has_extension(path, extensions) &&
        entry->is_regular_file(unknown))
      files.push_back(path);
  }
  if (failure) throw Error(folder.string() + ": cannot be listed (" + failure.message() + ")");
  std::sort(files.begin(), files.end());
  return files;
}

std::vector<CsvRow> read_csv(const std::string& file) {
  const auto bytes = read_file(file);
  return parse_csv({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, file);
}

double parse_coordinate(const std::string& text, const std::string& column, const Place& place) {
  constexpr double kLargest = 1e9;  // far beyond any image; leaves room to compute
  double value = 0.0;
  const auto [stop, failure] = parse_number(text, value);
  if (stop != text.data() + text.size() || failure == std::errc::invalid_argument)
    fail(place, "has " + column + " = " + quoted(text) + ", which is not a number");
  if (failure != std::errc() || !(std::abs(value) <= kLargest))
    fail(place, "has " + column + " = " + text + ", which is too large or not finite");
  return value;
}

constexpr std::array<const char*, 4> kEndColumns{"x0", "y0", "x1", "y1"};

LabelledLine parse_line(const std::array<std::string, 4>& fields, const Place& place) {
  LabelledLine line{{}, false, place.row};
  for (std::size_t i = 0; i < 4; ++i)
    line.ends[i] = parse_coordinate(fields[i], kEndColumns[i], place);
  if (line.ends[0] == line.ends[2] && line.ends[1] == line.ends[3])
    fail(place, "has two equal points (" + fields[0] + ", " + fields[1] + ")");
  return line;
}

// Which field of a row holds which column.
class CsvHeader {
 public:
  CsvHeader(const CsvRow& row, const std::string& file) : columns_(row.fields.size()) {
    std::map<std::string, std::size_t> fields;
    for (std::size_t i = 0; i < row.fields.size(); ++i) {
      const std::string& name = row.fields[i];
      if (std::find(kNames.begin(), kNames.end(), name) == kNames.end())
        throw Error(file + ": the column " + quoted(name) +
                    " is unknown; the columns are image, x0, y0, x1, y1 and optionally guide");
      if (!fields.emplace(name, i).second)
        throw Error(file + ": the column " + quoted(name) + " appears twice");
    }
    for (std::size_t i = 0; i < kNames.size(); ++i) {
      const auto found = fields.find(kNames[i]);
      if (found != fields.end())
        field_[i] = found->second;
      else if (i != kGuide)
        throw Error(file + ": the column " + quoted(kNames[i]) + " is missing");
    }
  }

  bool has_guide() const { return field_[kGuide].has_value(); }
  std::size_t columns() const { return columns_; }
  const std::string& image(const CsvRow& row) const { return row.fields[*field_[0]]; }
  std::array<std::string, 4> ends(const CsvRow& row) const {
    std::array<std::string, 4> texts;
    for (std::size_t i = 0; i < 4; ++i) texts[i] = row.fields[*field_[i + 1]];
    return texts;
  }
  const std::string& guide(const CsvRow& row) const { return row.fields[*field_[kGuide]]; }

  // A row without a line may leave the guide out.
  void add_missing_guide(CsvRow& row) const {
    if (!has_guide() || row.fields.size() + 1 != columns_) return;
    std::vector<std::string> fields = row.fields;
    fields.insert(fields.begin() + static_cast<std::ptrdiff_t>(*field_[kGuide]), "");
    for (std::size_t i = 0; i < fields.size(); ++i)
      if (i != *field_[0] && !fields[i].empty()) return;
    row.fields = std::move(fields);
  }

 private:
  static constexpr std::size_t kGuide = 5;
  static constexpr std::array<const char*, 6> kNames{"image", "x0", "y0", "x1", "y1", "guide"};

  std::size_t columns_;
  std::array<std::optional<std::size_t>, kNames.size()> field_;
};

// Reads a CSV file into the images of a folder.
class LabelReader {
 public:
  explicit LabelReader(LabelledFolder& folder) : folder_(folder), first_row_(folder.images.size()) {
    for (std::size_t i = 0; i < folder.images.size(); ++i) index_[folder.images[i].name] = i;
  }

  void read_csv_file(const std::string& file) {
    std::vector<CsvRow> rows = read_csv(file);
    if (rows.empty()) throw Error(file + ": the file is empty");
    const CsvHeader header(rows.front(), file);
    folder_.has_guides = header.has_guide();
    for (auto row = rows.begin() + 1; row != rows.end(); ++row) add_row(header, *row, file);
    for (std::size_t i = 0; i < first_row_.size(); ++i)
      if (first_row_[i] == 0)
        throw Error(file + ": has no row for the image " + folder_.images[i].path +
                    " (an image without a line has a row without coordinates)");
  }

 private:
  void add_row(const CsvHeader& header, CsvRow& row, const std::string& file) {
    const Place place{file, row.row};
    header.add_missing_guide(row);
    if (row.fields.size() != header.columns())
      fail(place, "has " + std::to_string(row.fields.size()) + " fields, but the header has " +
                      std::to_string(header.columns()));
    const std::string& name = header.image(row);
    const auto found = index_.find(name);
    if (found == index_.end())
      fail(place, "names the image " + quoted(name) + ", which is not in " + folder_.path +
                      "/images (as .png, .jpg or .jpeg)");
    LabelledImage& image = folder_.images[found->second];
    std::size_t& first_row = first_row_[found->second];
    const auto ends = header.ends(row);
    const bool empty =
        std::all_of(ends.begin(), ends.end(), [](const std::string& text) { return text.empty(); });
    if (first_row != 0 && (empty || image.lines.empty()))
      fail(place,
           "and row " + std::to_string(first_row) + " disagree on whether " + name + " has a line");
    if (first_row == 0) first_row = row.row;
    if (!empty) image.lines.push_back(parse_line(ends, place));
    if (header.has_guide()) read_guide(header.guide(row), empty, image, place);
  }

  static void read_guide(const std::string& text, bool empty, LabelledImage& image,
                         const Place& place) {
    if (empty && (text.empty() || text == "0")) return;
    if (empty) fail(place, "has guide = " + quoted(text) + ", but no line");
    if (text != "0" && text != "1")
      fail(place, "has guide = " + quoted(text) + ", which is neither 0 nor 1");
    if (text == "0") return;
    for (const auto& line : image.lines)
      if (line.guide)
        fail(place,
             "is the second guide of " + image.name + ", after row " + std::to_string(line.row));
    image.lines.back().guide = true;
  }

  LabelledFolder& folder_;
  std::map<std::string, std::size_t> index_;  // by name
  std::vector<std::size_t> first_row_;        // of each image; 0 for none yet
};

// One text file per image, matched by the name without its extension.
void read_sel_files(LabelledFolder& folder) {
  std::map<std::string, LabelledImage*> by_stem;
  for (auto& image : folder.images) {
    const auto [place, added] = by_stem.emplace(fs::path(image.name).stem().string(), &image);
    if (!added)
      throw Error(image.path + ": " + place->second->name + " would have the same label file");
  }
  for (const fs::path& path : files_in(folder.labels, {".txt"})) {
    const std::string file = path.string();
    const auto found = by_stem.find(path.stem().string());
    if (found == by_stem.end())
      throw Error(file + ": there is no image of this name in " + folder.path + "/images");
    for (const CsvRow& row : read_csv(file)) {
      const Place place{file, row.row};
      if (row.fields.size() != 6)
        fail(place, "has " + std::to_string(row.fields.size()) +
                        " fields instead of x0, y0, x1, y1, width, height");
      LabelledLine line =
          parse_line({row.fields[0], row.fields[1], row.fields[2], row.fields[3]}, place);
      for (double& coordinate : line.ends) coordinate -= 1.0;
      found->second->lines.push_back(line);
    }
    by_stem.erase(found);
  }
  if (!by_stem.empty())
    throw Error(by_stem.begin()->second->path + ": there is no label file " + folder.labels + "/" +
                by_stem.begin()->first + ".txt");
}

struct ImageRange {
  std::size_t begin, end;
};

ImageRange fold_range(std::size_t count, std::size_t fold, std::size_t folds) {
  if (fold < 1 || fold > folds)
    throw Error("there is no fold " + std::to_string(fold) + " of " + std::to_string(folds));
  if (folds > count)
    throw Error(counted(count, "image") + " cannot be divided into " + counted(folds, "fold"));
  const auto border = [&](std::size_t k) { return (2 * k * count + folds) / (2 * folds); };
  return {border(fold - 1), border(fold)};
}

}  // namespace

LabelledFolder read_labelled_folder(const std::string& path) {
  const fs::path root(path);
  std::error_code unknown;  // counts as "is not there"
  if (!fs::is_directory(root, unknown)) throw Error(path + ": is not a folder");
  if (!fs::is_directory(root / "images", unknown)) throw Error(path + ": has no folder 'images'");
  LabelledFolder folder;
  folder.path = path;
  for (const fs::path& file : files_in(root / "images", {".png", ".jpg", ".jpeg"}))
    folder.images.push_back({file.filename().string(), file.string(), {}});
  if (folder.images.empty())
    throw Error((root / "images").string() + ": holds no image (.png, .jpg or .jpeg)");

  const auto tables = files_in(root, {".csv"});
  if (tables.size() > 1)
    throw Error(path + ": holds " + std::to_string(tables.size()) +
                " CSV files instead of one, among them " + tables[0].filename().string() + " and " +
                tables[1].filename().string());
  if (tables.size() == 1) {
    folder.labels = tables.front().string();
    LabelReader(folder).read_csv_file(folder.labels);
  } else if (fs::is_directory(root / "lines", unknown)) {
    folder.labels = (root / "lines").string();
    read_sel_files(folder);
  } else {
    throw Error(path + ": holds no CSV file with the labels");
  }
  return folder;
}

PixelLine line_through(const std::array<double, 4>& ends, const ImageFrame& frame) {
  const auto [x0, y0, x1, y1] = ends;
  const double theta = std::atan2(x1 - x0, y0 - y1);  // of the normal (y0 - y1, x1 - x0)
  const double cosine = std::cos(theta);
  const double sine = std::sin(theta);
  double rho = (0.5 * (x0 + x1) - frame.half_width()) * cosine +
               (0.5 * (y0 + y1) - frame.half_height()) * sine;
  // Labels may follow a convention that differs by up to a pixel, and rounding must not push a line
  // along the border out of the image.
  constexpr double kMargin = 1.0;
  constexpr double kRounding = 1e-9;
  const double reach = frame.reach(cosine, sine);
  const double farthest = std::max(0.0, reach - kRounding);
  if (std::abs(rho) > farthest && std::abs(rho) <= reach + kMargin + kRounding)
    rho = std::copysign(farthest, rho);
  return canonical(PixelLine{theta, rho});
}

void require_inside(const LabelledFolder& folder, const LabelledImage& image,
                    const ImageFrame& frame) {
  for (const LabelledLine& line : image.lines)
    if (!visible_segment(line_through(line.ends, frame), frame))
      throw Error(folder.labels + ": the line of row " + std::to_string(line.row) + " misses " +
                  image.name + ", which has " + std::to_string(frame.width) + "x" +
                  std::to_string(frame.height) + " pixels");
}

LabelledFolder part_of(const LabelledFolder& folder, std::size_t begin, std::size_t end) {
  LabelledFolder part{folder.path, folder.labels, folder.has_guides, {}};
  part.images.assign(folder.images.begin() + static_cast<std::ptrdiff_t>(begin),
                     folder.images.begin() + static_cast<std::ptrdiff_t>(end));
  return part;
}

LabelledFolder only_fold(const LabelledFolder& folder, std::size_t fold, std::size_t folds) {
  const auto [begin, end] = fold_range(folder.images.size(), fold, folds);
  return part_of(folder, begin, end);
}

LabelledFolder without_fold(const LabelledFolder& folder, std::size_t fold, std::size_t folds) {
  const auto [begin, end] = fold_range(folder.images.size(), fold, folds);
  LabelledFolder rest = part_of(folder, 0, begin);
  rest.images.insert(rest.images.end(), folder.images.begin() + static_cast<std::ptrdiff_t>(end),
                     folder.images.end());
  return rest;
}

HeldOut hold_out_last(const LabelledFolder& folder, std::size_t count) {
  const std::size_t all = folder.images.size();
  return {part_of(folder, 0, all - count), part_of(folder, all - count, all)};
}

HeldOut hold_out_spread(const LabelledFolder& folder, std::size_t count) {
  const std::size_t all = folder.images.size();
  HeldOut divided{part_of(folder, 0, 0), part_of(folder, 0, 0)};
  for (std::size_t i = 0; i < all; ++i) {
    const std::size_t next = divided.held_out.images.size();
    const bool held_out = next < count && i == (2 * next + 1) * all / (2 * count);
    (held_out ? divided.held_out : divided.rest).images.push_back(folder.images[i]);
  }
  return divided;
}

std::string digest(const LabelledFolder& folder) {
  Sha256 hash;
  const auto add = [&](const std::string& text) {  // including the terminating zero
    hash.update({reinterpret_cast<const std::uint8_t*>(text.c_str()), text.size() + 1});
  };
  for (const LabelledImage& image : folder.images) {
    add(image.name);
    for (const LabelledLine& line : image.lines) {
      for (const double end : line.ends) add(std::to_string(end));
      add(line.guide ? "guide" : "line");
    }
  }
  return hash.hex_digest();
}

}  // namespace vsmax
