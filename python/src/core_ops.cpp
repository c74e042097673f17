// SPDX-License-Identifier: Apache-2.0
// What the torch part of the Python package takes from the core: models, the score, the table of
// votes. None of it is differentiable.
#include <torch/custom_class.h>
#include <torch/library.h>
#include <torch/types.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "vsmax/base/error.h"
#include "vsmax/geometry/ea_score.h"
#include "vsmax/recover/grid_choice.h"
#include "vsmax/recover/model.h"
#include "vsmax/refine/refine_net.h"

namespace vsmax {
namespace {

// The package turns messages with this prefix into a ValueError of one sentence.
constexpr const char* kSentence = "vsmax: ";

template <class Body>
auto with_torch_errors(const Body& body) {
  try {
    return body();
  } catch (const Error& error) {
    TORCH_CHECK(false, kSentence, error.what());
  }
}

torch::Tensor on_cpu(const torch::Tensor& tensor, torch::ScalarType type) {
  return tensor.detach().to(torch::kCPU, type).contiguous();
}

// Row i of lines (theta, rho / D), [N, 2] float64.
UnitLine line_at(const torch::Tensor& lines, int64_t i) {
  const double* row = lines.data_ptr<double>() + 2 * i;
  return {row[0], row[1]};
}

// (theta, rho / D), [N, 2] each -> [N].
torch::Tensor ea_scores(const torch::Tensor& predicted, const torch::Tensor& truth, int64_t width,
                        int64_t height) {
  const ImageFrame frame{static_cast<int>(width), static_cast<int>(height)};
  const auto found = on_cpu(predicted, torch::kDouble);
  const auto wanted = on_cpu(truth, torch::kDouble);
  auto scores = torch::empty({found.size(0)}, torch::kDouble);
  for (int64_t i = 0; i < found.size(0); ++i) {
    const UnitLine a = line_at(found, i);
    const bool finite = std::isfinite(a.theta) && std::isfinite(a.rho);
    scores.data_ptr<double>()[i] =
        finite
            ? ea_score(pixel_from_unit(a, frame), pixel_from_unit(line_at(wanted, i), frame), frame)
            : 0.0;
  }
  return scores.to(predicted.device());
}

torch::Tensor ea_scores_meta(const torch::Tensor& predicted, const torch::Tensor& /*truth*/,
                             int64_t /*width*/, int64_t /*height*/) {
  return torch::empty_symint({predicted.sym_size(0)}, predicted.options().dtype(torch::kDouble));
}

// The bin of every pixel at every angle (Eq. 7), [T, H, W].
torch::Tensor vote_table(int64_t width, int64_t height, int64_t thetas, int64_t rhos) {
  const HoughGrid grid = with_torch_errors([&] {
    return HoughGrid({static_cast<int>(width), static_cast<int>(height)}, static_cast<int>(thetas),
                     static_cast<int>(rhos));
  });
  auto table = torch::empty({thetas, height, width}, torch::kShort);
  auto* to = table.data_ptr<int16_t>();
  for (int t = 0; t < grid.thetas(); ++t)
    for (int row = 0; row < height; ++row)
      for (int column = 0; column < width; ++column)
        *to++ = static_cast<int16_t>(grid.bin(t, column, row));
  return table;
}

// A built-in model or a weights file, from which the package rebuilds the model with torch.
class ModelFile : public torch::CustomClassHolder {
 public:
  explicit ModelFile(const std::string& name)
      : model_(with_torch_errors([&] { return load_model(name); })) {}

  // The model's spec as JSON; for a choice among several models, only that it is one.
  std::string description() const {
    const ModelSpec& spec = model_.spec;
    if (!model_.candidates.empty()) return nlohmann::json{{"evidence", "several"}}.dump();
    nlohmann::json text{{"name", spec.name},
                        {"evidence", to_string(spec.evidence)},
                        {"refinement", to_string(spec.refinement)},
                        {"cover", to_string(spec.cover)},
                        {"readout", to_string(spec.readout)},
                        {"loss", to_string(spec.loss)},
                        {"temperature", spec.temperature},
                        {"scale", spec.scale},
                        {"warning", model_.warning}};
    if (spec.frame) text["size"] = {spec.frame->height, spec.frame->width};
    return text.dump();
  }

  // T and R of the model's grid for an image of this size.
  std::vector<int64_t> bins(int64_t width, int64_t height) const {
    const HoughGrid grid = with_torch_errors([&] {
      return grid_for(model_.spec, {static_cast<int>(width), static_cast<int>(height)});
    });
    return {grid.thetas(), grid.rhos()};
  }

  // Weight and bias of every layer of the network; empty for a model without one.
  std::vector<torch::Tensor> weights() const {
    std::vector<torch::Tensor> result;
    if (!model_.net) return result;
    for (const ConvLayer& layer : model_.net->layers()) {
      auto weight = torch::empty(
          {static_cast<int64_t>(layer.outputs), static_cast<int64_t>(layer.inputs), 3, 3});
      auto bias = torch::empty({static_cast<int64_t>(layer.outputs)});
      std::copy(layer.weights.begin(), layer.weights.end(), weight.data_ptr<float>());
      std::copy(layer.biases.begin(), layer.biases.end(), bias.data_ptr<float>());
      result.push_back(weight);
      result.push_back(bias);
    }
    return result;
  }

 private:
  Model model_;
};

}  // namespace

TORCH_LIBRARY_FRAGMENT(vsmax, library) {
  library.def("ea_scores(Tensor predicted, Tensor truth, int width, int height) -> Tensor");
  library.def("vote_table(int width, int height, int thetas, int rhos) -> Tensor",
              TORCH_FN(vote_table));
  library.class_<ModelFile>("ModelFile")
      .def(torch::init<std::string>())
      .def("description", &ModelFile::description)
      .def("bins", &ModelFile::bins)
      .def("weights", &ModelFile::weights);
}
TORCH_LIBRARY_IMPL(vsmax, CompositeExplicitAutograd, library) {
  library.impl("ea_scores", TORCH_FN(ea_scores));
}
TORCH_LIBRARY_IMPL(vsmax, Meta, library) { library.impl("ea_scores", TORCH_FN(ea_scores_meta)); }

}  // namespace vsmax
