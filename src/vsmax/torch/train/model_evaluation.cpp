// SPDX-License-Identifier: Apache-2.0
#include "vsmax/torch/train/model_evaluation.h"

#include <algorithm>
#include <numbers>
#include <utility>

#include "vsmax/base/error.h"
#include "vsmax/geometry/ea_score.h"
#include "vsmax/score/rendered_lines.h"
#include "vsmax/torch/models/line_model.h"
#include "vsmax/torch/models/render.h"
#include "vsmax/torch/photos/exposure.h"
#include "vsmax/torch/photos/photos.h"
#include "vsmax/torch/photos/polar_lines.h"
#include "vsmax/torch/train/device.h"

namespace vsmax {
namespace {

// A model without weights by its name, or any model by its weights file.
std::unique_ptr<LineModel> open_model(const std::string& name_or_file, bool bfloat16) {
  for (ModelSpec& spec : named_specs()) {
    if (spec.name != name_or_file) continue;
    if (spec.learns())
      throw Error("the model " + name_or_file +
                  " needs weights: give the .safetensors file that training wrote");
    const HoughGrid paper = HoughGrid::paper();
    spec.frame = paper.frame();
    spec.bins = {paper.thetas(), paper.rhos()};
    return make_line_model(spec);
  }
  return load_line_model(read_safetensors(name_or_file), name_or_file, bfloat16);
}

}  // namespace

ModelEvaluator::ModelEvaluator(const std::string& name_or_file, const std::string& device,
                               int threads, bool bfloat16)
    : device_(device) {
  const c10::Device opened = open_device(device);
  make_reproducible(threads);
  model_ = open_model(name_or_file, bfloat16);
  model_->to(opened);
  model_->train_mode(false);
}

ModelEvaluator::~ModelEvaluator() = default;

const std::string& ModelEvaluator::model_name() const { return model_->spec().name; }

const HoughGrid& ModelEvaluator::grid() const { return model_->grid(); }

Evaluation ModelEvaluator::evaluate(double sigma, LineSet lines, std::uint64_t seed, int batch,
                                    const Progress& progress) const {
  const c10::Device device = open_device(device_);
  const RenderedLines truth({grid(), lines, seed, /*threads=*/1}, sigma);
  const ImageFrame& frame = truth.frame();
  std::vector<double> scores;
  scores.reserve(truth.count());
  while (scores.size() < truth.count()) {
    const std::size_t begin = scores.size();
    const std::size_t end = std::min(begin + static_cast<std::size_t>(batch), truth.count());
    std::vector<LineSample> samples;
    for (std::size_t i = begin; i < end; ++i)
      samples.push_back(
          {truth.line(i), sigma, {seed, Split::kTest, 0, static_cast<std::uint32_t>(i)}});
    const PredictedLines found = model_->predict(render_samples(frame, samples, device));
    for (std::size_t i = 0; i < samples.size(); ++i) {
      const UnitLine line{found.theta.data_ptr<double>()[i], found.rho.data_ptr<double>()[i]};
      scores.push_back(found.found.data_ptr<bool>()[i]
                           ? ea_score(pixel_from_unit(line, frame), samples[i].line, frame)
                           : 0.0);
    }
    if (progress && !progress(end, truth.count())) throw Interrupted{};
  }
  return truth.evaluation(std::move(scores));
}

std::vector<ViewScore> ModelEvaluator::evaluate_photos(const LabelledFolder& folder, int rotations,
                                                       int batch, const Progress& progress) const {
  if (model_->spec().evidence != EvidenceKind::kLearned)
    throw Error("the model " + model_name() + " has not been trained on photographs");
  const torch::NoGradGuard no_grad;
  const c10::Device device = open_device(device_);
  const ImageFrame& frame = grid().frame();
  const Photos photos = load_photos(folder, frame, device);
  const int64_t views = std::max(1, rotations);
  const int64_t count = photos.count() * views;
  std::vector<ViewScore> scores;
  for (int64_t begin = 0; begin < count; begin += batch) {
    const auto view = torch::arange(begin, std::min(begin + batch, count), torch::kLong);
    const auto index = torch::div(view, views, "floor");
    // Equal steps, starting from a different angle for each photograph.
    const auto start = torch::frac(index.to(torch::kDouble) * std::numbers::phi);
    const auto step = rotations == 0 ? torch::zeros_like(start) : view % views + start;
    const auto angle = step * (2.0 * std::numbers::pi / static_cast<double>(views));
    const Views seen = view_photos(photos, index.to(device), frame,
                                   rotated_views(angle.to(device, torch::kFloat)));
    const auto truth = polar_from_ends(seen.ends.select(1, 0), frame);
    const auto visible = (rotations == 0 ? torch::ones_like(index, torch::kBool)
                                         : meets_disc(truth, frame, kSeenInDisc).to(torch::kCPU));
    const PredictedLines found =
        model_->predict(normalized(rotations == 0 ? seen.images : keep_disc(seen.images)));
    const auto lines = truth.to(torch::kCPU, torch::kDouble).contiguous();
    for (int64_t i = 0; i < view.size(0); ++i) {
      if (!visible.data_ptr<bool>()[i]) continue;
      const double* line = lines.data_ptr<double>() + 2 * i;
      ViewScore& score = scores.emplace_back();
      score.truth = pixel_from_unit({line[0], line[1]}, frame);
      Recovery answer;
      if (found.found.data_ptr<bool>()[i])
        answer.lines.push_back(
            {pixel_from_unit({found.theta.data_ptr<double>()[i], found.rho.data_ptr<double>()[i]},
                             frame),
             0.0,
             {}});
      score.score = score_line(answer, score.truth, frame);
    }
    const auto done = static_cast<std::size_t>(std::min(begin + batch, count));
    if (progress && !progress(done, static_cast<std::size_t>(count))) throw Interrupted{};
  }
  if (scores.empty()) throw Error(folder.path + ": no line can be seen in the rotated views");
  return scores;
}

}  // namespace vsmax
