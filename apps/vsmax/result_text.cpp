// SPDX-License-Identifier: Apache-2.0
#include "result_text.h"

#include <fmt/core.h>

#include <numbers>

#include "draw/captions.h"

namespace vsmax::app {
namespace {

std::string row_text(const std::string& name, const ImageFrame& frame, const RecoveredLine& found,
                     const std::string& model) {
  std::string text = fmt::format("{}: theta {:.2f} deg, rho {} px, confidence {:.2f}", name,
                                 found.line.theta * 180.0 / std::numbers::pi,
                                 drawing::fixed(found.line.rho, 2), found.confidence);
  if (!model.empty()) text += fmt::format(" ({})", model);
  if (!found.visible) return text + ", outside the image";
  const auto [x1, y1] = pixel(found.visible->begin, frame);
  const auto [x2, y2] = pixel(found.visible->end, frame);
  return text + fmt::format(", from ({:.1f}, {:.1f}) to ({:.1f}, {:.1f})", x1, y1, x2, y2);
}

}  // namespace

std::string plain_text(const std::string& name, const ImageFrame& frame, const Recovery& recovery) {
  if (recovery.lines.empty()) return name + ": no line";
  std::string text;
  for (const RecoveredLine& found : recovery.lines)
    text += (text.empty() ? "" : "\n") + row_text(name, frame, found, recovery.model);
  return text;
}

}  // namespace vsmax::app
