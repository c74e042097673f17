// SPDX-License-Identifier: Apache-2.0
#include "draw/gallery.h"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>

#include "image/image_fixtures.h"
#include "support/error_message.h"
#include "vsmax/image/image_file.h"
#include "vsmax/io/file.h"

namespace vsmax::drawing {
namespace {

using vsmax::testing::TemporaryFolder;

Recovery two_lines() {
  const ImageFrame frame{100, 80};
  const PixelLine first{0.5, -3.25};
  const PixelLine second{2.0, 10.0};
  return {{{first, 0.75, visible_segment(first, frame)},
           {second, 0.5, visible_segment(second, frame)}}};
}

std::size_t count_of(const std::string& part, const std::string& text) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++count;
  return count;
}

TEST(GalleryPage, ListsEveryImageWithItsLines) {
  const std::string page =
      gallery_page("Lines", {{"a.png", "pictures/1.png", {640, 512}, two_lines()},
                             {"b.png", "pictures/2.png", {640, 512}, {}}});
  EXPECT_EQ(count_of("<title>Lines</title>", page), 1U);
  EXPECT_NE(page.find("2 images, 2 lines"), std::string::npos);
  EXPECT_EQ(count_of("loading=\"eager\"", page), 2U);
  const std::vector<GalleryEntry> many(30, {"a", "1.png", {1, 1}, {}});
  EXPECT_EQ(count_of("loading=\"lazy\"", gallery_page("", many)), 6U);
  for (const char* part :
       {"src=\"pictures/1.png\" width=\"640\" height=\"512\"",
        "<td data-value=\"a.png\">a.png</td>", "<td data-value=\"2\">2</td>",
        ">28.65<br/>114.59</td>", "<td data-value=\"-3.25\">−3.25<br/>10.00</td>",
        "<td data-value=\"0.75\">0.75<br/>0.50</td>", "<td data-value=\"b.png\">b.png</td>",
        "<td data-value=\"0\">0</td>\n<td data-value=\"\"></td>"})
    EXPECT_EQ(count_of(part, page), 1U) << part;
  EXPECT_EQ(count_of("1 image, 0 lines", gallery_page("", {{"a", "1.png", {1, 1}, {}}})), 1U);
}

TEST(GalleryPage, EscapesNamesAndFillsInNothingTwice) {
  const std::string page =
      gallery_page("<b>", {{"<i>&\"'@ROWS@.png", "pictures/1.png", {1, 1}, {}}});
  EXPECT_EQ(count_of("&#60;b&#62;", page), 2U);
  EXPECT_EQ(count_of("data-value=\"&#60;i&#62;&#38;&#34;&#39;@ROWS@.png\"", page), 1U);
  EXPECT_EQ(count_of("<i>", page), 0U);
  EXPECT_EQ(count_of("@TITLE@", page) + count_of("@SUMMARY@", page), 0U);
  EXPECT_EQ(count_of("<tr>", page), 2U) << "the head and one image";
  EXPECT_EQ(count_of("@media", page), 2U) << "what looks like a mark stays";
}

TEST(GalleryPage, NeedsNothingFromOutside) {
  const std::string page = gallery_page("Lines", {});
  for (const char* part : {"http:", "https:", "//cdn", "@import", "url("})
    EXPECT_EQ(count_of(part, page), 0U) << part;
}

TEST(Gallery, WritesPicturesAndAPageOfWhatWasAdded) {
  const TemporaryFolder folder;
  Gallery gallery(folder.file("out/page"), 3);
  gallery.add(2, "c.png", GrayImage(1600, 400, 0.5F), {});
  gallery.add(0, "a.png", GrayImage(100, 80, 0.5F), two_lines());
  const auto unfinished = read_file(folder.file("out/page/index.html"));
  EXPECT_TRUE(pictures_of_page({unfinished.begin(), unfinished.end()}).empty());
  gallery.write_page("Lines");
  const auto bytes = read_file(folder.file("out/page/index.html"));
  const std::string page(bytes.begin(), bytes.end());
  EXPECT_LT(page.find("a.png"), page.find("c.png"));
  EXPECT_EQ(count_of("<tr>", page), 3U);
  const auto files = gallery.files();
  ASSERT_EQ(files.size(), 4U);
  EXPECT_TRUE(read_image(files[0]).frame() == (ImageFrame{600, 480}));
  EXPECT_TRUE(read_image(files[2]).frame() == (ImageFrame{800, 200}));
  EXPECT_FALSE(std::filesystem::exists(files[1]));
  EXPECT_EQ(files[3], folder.file("out/page/index.html"));
}

// A gallery of this many flat images.
void write_gallery(const std::string& folder, std::size_t count) {
  Gallery gallery(folder, count);
  for (std::size_t i = 0; i < count; ++i) gallery.add(i, "a.png", GrayImage(40, 30, 0.5F), {});
  gallery.write_page("Lines");
  gallery.remove_earlier_pictures();
}

TEST(Gallery, RemovesEarlierPicturesThatItDoesNotShow) {
  const TemporaryFolder folder;
  const std::string out = folder.file("out");
  write_gallery(out, 3);
  write_file_atomically(out + "/pictures/00004.png", std::string("in no gallery"));
  write_file_atomically(out + "/pictures/mine.png", std::string("in no gallery"));
  const Gallery next(out, 1);
  EXPECT_EQ(next.files().size(), 5U) << "three that may go, one picture, one page";
  write_gallery(out, 1);
  for (const char* kept : {"00001", "00004", "mine"})
    EXPECT_TRUE(std::filesystem::exists(out + "/pictures/" + kept + ".png")) << kept;
  for (const char* removed : {"00002", "00003"})
    EXPECT_FALSE(std::filesystem::exists(out + "/pictures/" + removed + ".png")) << removed;
}

TEST(Gallery, KeepsWhatWasPutThereAfterThePage) {
  const TemporaryFolder folder;
  const std::string out = folder.file("out");
  write_gallery(out, 3);
  const std::filesystem::path mine = out + "/pictures/00003.png";
  write_file_atomically(mine.string(), std::string("put here later"));
  const auto page_time = std::filesystem::last_write_time(out + "/index.html");
  std::filesystem::last_write_time(mine, page_time + std::chrono::seconds(1));
  std::filesystem::remove(out + "/pictures/00002.png");
  std::filesystem::create_symlink(mine, out + "/pictures/00002.png");
  write_gallery(out, 1);
  EXPECT_TRUE(std::filesystem::exists(mine));
  EXPECT_TRUE(std::filesystem::is_symlink(out + "/pictures/00002.png"));
}

TEST(Gallery, APageOfSomebodyElseNamesNoPictures) {
  EXPECT_TRUE(pictures_of_page("<img src=\"pictures/00001.png\">").empty());
  EXPECT_TRUE(pictures_of_page("<td><a href=\"pictures/../a.png\"><img src=\"pictures/../a.png\" ")
                  .empty());
  const std::string page = gallery_page("", {{"a", "pictures/00012.png", {1, 1}, {}}});
  EXPECT_EQ(pictures_of_page(page), std::vector<std::string>{"pictures/00012.png"});
}

TEST(Gallery, RefusesToReplaceWhatNoGalleryWrote) {
  const TemporaryFolder folder;
  for (const std::string file : {"index.html", "pictures/00002.png"}) {
    const std::string out = folder.file(file == "index.html" ? "page" : "picture");
    make_folder(out + "/pictures");
    write_file_atomically(out + "/" + file, std::string("precious"));
    EXPECT_TRUE(
        test::throws_error_with({out, file, "choose another folder"}, [&] { Gallery(out, 2); }));
    const auto bytes = read_file(out + "/" + file);
    EXPECT_EQ(std::string(bytes.begin(), bytes.end()), "precious");
  }
}

TEST(Gallery, ReplacesAnUnfinishedOne) {
  const TemporaryFolder folder;
  const std::string out = folder.file("out");
  Gallery unfinished(out, 2);
  unfinished.add(0, "a.png", GrayImage(40, 30, 0.5F), {});
  write_gallery(out, 2);
  EXPECT_TRUE(std::filesystem::exists(out + "/pictures/00002.png"));
}

TEST(Gallery, RefusesAFolderThatCannotBeMade) {
  const TemporaryFolder folder;
  write_file_atomically(folder.file("file"), std::string("text"));
  EXPECT_TRUE(test::throws_error_with({"file"}, [&] { Gallery(folder.file("file"), 1); }));
}

}  // namespace
}  // namespace vsmax::drawing
