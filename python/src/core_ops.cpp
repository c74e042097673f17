// SPDX-License-Identifier: Apache-2.0
// What the Python package takes from the core: whole images in, lines out; the score; the table of
// votes. None of it is differentiable.
#include <torch/custom_class.h>
#include <torch/library.h>
#include <torch/types.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <tuple>

#include "vsmax/base/error.h"
#include "vsmax/geometry/ea_score.h"
#include "vsmax/geometry/embedded_line.h"
#include "vsmax/image/image_file.h"
#include "vsmax/recover/confidence.h"
#include "vsmax/recover/grid_choice.h"
#include "vsmax/recover/line_recoverer.h"
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

// Probabilities on the single cover [N, T, R], their barycentres [N, 6] and the lines read from
// them (theta, rho / D) [N, 2] -> [N] (Eq. 25).
torch::Tensor confidences(const torch::Tensor& probabilities, const torch::Tensor& barycentres,
                          const torch::Tensor& lines) {
  const auto p = on_cpu(probabilities, torch::kFloat);
  const auto means = on_cpu(barycentres, torch::kDouble);
  const auto polar = on_cpu(lines, torch::kDouble);
  const CellShape shape{static_cast<int>(p.size(1)), static_cast<int>(p.size(2)), Cover::kSingle};
  auto result = torch::zeros({p.size(0)}, torch::kDouble);
  for (int64_t i = 0; i < p.size(0); ++i) {
    LineEmbedding mean{};
    std::copy_n(means.data_ptr<double>() + 6 * i, 6, mean.begin());
    const UnitLine line = line_at(polar, i);
    if (!std::isfinite(line.theta) || !std::isfinite(line.rho)) continue;
    const float* cells = p.data_ptr<float>() + static_cast<std::size_t>(i) * shape.count();
    result.data_ptr<double>()[i] =
        concentration({cells, shape}, line_from_embedding(mean).gap, line);
  }
  return result.to(probabilities.options().dtype(torch::kFloat));
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

// The model whose answer this is ("" unless it was chosen among several), and a row per line:
// theta, rho, confidence, then x and y of both ends from the centre of the top-left pixel (NaN
// where the line lies outside), in pixels, then the spread in the order of LineSpread (NaN where it
// is unknown).
using Answer = std::tuple<std::string, torch::Tensor>;

Answer answer_from(const Recovery& recovery, const ImageFrame& frame) {
  constexpr int64_t kColumns = 18;
  auto rows =
      torch::full({static_cast<int64_t>(recovery.lines.size()), kColumns}, NAN, torch::kDouble);
  auto* row = rows.data_ptr<double>();
  for (const auto& found : recovery.lines) {
    row[0] = found.line.theta;
    row[1] = found.line.rho;
    row[2] = found.confidence;
    if (found.visible) {
      row[3] = found.visible->begin[0] + frame.half_width();
      row[4] = found.visible->begin[1] + frame.half_height();
      row[5] = found.visible->end[0] + frame.half_width();
      row[6] = found.visible->end[1] + frame.half_height();
    }
    if (found.spread) {
      const LineSpread& spread = *found.spread;
      double* to = row + 7;
      for (const double value : {spread.theta_sd, spread.rho_sd, spread.correlation}) *to++ = value;
      for (const auto& interval : {spread.theta_68, spread.theta_95, spread.rho_68, spread.rho_95})
        to = std::copy(interval.begin(), interval.end(), to);
    }
    row += kColumns;
  }
  return {recovery.model, rows};
}

// A recoverer keeps buffers between images, so calls take turns.
class Recoverer : public torch::CustomClassHolder {
 public:
  Recoverer(const std::string& name, bool dark)
      : recover_(with_torch_errors([&] {
          Model model = load_model(name);
          if (dark) model.spec.polarity = Polarity::kDark;
          return model;
        })) {}

  // Grey values [H, W], taken as they are, or the bytes of a colour image [H, W, 3].
  Answer detect(const torch::Tensor& image, int64_t most, double min_confidence) {
    const bool colour = image.dim() == 3;
    const auto pixels = on_cpu(image, colour ? torch::kByte : torch::kFloat);
    const auto width = static_cast<int>(pixels.size(1));
    const auto height = static_cast<int>(pixels.size(0));
    return with_torch_errors([&] {
      return run(colour ? ImageView::rgb(pixels.data_ptr<std::uint8_t>(), width, height)
                        : ImageView(pixels.data_ptr<float>(), width, height),
                 most, min_confidence);
    });
  }

  // The same for a file: in colour if the model makes use of it, otherwise with all its bits.
  Answer detect_file(const std::string& path, int64_t most, double min_confidence) {
    const auto answer = [&](const auto& image) {
      try {
        return run(image, most, min_confidence);
      } catch (const Error& error) {
        throw Error(path + ": " + error.what());
      }
    };
    return with_torch_errors([&] {
      return recover_.model().sees_colour() ? answer(read_rgb_image(path))
                                            : answer(read_image(path));
    });
  }

  // The model's spec as JSON, from which the package builds the same model of tensors.
  // That of a choice among several models says only so.
  std::string description() const {
    const ModelSpec& spec = recover_.model().spec;
    if (!recover_.model().candidates.empty()) return nlohmann::json{{"evidence", "several"}}.dump();
    nlohmann::json text{{"name", spec.name},
                        {"evidence", to_string(spec.evidence)},
                        {"refinement", to_string(spec.refinement)},
                        {"cover", to_string(spec.cover)},
                        {"readout", to_string(spec.readout)},
                        {"loss", to_string(spec.loss)},
                        {"temperature", spec.temperature},
                        {"scale", spec.scale},
                        {"warning", recover_.model().warning}};
    if (spec.frame) text["size"] = {spec.frame->height, spec.frame->width};
    return text.dump();
  }

  // T and R of the model's grid for an image of this size.
  std::vector<int64_t> bins(int64_t width, int64_t height) const {
    const HoughGrid grid = with_torch_errors([&] {
      return grid_for(recover_.model().spec, {static_cast<int>(width), static_cast<int>(height)});
    });
    return {grid.thetas(), grid.rhos()};
  }

  // Weight and bias of every layer of the network; empty for a model without one.
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
  Answer run(const ImageView& image, int64_t most, double min_confidence) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const LinesWanted wanted{static_cast<int>(most), min_confidence};
    return answer_from(recover_(image, wanted), image.frame());
  }

  std::mutex mutex_;
  LineRecoverer recover_;
};

}  // namespace

TORCH_LIBRARY_FRAGMENT(vsmax, library) {
  library.def("ea_scores(Tensor predicted, Tensor truth, int width, int height) -> Tensor",
              TORCH_FN(ea_scores));
  library.def("confidences(Tensor probabilities, Tensor barycentres, Tensor lines) -> Tensor",
              TORCH_FN(confidences));
  library.def("vote_table(int width, int height, int thetas, int rhos) -> Tensor",
              TORCH_FN(vote_table));
  library.class_<Recoverer>("Recoverer")
      .def(torch::init<std::string, bool>())
      .def("detect", &Recoverer::detect)
      .def("detect_file", &Recoverer::detect_file)
      .def("description", &Recoverer::description)
      .def("bins", &Recoverer::bins)
      .def("weights", &Recoverer::weights);
}

}  // namespace vsmax
