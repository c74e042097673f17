// SPDX-License-Identifier: Apache-2.0
// What the Python package takes from the core: whole images in, lines out; the score; the table of
// votes. Nothing here is differentiable.
#include <torch/custom_class.h>
#include <torch/library.h>
#include <torch/types.h>

#include <cmath>
#include <mutex>
#include <nlohmann/json.hpp>

#include "vsmax/base/error.h"
#include "vsmax/geometry/symmetric_eigen.h"
#include "vsmax/recover/confidence.h"
#include "vsmax/recover/line_recoverer.h"
#include "vsmax/score/ea_score.h"

namespace vsmax {

namespace {

// The package raises ValueError with the sentence alone; torch would add where it was thrown.
constexpr const char* kSentence = "vsmax: ";

template <class Body>
auto in_words(const Body& body) {
  try {
    return body();
  } catch (const Error& error) {
    TORCH_CHECK(false, kSentence, error.what());
  }
}

torch::Tensor on_cpu(const torch::Tensor& tensor, torch::ScalarType type) {
  return tensor.detach().to(torch::kCPU, type).contiguous();
}

torch::Tensor read_gray(const std::string& path) {
  const GrayImage image = in_words([&] { return read_image(path); });
  auto result = torch::empty({image.height, image.width}, torch::kFloat);
  std::copy(image.pixels.begin(), image.pixels.end(), result.data_ptr<float>());
  return result;
}

// (theta, rho / D), [N, 2] each -> [N].
torch::Tensor ea_scores(const torch::Tensor& predicted, const torch::Tensor& truth, int64_t width,
                        int64_t height) {
  const ImageFrame frame{static_cast<int>(width), static_cast<int>(height)};
  const double unit = frame.half_diagonal();
  const auto found = on_cpu(predicted, torch::kDouble);
  const auto wanted = on_cpu(truth, torch::kDouble);
  auto scores = torch::empty({found.size(0)}, torch::kDouble);
  for (int64_t i = 0; i < found.size(0); ++i) {
    const double* a = found.data_ptr<double>() + 2 * i;
    const double* b = wanted.data_ptr<double>() + 2 * i;
    const bool finite = std::isfinite(a[0]) && std::isfinite(a[1]);
    scores.data_ptr<double>()[i] =
        finite ? ea_score({a[0], a[1] * unit}, {b[0], b[1] * unit}, frame) : 0.0;
  }
  return scores.to(predicted.device());
}

// Probabilities on the single cover [N, T, R], their barycentres [N, 6] and the lines read from
// them (theta, rho / D) [N, 2] -> [N] (Eq. 25).
torch::Tensor confidences(const torch::Tensor& probabilities, const torch::Tensor& barycentres,
                          const torch::Tensor& lines) {
  const auto p = on_cpu(probabilities, torch::kFloat);
  const auto means = on_cpu(barycentres, torch::kDouble);
  const auto polar = on_cpu(lines, torch::kDouble);
  // Only the numbers of bins count: with rho in units of D any frame will do.
  const HoughGrid grid({2, 2}, static_cast<int>(p.size(1)), static_cast<int>(p.size(2)));
  auto result = torch::zeros({p.size(0)}, torch::kDouble);
  for (int64_t i = 0; i < p.size(0); ++i) {
    VeroneseVector<3> v{};
    std::copy_n(means.data_ptr<double>() + 6 * i, 6, v.begin());
    const double* line = polar.data_ptr<double>() + 2 * i;
    if (!std::isfinite(line[0]) || !std::isfinite(line[1])) continue;
    result.data_ptr<double>()[i] =
        distribution_confidence(grid, p.data_ptr<float>() + i * p.size(1) * p.size(2),
                                symmetric_eigen(symmetric_from_veronese<3>(v)).gap(),
                                {line[0], line[1] * grid.frame().half_diagonal()});
  }
  return result.to(probabilities.options().dtype(torch::kFloat));
}

// The bin of every pixel at every angle (Eq. 7), [T, H, W].
torch::Tensor vote_table(int64_t width, int64_t height, int64_t thetas, int64_t rhos) {
  const HoughGrid grid = in_words([&] {
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

const char* name_of(Readout readout) {
  switch (readout) {
    case Readout::kArgmax:
      return "argmax";
    case Readout::kSoftArgmax:
      return "softargmax";
    case Readout::kVeronese:
      return "vsmax";
  }
  return "";
}

const char* name_of(Refinement refinement) {
  switch (refinement) {
    case Refinement::kNone:
      return "none";
    case Refinement::kWhitening:
      return "whitening";
    case Refinement::kNetwork:
      return "network";
  }
  return "";
}

// A recoverer keeps buffers between images, so one call at a time.
class Recoverer : public torch::CustomClassHolder {
 public:
  explicit Recoverer(const std::string& name)
      : recover_(in_words([&] { return load_model(name); })) {}

  // [H, W] -> one row a line: theta, rho, confidence, then x and y of both ends from the image
  // centre (not a number where the line lies outside). In pixels.
  torch::Tensor detect(const torch::Tensor& image) {
    const auto pixels = on_cpu(image, torch::kFloat);
    TORCH_CHECK(pixels.dim() == 2, kSentence, "an image has the shape [H, W], not ",
                pixels.sizes());
    GrayImage gray(static_cast<int>(pixels.size(1)), static_cast<int>(pixels.size(0)));
    std::copy_n(pixels.data_ptr<float>(), gray.pixels.size(), gray.pixels.begin());
    const std::lock_guard<std::mutex> alone(mutex_);
    const Recovery recovery = in_words([&] { return recover_(gray); });
    auto rows = torch::full({static_cast<int64_t>(recovery.lines.size()), 7}, NAN, torch::kDouble);
    double* row = rows.data_ptr<double>();
    for (const auto& found : recovery.lines) {
      row[0] = found.line.theta;
      row[1] = found.line.rho;
      row[2] = found.confidence;
      if (found.visible) {
        std::copy_n(found.visible->begin.begin(), 2, row + 3);
        std::copy_n(found.visible->end.begin(), 2, row + 5);
      }
      row += 7;
    }
    return rows;
  }

  // What it takes to build the same model of tensors, as JSON.
  std::string description() const {
    const Model& model = recover_.model();
    nlohmann::json text{{"refinement", name_of(model.refinement)},
                        {"readout", name_of(model.readout)},
                        {"temperature", model.temperature},
                        {"scale", model.scale},
                        {"warning", model.warning}};
    if (model.grid) text["size"] = {model.grid->frame().height, model.grid->frame().width};
    return text.dump();
  }

  // T and R of the model's grid for an image of this size.
  std::vector<int64_t> bins(int64_t width, int64_t height) const {
    const HoughGrid grid = in_words([&] {
      return recover_.model().grid_for({static_cast<int>(width), static_cast<int>(height)});
    });
    return {grid.thetas(), grid.rhos()};
  }

  // Weight and bias of every layer of the network; empty for a model without.
  std::vector<torch::Tensor> weights() const {
    std::vector<torch::Tensor> result;
    if (!recover_.model().net) return result;
    for (const ConvLayer& layer : recover_.model().net->layers()) {
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
  std::mutex mutex_;
  LineRecoverer recover_;
};

}  // namespace

TORCH_LIBRARY_FRAGMENT(vsmax, library) {
  library.def("read_gray(str path) -> Tensor", TORCH_FN(read_gray));
  library.def("ea_scores(Tensor predicted, Tensor truth, int width, int height) -> Tensor",
              TORCH_FN(ea_scores));
  library.def("confidences(Tensor probabilities, Tensor barycentres, Tensor lines) -> Tensor",
              TORCH_FN(confidences));
  library.def("vote_table(int width, int height, int thetas, int rhos) -> Tensor",
              TORCH_FN(vote_table));
  library.class_<Recoverer>("Recoverer")
      .def(torch::init<std::string>())
      .def("detect", &Recoverer::detect)
      .def("description", &Recoverer::description)
      .def("bins", &Recoverer::bins)
      .def("weights", &Recoverer::weights);
}

}  // namespace vsmax
