// SPDX-License-Identifier: Apache-2.0
#include "result_text.h"

#include <fmt/format.h>

#include "cli/one_line.h"
#include "draw/captions.h"
#include "result_json.h"
#include "vsmax/data/csv.h"

namespace vsmax::app {
namespace {

std::string plain_row(const std::string& name, const ImageFrame& frame, const RecoveredLine& found,
                      const std::string& model) {
  const auto [degrees, rho] = drawing::shown_line(found.line);
  std::string text = fmt::format("{}: theta {:.2f} deg, rho {} px, confidence {:.2f} ({})", name,
                                 degrees, drawing::fixed(rho, 2), found.confidence, model);
  if (!found.visible) return text + ", outside the image\n";
  const auto [x1, y1] = pixel(found.visible->begin, frame);
  const auto [x2, y2] = pixel(found.visible->end, frame);
  return text + fmt::format(", from ({:.1f}, {:.1f}) to ({:.1f}, {:.1f})\n", x1, y1, x2, y2);
}

std::string plain_text(const std::string& path, const ImageFrame& frame, const Recovery& recovery) {
  const std::string name = one_line(path);
  if (recovery.lines.empty()) return name + ": no line\n";
  std::string text;
  for (const RecoveredLine& found : recovery.lines)
    text += plain_row(name, frame, found, one_line(recovery.model));
  return text;
}

// The CSV columns from "theta" to "correlation" for one line.
std::string csv_columns(const RecoveredLine& found, const ImageFrame& frame) {
  const auto& [line, confidence, visible, spread] = found;
  std::string text = fmt::format("{},{},{}", line.theta, line.rho, confidence);
  if (visible) {
    const auto [x1, y1] = pixel(visible->begin, frame);
    const auto [x2, y2] = pixel(visible->end, frame);
    text += fmt::format(",{},{},{},{}", x1, y1, x2, y2);
  } else {
    text += ",,,,";
  }
  if (!spread) return text + ",,,";
  return text + fmt::format(",{},{},{}", spread->theta_sd, spread->rho_sd, spread->correlation);
}

std::string csv_text(const std::string& name, const ImageFrame& frame, const Recovery& recovery) {
  const std::string start =
      fmt::format("{},{},{},{},{},", csv_field(name), frame.width, frame.height,
                  csv_field(recovery.model), recovery.lines.size());
  if (recovery.lines.empty())
    return start + std::string(kCsvColumns.size() - kLinesColumn - 2, ',') + "\n";
  std::string text;
  for (std::size_t i = 0; i < recovery.lines.size(); ++i)
    text += fmt::format("{}{},{},\n", start, i + 1, csv_columns(recovery.lines[i], frame));
  return text;
}

}  // namespace

std::string header_of(Format format) {
  if (format != Format::kCsv) return {};
  return fmt::format("{}\n", fmt::join(kCsvColumns, ","));
}

std::string result_record(Format format, const std::string& name, const ImageFrame& frame,
                          const Recovery& recovery) {
  switch (format) {
    case Format::kJson:
      return json_text(name, frame, recovery);
    case Format::kCsv:
      return csv_text(name, frame, recovery);
    case Format::kText:
      break;
  }
  return plain_text(name, frame, recovery);
}

std::string failure_record(Format format, const std::string& name, const std::string& sentence) {
  if (format == Format::kCsv)
    return csv_field(name) + std::string(kCsvColumns.size() - 1, ',') + csv_field(sentence) + "\n";
  return json_failure(name, sentence);
}

}  // namespace vsmax::app
