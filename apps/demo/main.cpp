// SPDX-License-Identifier: Apache-2.0
// Recovers the lines of a few example images and draws them; `make demo` runs it.
//   vsmax-demo FOLDER
#include <fmt/core.h>

#include <cstdint>
#include <filesystem>
#include <numbers>
#include <string>
#include <vector>

#include "draw/explain.h"
#include "draw/overlay.h"
#include "vsmax/base/error.h"
#include "vsmax/data/synthetic.h"
#include "vsmax/image/image_file.h"
#include "vsmax/io/file.h"
#include "vsmax/recover/line_recoverer.h"
#include "vsmax/score/ea_score.h"

namespace {

using std::numbers::pi;

struct Example {
  std::string name;
  vsmax::ImageFrame frame;
  vsmax::PixelLine line;
  double sigma;
};

const std::vector<Example> kExamples = {
    {"clean", {256, 256}, {0.7, 20.0}, 0.0},       {"noisy", {256, 256}, {2.2, -35.0}, 0.6},
    {"seam", {256, 256}, {pi - 0.004, 60.0}, 0.4}, {"corner", {256, 256}, {pi / 4, 160.0}, 0.2},
    {"wide", {400, 180}, {1.35, 25.0}, 0.5},
};

std::string line_text(vsmax::PixelLine line) {
  return fmt::format("{:6.2f} deg {:7.2f} px", line.theta * 180.0 / pi, line.rho);
}

void show(const Example& example, std::uint32_t index, const std::filesystem::path& folder) {
  vsmax::GrayImage image(example.frame.width, example.frame.height);
  vsmax::render_line(example.frame, example.line, example.sigma,
                     {42, vsmax::Split::kTest, 0, index}, image.pixels);
  vsmax::LineRecoverer recover(vsmax::load_model("classic"));
  vsmax::RecoveryTrace trace;
  const vsmax::Recovery recovery = recover(image, &trace);
  if (recovery.lines.empty()) throw vsmax::Error("no line was found in '" + example.name + "'");
  const auto& found = recovery.lines.front();

  vsmax::write_png(folder / (example.name + ".png"), image);
  vsmax::write_png(folder / (example.name + "-overlay.png"),
                   vsmax::drawing::draw_overlay(image, recovery));
  vsmax::write_file_atomically(
      folder / (example.name + "-explain.svg"),
      vsmax::drawing::explanation_svg(image, recovery, trace, example.name));
  fmt::print("{:<8} {:>5.1f}  {}  {}  {:6.4f}  {:10.2f}\n", example.name, example.sigma,
             line_text(example.line), line_text(found.line),
             vsmax::ea_score(found.line, example.line, example.frame), found.confidence);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const std::filesystem::path folder = argc > 1 ? argv[1] : "demo";
    std::filesystem::create_directories(folder);
    fmt::print("\n{:<8} {:>5}  {:<21}  {:<21}  {:>6}  {}\n", "image", "noise", "true line",
               "recovered line", "EA", "confidence");
    for (std::uint32_t i = 0; i < kExamples.size(); ++i) show(kExamples[i], i, folder);
    fmt::print("\nPictures: {0}/*-overlay.png (the line) and {0}/*-explain.svg (every stage)\n",
               folder.string());
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "vsmax-demo: {}\n", error.what());
    return 1;
  }
}
