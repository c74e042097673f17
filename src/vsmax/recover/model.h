// SPDX-License-Identifier: Apache-2.0
// What a recoverer runs: which refinement between the Hough transform and the readout, and which
// readout; built in by name, or read from a weights file.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "vsmax/hough/cover.h"
#include "vsmax/hough/grid.h"
#include "vsmax/refine/refine_net.h"

namespace vsmax {

enum class Refinement {
  kNone,       // the accumulator itself
  kWhitening,  // log-likelihood ratios of the whitened accumulator (Eq. 11, 24)
  kNetwork,    // the trained network (Eq. 14)
};

enum class Readout { kArgmax, kSoftArgmax, kVeronese };

struct GridBins {
  int thetas = 0;
  int rhos = 0;
};

struct Model {
  std::string name;
  std::string trained_as;  // "vsmax-vs" and the like where a weights file says so, or else empty
  Refinement refinement = Refinement::kWhitening;
  Readout readout = Readout::kVeronese;
  double temperature = 1.0;

  // Learned models work on the grid they were trained on; the others make one for each image, of
  // this many bins if given.
  std::optional<HoughGrid> grid;
  std::optional<GridBins> bins;

  // For kNetwork.
  std::optional<RefineNet> net;
  Cover cover = Cover::kSingle;
  float scale = 1.0F;

  std::string warning;  // something the user should know, empty if nothing

  // The grid for an image of this size.
  HoughGrid grid_for(const ImageFrame& frame) const;
};

// A built-in model and what to say of it.
struct ModelDescription {
  std::string name;
  std::string sentence;
  double clean_ea = 0.0;  // `vsmax evaluate --model NAME`: all lines, sigma 0
  double noisy_ea = 0.0;  // the same at sigma 0.6
};
std::vector<ModelDescription> builtin_models();

// A built-in model by its name, or else a weights file by its path. Throws Error.
Model load_model(const std::string& name_or_path);

// From the content of a weights file, whose metadata holds T, R, W, H, scale and readout, and the
// temperature where it is not 1.
Model model_from_safetensors(const SafeTensors& file, const std::string& name);

// Whether a weights file is of a model without refinement network, which runs on LibTorch alone.
bool needs_libtorch(const SafeTensors& file);

}  // namespace vsmax
