// SPDX-License-Identifier: Apache-2.0
#include "draw/gallery.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>
#include <string_view>
#include <utility>

#include "draw/captions.h"
#include "draw/gallery_template.h"
#include "draw/overlay.h"
#include "draw/svg.h"
#include "vsmax/base/error.h"
#include "vsmax/image/image_file.h"
#include "vsmax/io/file.h"

namespace vsmax::drawing {
namespace {

constexpr int kEnlargeTo = 640;
constexpr int kReduceTo = 800;

// A cell of the table: the value to sort by, and one row of text per line of the image.
std::string cell_html(const std::string& value, const std::vector<std::string>& texts) {
  std::string html = fmt::format("<td data-value=\"{}\">", value);
  for (std::size_t i = 0; i < texts.size(); ++i) html += (i > 0 ? "<br/>" : "") + texts[i];
  return html + "</td>";
}

// Sorted by the first line, the one with the highest confidence.
template <class Number>
std::string lines_cell(const Recovery& recovery, int decimals, const Number& number) {
  std::vector<std::string> texts;
  for (const RecoveredLine& line : recovery.lines)
    texts.push_back(number_text(number(line), decimals));
  const bool none = recovery.lines.empty();
  return cell_html(none ? "" : fmt::format("{}", number(recovery.lines.front())), texts);
}

// The first pictures are loaded with the page, so that prints and screenshots show them too.
std::string row_html(const GalleryEntry& entry, std::size_t index) {
  constexpr std::size_t kWithThePage = 24;

  const std::string name = xml_text(entry.name);
  if (!entry.failure.empty())
    return fmt::format("<tr>\n<td>{}</td>\n", xml_text(entry.failure)) + cell_html(name, {name}) +
           cell_html("", {}) + "\n" + cell_html("", {}) + cell_html("", {}) + cell_html("", {}) +
           cell_html("", {}) + "\n</tr>\n";
  const std::string lines = std::to_string(entry.recovery.lines.size());
  const std::string model = xml_text(entry.recovery.model);
  return fmt::format(
             "<tr>\n<td><a href=\"{0}\"><img src=\"{0}\" width=\"{1}\" height=\"{2}\" "
             "loading=\"{3}\" alt=\"{4}, with the lines found\"/></a></td>\n",
             entry.picture, entry.size.width, entry.size.height,
             index < kWithThePage ? "eager" : "lazy", name) +
         cell_html(name, {name}) + cell_html(lines, {lines}) + "\n" +
         lines_cell(entry.recovery, 2,
                    [](const RecoveredLine& found) { return shown_line(found.line).degrees; }) +
         lines_cell(entry.recovery, 2,
                    [](const RecoveredLine& found) { return shown_line(found.line).rho; }) +
         lines_cell(entry.recovery, 2,
                    [](const RecoveredLine& found) { return found.confidence; }) +
         cell_html(model, {model}) + "\n</tr>\n";
}

std::string counted(std::size_t count, const char* noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

}  // namespace

std::string gallery_page(const std::string& title, const std::vector<GalleryEntry>& entries) {
  std::string rows;
  std::size_t lines = 0;
  std::size_t failed = 0;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    rows += row_html(entries[i], i);
    lines += entries[i].recovery.lines.size();
    failed += entries[i].failure.empty() ? 0 : 1;
  }
  std::string summary = counted(entries.size(), "image") + ", " + counted(lines, "line");
  if (failed > 0) summary += fmt::format(", {} could not be searched", counted(failed, "image"));
  const std::array<std::pair<std::string_view, std::string>, 3> values{
      {{"@TITLE@", xml_text(title)}, {"@SUMMARY@", summary}, {"@ROWS@", rows}}};

  const auto bytes = gallery_template_bytes();
  std::string_view rest(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  std::string page;
  while (!rest.empty()) {
    const auto found = std::find_if(values.begin(), values.end(), [&](const auto& value) {
      return rest.substr(0, value.first.size()) == value.first;
    });
    const bool is_text = found == values.end();  // up to the next mark, or what looks like one
    const std::size_t taken =
        is_text ? std::min(rest.find('@', 1), rest.size()) : found->first.size();
    page += is_text ? rest.substr(0, taken) : found->second;
    rest.remove_prefix(taken);
  }
  return page;
}

Gallery::Gallery(std::string folder, std::size_t count)
    : folder_(std::move(folder)), entries_(count), earlier_(folder_) {
  make_folder(folder_);
  make_folder(folder_ + "/pictures");
  require_writable(folder_ + "/index.html");
  if (earlier_.exists()) return;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string file = folder_ + "/" + picture(i);
    std::error_code failure;
    if (std::filesystem::exists(std::filesystem::symlink_status(file, failure)))
      throw Error(file + ": was not written by a gallery; choose another folder");
  }
  // Tells the next run that the pictures are ours, even if this one is killed.
  write_file_atomically(folder_ + "/index.html", gallery_page("", {}));
}

std::string Gallery::picture(std::size_t index) const {
  return fmt::format("pictures/{:05}.png", index + 1);
}

std::vector<std::string> Gallery::files() const {
  std::vector<std::string> files = earlier_.files();
  for (std::size_t i = 0; i < entries_.size(); ++i) files.push_back(folder_ + "/" + picture(i));
  files.push_back(folder_ + "/index.html");
  return files;
}

void Gallery::add(std::size_t index, const std::string& name, const ImageView& image,
                  const Recovery& recovery) {
  const RgbImage overlay =
      draw_overlay(image, recovery, display_size(image.frame(), kEnlargeTo, kReduceTo));
  write_png(folder_ + "/" + picture(index), overlay);
  entries_[index] = GalleryEntry{name, picture(index), overlay.frame(), recovery};
}

void Gallery::add_failure(std::size_t index, const std::string& name, const std::string& reason) {
  entries_[index] = GalleryEntry{name, "", {}, {}, reason};
}

void Gallery::write_page(const std::string& title) const {
  std::vector<GalleryEntry> added;
  for (const auto& entry : entries_)
    if (entry) added.push_back(*entry);
  write_file_atomically(folder_ + "/index.html", gallery_page(title, added));
}

void Gallery::remove_earlier_pictures() const {
  std::set<std::string> shown;
  for (const auto& entry : entries_)
    if (entry) shown.insert(entry->picture);
  earlier_.remove_all_but(shown);
}

}  // namespace vsmax::drawing
