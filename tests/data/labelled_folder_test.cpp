// SPDX-License-Identifier: Apache-2.0
#include "vsmax/data/labelled_folder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numbers>
#include <numeric>

#include "image/image_fixtures.h"
#include "support/error_message.h"
#include "vsmax/geometry/ea_score.h"
#include "vsmax/io/file.h"

namespace vsmax {
namespace {

using std::numbers::pi;
using test::throws_error_with;
using vsmax::testing::TemporaryFolder;

// A data set whose images are empty files: reading the labels does not open them.
class DataSet {
 public:
  explicit DataSet(std::initializer_list<std::string> images) {
    make_folder(folder_.file("images"));
    for (const auto& image : images) put("images/" + image, "");
  }
  void put(const std::string& name, const std::string& text) const {
    make_folder(std::filesystem::path(folder_.file(name)).parent_path().string());
    write_file_atomically(folder_.file(name), text);
  }
  LabelledFolder read() const { return read_labelled_folder(folder_.path()); }
  LabelledFolder read(const std::string& csv) const {
    put("labels.csv", csv);
    return read();
  }
  std::string path() const { return folder_.path(); }

 private:
  TemporaryFolder folder_;
};

const std::string kHeader = "image,x0,y0,x1,y1\n";

TEST(LabelledFolder, ReadsImagesInOrderOfTheirNames) {
  const DataSet set{"b.png", "a.jpg", "c.JPEG", "notes.md", ".hidden.png"};
  const auto folder =
      set.read(kHeader + "b.png,0,1.5,2,-3e1\na.jpg,1,2,3,4\nc.JPEG,,,,\nb.png,5,6,7,8\n");
  EXPECT_EQ(folder.path, set.path());
  EXPECT_EQ(folder.labels, set.path() + "/labels.csv");
  EXPECT_FALSE(folder.has_guides);
  ASSERT_EQ(folder.images.size(), 3U);
  EXPECT_EQ(folder.images[0].name, "a.jpg");
  EXPECT_EQ(folder.images[1].name, "b.png");
  EXPECT_EQ(folder.images[1].path, set.path() + "/images/b.png");
  EXPECT_EQ(folder.images[2].name, "c.JPEG");
  ASSERT_EQ(folder.images[1].lines.size(), 2U);
  EXPECT_EQ(folder.images[1].lines[0].ends, (std::array<double, 4>{0.0, 1.5, 2.0, -30.0}));
  EXPECT_EQ(folder.images[1].lines[0].row, 2U);
  EXPECT_EQ(folder.images[1].lines[1].row, 5U);
  EXPECT_TRUE(folder.images[2].lines.empty());
}

TEST(LabelledFolder, ReadsGuidesAndColumnsInAnyOrder) {
  const DataSet set{"a.png", "b.png", "c.png"};
  const auto folder = set.read(
      "guide,image,x1,y1,x0,y0\n0,a.png,3,4,1,2\n1,a.png,7,8,5,6\n,b.png,,,,\n0,c.png,,,,\n");
  EXPECT_TRUE(folder.has_guides);
  EXPECT_FALSE(folder.images[0].lines[0].guide);
  EXPECT_TRUE(folder.images[0].lines[1].guide);
  EXPECT_EQ(folder.images[0].lines[1].ends, (std::array<double, 4>{5.0, 6.0, 7.0, 8.0}));
  EXPECT_TRUE(folder.images[1].lines.empty());
  const auto bare = DataSet{"a.png"}.read("image,x0,y0,x1,y1,guide\na.png,,,,\n");
  EXPECT_TRUE(bare.images[0].lines.empty()) << "a row without a line may leave the guide out";
  const auto other = DataSet{"a.png"}.read("x0,guide,y0,x1,y1,image\n,,,,a.png\n");
  EXPECT_TRUE(other.images[0].lines.empty()) << "whatever the order of the columns";
}

TEST(LabelledFolder, ToleratesWhatSpreadsheetsWrite) {
  const DataSet set{"a,1.png"};
  const auto folder = set.read(
      "\xEF\xBB\xBF"
      "image,x0,y0,x1,y1\r\n\"a,1.png\",\"0\", 1 ,2,3\r\n\r\n\r\n");
  ASSERT_EQ(folder.images[0].lines.size(), 1U);
  EXPECT_EQ(folder.images[0].lines[0].ends, (std::array<double, 4>{0.0, 1.0, 2.0, 3.0}));
}

TEST(LabelledFolder, ReadsTheLayoutOfSel) {
  const DataSet set{"0001.jpg", "0002.png"};
  set.put("lines/0001.txt", "1.0, 203.5, 400.0, 285.0, 400.0, 400.0\n1, 1, 1, 400, 400, 400\n");
  set.put("lines/0002.txt", "");
  const auto folder = set.read();
  EXPECT_EQ(folder.labels, set.path() + "/lines");
  ASSERT_EQ(folder.images[0].lines.size(), 2U);
  EXPECT_EQ(folder.images[0].lines[0].ends, (std::array<double, 4>{0.0, 202.5, 399.0, 284.0}));
  EXPECT_EQ(folder.images[0].lines[1].ends, (std::array<double, 4>{0.0, 0.0, 0.0, 399.0}));
  EXPECT_EQ(folder.images[0].lines[1].row, 2U);
  EXPECT_TRUE(folder.images[1].lines.empty());
}

TEST(LabelledFolder, RejectsInconsistentSelFiles) {
  const std::string row = "1, 1, 2, 2, 400, 400\n";
  {
    const DataSet set{"1.jpg", "2.jpg"};
    set.put("lines/1.txt", row);
    EXPECT_TRUE(throws_error_with({"images/2.jpg", "lines/2.txt"}, [&] { set.read(); }));
    set.put("lines/2.txt", row + "1, 1, 2, 2\n");
    EXPECT_TRUE(throws_error_with({"2.txt", "row 2", "4 fields"}, [&] { set.read(); }));
    set.put("lines/2.txt", row);
    set.put("lines/3.txt", row);
    EXPECT_TRUE(throws_error_with({"lines/3.txt", "no image"}, [&] { set.read(); }));
  }
  const DataSet set{"1.jpg", "1.png"};
  set.put("lines/1.txt", row);
  EXPECT_TRUE(throws_error_with({"1.png", "1.jpg", "same label file"}, [&] { set.read(); }));
}

TEST(LabelledFolder, RejectsFoldersThatAreNotADataSet) {
  const TemporaryFolder empty;
  EXPECT_TRUE(throws_error_with({empty.file("nowhere"), "not a folder"},
                                [&] { read_labelled_folder(empty.file("nowhere")); }));
  EXPECT_TRUE(throws_error_with({empty.path(), "no folder 'images'"},
                                [&] { read_labelled_folder(empty.path()); }));
  const DataSet bare{};
  EXPECT_TRUE(throws_error_with({"images", "holds no image"}, [&] { bare.read(); }));
  const DataSet set{"a.png"};
  EXPECT_TRUE(throws_error_with({set.path(), "no CSV file"}, [&] { set.read(); }));
  set.put("one.csv", kHeader + "a.png,,,,\n");
  EXPECT_NO_THROW(set.read());
  set.put("two.CSV", kHeader);
  EXPECT_TRUE(throws_error_with({"2 CSV files", "one.csv", "two.CSV"}, [&] { set.read(); }));
}

TEST(LabelledFolder, RejectsBadHeaders) {
  const DataSet set{"a.png"};
  const auto rejects = [&](std::initializer_list<std::string> parts, const std::string& csv) {
    return throws_error_with(parts, [&] { set.read(csv); });
  };
  EXPECT_TRUE(rejects({"labels.csv", "empty"}, ""));
  EXPECT_TRUE(rejects({"labels.csv", "'y1' is missing"}, "image,x0,y0,x1\na.png,1,2,3\n"));
  EXPECT_TRUE(rejects({"labels.csv", "'x9' is unknown"}, "image,x0,y0,x1,y1,x9\n"));
  EXPECT_TRUE(rejects({"labels.csv", "'x0' appears twice"}, "image,x0,y0,x1,y1,x0\n"));
  EXPECT_TRUE(rejects({"labels.csv", "is unknown"}, "a.png,1,2,3,4\n"));
}

TEST(LabelledFolder, RejectsBadRowsAndNamesThem) {
  const DataSet set{"a.png", "b.png"};
  const auto rejects = [&](std::initializer_list<std::string> parts, const std::string& rows,
                           const std::string& header = kHeader) {
    return throws_error_with(parts, [&] { set.read(header + "a.png,0,0,1,1" + rows); });
  };
  const std::string good = "\nb.png,,,,\n";
  EXPECT_NO_THROW(set.read(kHeader + "a.png,0,0,1,1" + good));
  EXPECT_TRUE(rejects({"labels.csv", "row 4", "'c.png'", "not in"}, good + "c.png,1,2,3,4\n"));
  EXPECT_TRUE(rejects({"labels.csv", "row 4", "''"}, good + ",1,2,3,4\n"));
  EXPECT_TRUE(rejects({"labels.csv", "no row", "images/b.png"}, "\n"));
  EXPECT_TRUE(
      rejects({"labels.csv", "row 3", "y0 = 'two'", "not a number"}, "\nb.png,1,two,3,4\n"));
  EXPECT_TRUE(rejects({"row 3", "x1 = '3px'"}, "\nb.png,1,2,3px,4\n"));
  EXPECT_TRUE(rejects({"row 3", "x1 = ''"}, "\nb.png,1,2,,4\n"));
  for (const std::string number : {"nan", "inf", "-inf", "1e999", "1e10"})
    EXPECT_TRUE(rejects({"row 3", "y1 = " + number, "too large or not finite"},
                        "\nb.png,1,2,3," + number + "\n"));
  EXPECT_TRUE(rejects({"row 3", "two equal points (1, 2)"}, "\nb.png,1,2,1,2\n"));
  EXPECT_TRUE(rejects({"row 3", "has 4 fields", "has 5"}, "\nb.png,1,2,3\n"));
  EXPECT_TRUE(rejects({"row 3", "has 6 fields", "has 5"}, "\nb.png,1,2,3,4,0\n"));
  EXPECT_TRUE(rejects({"row 3", "row 2 disagree", "a.png"}, "\na.png,,,,\n"));
  EXPECT_TRUE(rejects({"row 4", "row 3 disagree", "b.png"}, good + "b.png,1,2,3,4\n"));
}

TEST(LabelledFolder, RejectsBadGuides) {
  const DataSet set{"a.png"};
  const auto rejects = [&](std::initializer_list<std::string> parts, const std::string& rows) {
    return throws_error_with(parts, [&] { set.read("image,x0,y0,x1,y1,guide\n" + rows); });
  };
  EXPECT_TRUE(rejects({"row 2", "guide = '2'", "neither 0 nor 1"}, "a.png,1,2,3,4,2\n"));
  EXPECT_TRUE(rejects({"row 2", "guide = ''", "neither"}, "a.png,1,2,3,4,\n"));
  EXPECT_TRUE(rejects({"row 2", "guide = '1'", "no line"}, "a.png,,,,,1\n"));
  EXPECT_TRUE(rejects({"row 3", "second guide", "row 2"}, "a.png,1,2,3,4,1\na.png,5,2,3,4,1\n"));
}

TEST(LineThrough, CountsFromTheImageCentre) {
  const ImageFrame frame{101, 51};
  const PixelLine level = line_through({0.0, 35.0, 100.0, 35.0}, frame);
  EXPECT_DOUBLE_EQ(level.theta, pi / 2.0);
  EXPECT_DOUBLE_EQ(level.rho, 10.0);
  const PixelLine upright = line_through({20.0, 50.0, 20.0, 0.0}, frame);
  EXPECT_DOUBLE_EQ(upright.theta, 0.0);
  EXPECT_DOUBLE_EQ(upright.rho, -30.0);
  const PixelLine slanted = line_through({50.0, 25.0, 60.0, 35.0}, frame);
  EXPECT_DOUBLE_EQ(slanted.theta, 0.75 * pi);
  EXPECT_NEAR(slanted.rho, 0.0, 1e-12);
}

TEST(LineThrough, HoldsBothPointsInEitherOrder) {
  const ImageFrame frame{384, 288};
  for (int i = 0; i < 100; ++i) {
    const double angle = 0.1 + 0.063 * i;
    const std::array<double, 4> ends{190.0 + i * 0.3, 140.0 - i * 0.2,
                                     190.0 + i * 0.3 + 50.0 * std::cos(angle),
                                     140.0 - i * 0.2 + 50.0 * std::sin(angle)};
    const PixelLine line = line_through(ends, frame);
    EXPECT_GE(line.theta, 0.0);
    EXPECT_LT(line.theta, pi);
    for (const std::size_t end : {0U, 2U})
      EXPECT_NEAR((ends[end] - frame.half_width()) * std::cos(line.theta) +
                      (ends[end + 1] - frame.half_height()) * std::sin(line.theta),
                  line.rho, 1e-9);
    const PixelLine reversed = line_through({ends[2], ends[3], ends[0], ends[1]}, frame);
    EXPECT_NEAR(ea_score(line, reversed, frame), 1.0, 1e-6);
  }
}

TEST(LineThrough, KeepsLinesAlongTheBorderInTheImage) {
  for (const int height : {2, 240, 281, 282, 332, 333, 428})
    for (const int width : {2, 3, 400, 500}) {
      const ImageFrame frame{width, height};
      const double right = width - 1.0;
      const double bottom = height - 1.0;
      for (const std::array<double, 4> ends : {std::array<double, 4>{0.0, 0.0, right, 0.0},
                                               {0.0, bottom, right, bottom},
                                               {0.0, 0.0, 0.0, bottom},
                                               {right, bottom, right, 0.0},
                                               {0.0, -0.5, right, -0.5},
                                               {right + 1.0, 0.0, right + 1.0, bottom}})
        EXPECT_TRUE(visible_segment(line_through(ends, frame), frame)) << width << "x" << height;
    }
}

TEST(RequireInside, RejectsLinesThatMissTheImage) {
  const DataSet set{"a.png"};
  const auto folder = set.read(kHeader + "a.png,0,50,99,50\na.png,0,-20,99,-5\n");
  const LabelledImage& image = folder.images.front();
  EXPECT_TRUE(throws_error_with({"labels.csv", "row 3", "a.png", "100x100"}, [&] {
    require_inside(folder, image, {100, 100});
  }));
  EXPECT_TRUE(throws_error_with({"row 2", "misses", "100x40"}, [&] {
    require_inside(folder, image, {100, 40});
  }));
  LabelledImage inside = image;
  inside.lines.pop_back();
  EXPECT_NO_THROW(require_inside(folder, inside, {100, 100}));
}

LabelledFolder folder_of(std::size_t count) {
  LabelledFolder folder{"set", "set/lines.csv", true, {}};
  for (std::size_t i = 0; i < count; ++i)
    folder.images.push_back({std::to_string(i), "set/images/" + std::to_string(i), {}});
  return folder;
}

std::vector<std::size_t> numbers(const LabelledFolder& folder) {
  std::vector<std::size_t> result;
  for (const LabelledImage& image : folder.images) result.push_back(std::stoul(image.name));
  return result;
}

TEST(Folds, DivideTheImagesWithoutGapOrOverlap) {
  for (const std::size_t count : {1U, 2U, 7U, 75U, 233U, 395U})
    for (std::size_t folds = 1; folds <= std::min<std::size_t>(count, 10); ++folds) {
      std::size_t next = 0;
      for (std::size_t fold = 1; fold <= folds; ++fold) {
        const auto end = static_cast<std::size_t>(
            std::lround(static_cast<double>(fold * count) / static_cast<double>(folds)));
        std::vector<std::size_t> inside;
        std::vector<std::size_t> outside;
        for (std::size_t i = 0; i < count; ++i)
          (i >= next && i < end ? inside : outside).push_back(i);
        EXPECT_FALSE(inside.empty());
        EXPECT_EQ(numbers(only_fold(folder_of(count), fold, folds)), inside);
        EXPECT_EQ(numbers(without_fold(folder_of(count), fold, folds)), outside);
        next = end;
      }
      EXPECT_EQ(next, count);
    }
  EXPECT_EQ(only_fold(folder_of(9), 1, 3).labels, "set/lines.csv");
  EXPECT_TRUE(without_fold(folder_of(9), 1, 3).has_guides);
}

TEST(Folds, ThatDoNotExistAreRejected) {
  EXPECT_TRUE(throws_error_with({"fold 0 of 5"}, [] { only_fold(folder_of(10), 0, 5); }));
  EXPECT_TRUE(throws_error_with({"fold 6 of 5"}, [] { without_fold(folder_of(10), 6, 5); }));
  EXPECT_TRUE(throws_error_with({"3 images", "5 folds"}, [] { only_fold(folder_of(3), 1, 5); }));
}

TEST(HeldOut, LastImagesOrSomeInEqualSteps) {
  const auto expect = [](const HeldOut& divided, const std::vector<std::size_t>& held_out) {
    EXPECT_EQ(numbers(divided.held_out), held_out);
    std::vector<std::size_t> all = numbers(divided.rest);
    EXPECT_TRUE(std::is_sorted(all.begin(), all.end()));
    all.insert(all.end(), held_out.begin(), held_out.end());
    std::sort(all.begin(), all.end());
    std::vector<std::size_t> every(all.size());
    std::iota(every.begin(), every.end(), 0U);
    EXPECT_EQ(all, every);
    EXPECT_EQ(divided.rest.labels, "set/lines.csv");
    EXPECT_TRUE(divided.held_out.has_guides);
  };
  expect(hold_out_last(folder_of(10), 3), {7, 8, 9});
  expect(hold_out_spread(folder_of(10), 1), {5});
  expect(hold_out_spread(folder_of(10), 2), {2, 7});
  expect(hold_out_spread(folder_of(12), 3), {2, 6, 10});
  expect(hold_out_spread(folder_of(5), 4), {0, 1, 3, 4});
  for (std::size_t count = 1; count < 50; ++count)
    EXPECT_EQ(hold_out_spread(folder_of(50), count).held_out.images.size(), count);
}

TEST(Digest, TellsDataSetsApart) {
  LabelledFolder folder = folder_of(3);
  folder.images[1].lines = {{{1.0, 2.0, 3.0, 4.0}, false, 7}};
  const std::string before = digest(folder);
  LabelledFolder moved = folder;
  moved.path = "elsewhere";
  moved.images[1].path = "elsewhere/images/1";
  moved.images[1].lines[0].row = 8;
  EXPECT_EQ(digest(moved), before);

  std::vector<LabelledFolder> others(5, folder);
  others[0].images[0].name = "00";
  others[1].images[1].lines[0].ends[3] = 4.5;
  others[2].images[1].lines[0].guide = true;
  others[3].images.pop_back();
  std::swap(others[4].images[1].lines, others[4].images[2].lines);
  for (const LabelledFolder& other : others) EXPECT_NE(digest(other), before);
}

}  // namespace
}  // namespace vsmax
