// SPDX-License-Identifier: Apache-2.0
#include "vsmax/torch/train/model_evaluation.h"

#include <algorithm>
#include <utility>

#include "vsmax/base/error.h"
#include "vsmax/geometry/ea_score.h"
#include "vsmax/score/rendered_lines.h"
#include "vsmax/torch/models/line_model.h"
#include "vsmax/torch/models/render.h"
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

}  // namespace vsmax
