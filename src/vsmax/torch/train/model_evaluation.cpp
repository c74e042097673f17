// SPDX-License-Identifier: Apache-2.0
#include "vsmax/torch/train/model_evaluation.h"

#include <algorithm>
#include <utility>

#include "vsmax/base/error.h"
#include "vsmax/data/synthetic.h"
#include "vsmax/score/ea_score.h"
#include "vsmax/score/rendered_lines.h"
#include "vsmax/torch/models/line_model_file.h"
#include "vsmax/torch/models/render.h"
#include "vsmax/torch/train/device.h"

namespace vsmax {

namespace {

std::vector<LineSample> choose_samples(const HoughGrid& grid, LineSet set, std::uint64_t seed,
                                       double sigma) {
  std::vector<LineSample> samples;
  for (const Cell cell : grid.resolvable_cells()) {
    const SampleKey key{seed, Split::kTest, 0, static_cast<std::uint32_t>(samples.size())};
    const PixelLine line =
        set == LineSet::kGrid ? grid.line(cell) : draw_continuous_line(key, grid.frame());
    samples.push_back({line, sigma, key});
  }
  return samples;
}

// The metadata of a weights file say of which model it is.
std::unique_ptr<LineModel> open_model(const std::string& name_or_file, bool bfloat16) {
  if (name_or_file == "argmax") {
    LineModelSpec spec;
    spec.name = name_or_file;
    return make_line_model(spec);
  }
  const auto names = line_model_names();
  if (std::find(names.begin(), names.end(), name_or_file) != names.end())
    throw Error("the model " + name_or_file +
                " is nothing without weights: name the .safetensors file that training wrote");
  return load_line_model(read_safetensors(name_or_file), name_or_file, bfloat16);
}

}  // namespace

struct ModelEvaluator::State {
  torch::Device device;
  std::unique_ptr<LineModel> model;
};

ModelEvaluator::ModelEvaluator(const std::string& name_or_file, const std::string& device,
                               int threads, bool bfloat16)
    : state_(new State{open_device(device), nullptr}) {
  make_reproducible(threads);
  state_->model = open_model(name_or_file, bfloat16);
  state_->model->to(state_->device);
  state_->model->train_mode(false);
}

ModelEvaluator::~ModelEvaluator() = default;

const std::string& ModelEvaluator::model_name() const { return state_->model->spec().name; }

const HoughGrid& ModelEvaluator::grid() const { return state_->model->spec().grid; }

Evaluation ModelEvaluator::evaluate(double sigma, LineSet lines, std::uint64_t seed, int batch,
                                    const Progress& progress) const {
  const torch::NoGradGuard no_grad;
  const ImageFrame frame = grid().frame();
  const std::vector<LineSample> samples = choose_samples(grid(), lines, seed, sigma);
  std::vector<PixelLine> truth;
  std::vector<double> scores;
  truth.reserve(samples.size());
  scores.reserve(samples.size());
  for (std::size_t begin = 0; begin < samples.size();) {
    const std::size_t end = std::min(begin + static_cast<std::size_t>(batch), samples.size());
    const std::vector<LineSample> part(samples.begin() + static_cast<std::ptrdiff_t>(begin),
                                       samples.begin() + static_cast<std::ptrdiff_t>(end));
    const PredictedLines found =
        state_->model->predict(render_samples(frame, part, state_->device));
    for (std::size_t i = 0; i < part.size(); ++i) {
      const PixelLine predicted{found.theta.data_ptr<double>()[i],
                                found.rho.data_ptr<double>()[i] * frame.half_diagonal()};
      truth.push_back(part[i].line);
      scores.push_back(found.found.data_ptr<bool>()[i] ? ea_score(predicted, part[i].line, frame)
                                                       : 0.0);
    }
    begin = end;
    if (progress && !progress(end, samples.size())) throw Interrupted{};
  }
  return evaluation_from_scores(std::move(truth), std::move(scores));
}

}  // namespace vsmax
