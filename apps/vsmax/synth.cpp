// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "cli/extent.h"
#include "commands.h"
#include "model_options.h"
#include "stroke_options.h"
#include "vsmax/data/synthetic.h"
#include "vsmax/image/image_file.h"

namespace vsmax::app {
namespace {

struct SynthOptions {
  std::vector<double> thetas;
  std::vector<double> rhos;
  double sigma = 0.0;
  Stroke stroke;
  std::uint64_t seed = 42;
  std::string size = "256x256";
  std::string output;
};

// A PNG named .jpg would mislead its reader.
void require_png_name(const std::string& path) {
  std::string kind = std::filesystem::path(path).extension().string();
  std::transform(kind.begin(), kind.end(), kind.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  if (kind == ".jpg" || kind == ".jpeg")
    throw UsageError(path + ": synth writes PNG, so use a name that ends in .png");
}

int synthesize(const SynthOptions& options) {
  require_png_name(options.output);
  if (options.thetas.size() != options.rhos.size())
    throw UsageError(fmt::format("each line needs a --theta and a --rho, but there are {} and {}",
                                 options.thetas.size(), options.rhos.size()));
  std::vector<PixelLine> lines;
  for (std::size_t i = 0; i < options.thetas.size(); ++i)
    lines.push_back({options.thetas[i], options.rhos[i]});
  const ImageFrame frame = parse_size(options.size);
  GrayImage image(frame.width, frame.height);
  render_lines(frame, lines, options.sigma, {options.seed, Split::kTest, 0, 0}, image.pixels,
               options.stroke);
  write_png(options.output, image);
  return kSuccess;
}

}  // namespace

Command synth_command(CLI::App& app) {
  auto* parser = app.add_subcommand("synth", "Draw a noisy image of lines, like the paper's data");
  parser->footer(
      "Examples:\n"
      "  vsmax synth --theta 0.8 --rho 20 --sigma 0.4 --seed 1 line.png\n"
      "  vsmax synth --theta 0.8 --rho 20 --theta 2.5 --rho=-60 two.png\n\n"
      "A line is x cos(theta) + y sin(theta) = rho, relative to the image centre; y points down.");
  const auto options = std::make_shared<SynthOptions>();
  parser
      ->add_option("--theta", options->thetas,
                   "Angle of the line's normal in radians; once per line")
      ->required()
      ->allow_extra_args(false)
      ->check(number());
  parser
      ->add_option("--rho", options->rhos,
                   "Signed distance from the image centre in pixels; once per line")
      ->required()
      ->allow_extra_args(false)
      ->check(number());
  parser->add_option("--sigma", options->sigma, "Standard deviation of the noise; white is 1")
      ->check(not_negative())
      ->capture_default_str();
  parser->add_option("--seed", options->seed, "Seed of the noise")
      ->transform(whole(0, kAnySeed))
      ->capture_default_str();
  parser->add_option("--size", options->size, "Image size as WxH")
      ->check(extent("256x192"))
      ->capture_default_str();
  declare_stroke(*parser, options->stroke);
  parser->add_option("OUT.png", options->output, "File to write, or - for standard output")
      ->required()
      ->check(not_empty());
  return {parser, [options] { return synthesize(*options); }};
}

}  // namespace vsmax::app
