// SPDX-License-Identifier: Apache-2.0
// What a model is. The core, the trainer, the Python package and the ONNX export build their
// pipelines from this one description, and a weights file carries it in its metadata.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "vsmax/geometry/cover.h"
#include "vsmax/geometry/image_frame.h"

namespace vsmax {

// What votes in the Hough transform.
enum class EvidenceKind {
  kIntensity,  // the grey values: a thin line
  kEdges,      // the gradient: a step between a brighter and a darker area
  kLearned,    // what the trained front end makes of a colour image
};

// Whether the lines are brighter or darker than their surroundings.
enum class Polarity {
  kBright,
  kDark,
  kAuto,  // whichever stands out more; needs whitening
};

// What happens between the Hough transform and the readout.
enum class Refinement {
  kNone,       // nothing: the accumulator itself
  kWhitening,  // log-likelihood ratios of the whitened accumulator (Eq. 11, 24)
  kNetwork,    // the trained refinement network (Eq. 14)
  kPosterior,  // whitening, then the exact posterior where the noise is white (Eq. 50 to 54)
};

// How a line is read out. The last two need LibTorch.
enum class Readout {
  kArgmax,      // the largest cell
  kSoftArgmax,  // the mean of (theta, rho) (Eq. 16)
  kVeronese,    // VSmax (Eq. 17)
  kHeatMap,     // RHT: connected components of a heat map
  kRegression,  // MLP: a ResNet's direct answer, without a Hough transform
};

// What a model was trained to minimise.
enum class Loss { kNone, kPolar, kVeronese, kHeatMap };

// The unit of rho inside the embedding and the losses; the paper names none.
enum class RhoUnit { kHalfDiagonal, kHalfWidth, kPixel, kBin };

// The target of a heat map, its loss in training, and which of its components is the line. The
// first of each is our choice. The second target and component are those of the Deep Hough
// Transform's published code, and squared errors are another reading of "trained to match".
enum class HeatTarget {
  kWrapped,  // a Gaussian that continues across the seam
  kBlurred,  // one cell after a 5x5 Gaussian blur, cut off at the seam
};
enum class HeatLoss { kEntropy, kSquares };
enum class HeatComponent {
  kStrongest,  // 8 neighbours, across the seam; the weighted mean
  kFirst,      // the first by angle and offset; 4 neighbours, not across the seam; the plain mean
};

struct GridBins {
  int thetas = 0;
  int rhos = 0;

  friend bool operator==(const GridBins&, const GridBins&) = default;
};

struct ModelSpec {
  std::string name;  // "vsmax-vs", "classic"; what cards and reports call it
  EvidenceKind evidence = EvidenceKind::kIntensity;
  Polarity polarity = Polarity::kBright;
  Refinement refinement = Refinement::kWhitening;
  Cover cover = Cover::kSingle;
  Readout readout = Readout::kVeronese;
  Loss loss = Loss::kNone;

  // A learned model works at the size it was trained on and resizes other images: to this frame or,
  // with learned evidence, to about as many pixels in the image's own proportions. Without a frame,
  // a model works at the image's own size. Without bins, they are chosen by the image's size.
  std::optional<ImageFrame> frame;
  std::optional<GridBins> bins;

  double scale = 1.0;        // of the accumulator, before the network
  double temperature = 1.0;  // of the softmax
  // The logit of "no line", if the model was trained to tell. Together with the cells' logits it
  // gives the probability of a line (Eq. 45).
  std::optional<double> background;
  // Trained with all lines of an image: the sigmoid of a logit is the probability of a line there
  // (Eq. 46).
  bool several = false;
  // In training with learned evidence: the weights of two further losses, the likelihood near the
  // true line (Eq. 44) and the presence of a line (Eq. 45).
  double likelihood = 0.0;
  double presence = 0.0;
  RhoUnit rho_unit = RhoUnit::kHalfDiagonal;
  double eigen_guard = 1e-2;     // in training, for kVeronese with kPolar only (Eq. 23)
  bool hold_across_seam = true;  // likewise (Eq. 30)
  double target_width = 3.0;     // in training, for kHeatMap only: standard deviation in bins
  HeatTarget heat_target = HeatTarget::kWrapped;
  HeatLoss heat_loss = HeatLoss::kEntropy;
  HeatComponent heat_component = HeatComponent::kStrongest;

  bool needs_libtorch() const {
    return readout == Readout::kHeatMap || readout == Readout::kRegression ||
           (readout == Readout::kVeronese && rho_unit != RhoUnit::kHalfDiagonal);
  }
  bool learns() const { return loss != Loss::kNone; }
};

// The names under which specs are written down: "whitening", "vsmax", "double", "polar", ...
std::string to_string(EvidenceKind evidence);
std::string to_string(Refinement refinement);
std::string to_string(Readout readout);
std::string to_string(Loss loss);
std::string to_string(Cover cover);
std::string to_string(RhoUnit unit);

// The models that have a name: vsmax-vs, vsmax-polar, softargmax-vs, softargmax-polar, mlp-vs,
// mlp-polar, rht, argmax, classic, default, edges. Those that learn have the paper's size and
// scale.
std::vector<ModelSpec> named_specs();

// Throws Error, listing the names, for an unknown one.
ModelSpec named_spec(const std::string& name);

// To and from the metadata of a weights file. Files from before version 0.1 lack the entries
// refinement, cover and loss; they are filled in from the model's name or the readout. Throws
// Error whose message starts with `file` for an entry that is missing or invalid.
using Metadata = std::map<std::string, std::string>;
Metadata metadata_from_spec(const ModelSpec& spec);
ModelSpec spec_from_metadata(const Metadata& metadata, const std::string& file);

}  // namespace vsmax
