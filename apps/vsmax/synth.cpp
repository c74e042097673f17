// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "commands.h"
#include "model_options.h"
#include "vsmax/base/error.h"
#include "vsmax/data/synthetic.h"
#include "vsmax/image/image_file.h"

namespace vsmax::app {
namespace {

struct SynthOptions {
  double theta = 0.0;
  double rho = 0.0;
  double sigma = 0.0;
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
    throw Error(path + ": synth writes PNG, so use a name that ends in .png");
}

int synthesize(const SynthOptions& options) {
  require_png_name(options.output);
  for (const auto& [name, value] :
       {std::pair{"--theta", options.theta}, {"--rho", options.rho}, {"--sigma", options.sigma}})
    if (!std::isfinite(value)) throw Error(fmt::format("{} must be finite, got {}", name, value));
  if (options.sigma < 0.0)
    throw Error(fmt::format("--sigma must not be negative, got {}", options.sigma));
  const ImageFrame frame = parse_size(options.size);
  GrayImage image(frame.width, frame.height);
  render_line(frame, {options.theta, options.rho}, options.sigma,
              {options.seed, Split::kTest, 0, 0}, image.pixels);
  write_png(options.output, image);
  return kSuccess;
}

}  // namespace

Command synth_command(CLI::App& app) {
  auto* parser = app.add_subcommand("synth", "Draw a noisy image of a line, like the paper's data");
  parser->footer(
      "Example:\n  vsmax synth --theta 0.8 --rho 20 --sigma 0.4 --seed 1 line.png\n\n"
      "The line is x cos(theta) + y sin(theta) = rho, relative to the image centre; y points "
      "down.");
  const auto options = std::make_shared<SynthOptions>();
  parser->add_option("--theta", options->theta, "Angle of the line's normal in radians")
      ->required();
  parser->add_option("--rho", options->rho, "Signed distance from the image centre in pixels")
      ->required();
  parser->add_option("--sigma", options->sigma, "Standard deviation of the noise; white is 1")
      ->capture_default_str();
  parser->add_option("--seed", options->seed, "Seed of the noise")
      ->check(natural())
      ->capture_default_str();
  parser->add_option("--size", options->size, "Image size as WxH")->capture_default_str();
  parser->add_option("OUT.png", options->output, "File to write, or - for standard output")
      ->required()
      ->check(not_empty());
  return {parser, [options] { return synthesize(*options); }};
}

}  // namespace vsmax::app
