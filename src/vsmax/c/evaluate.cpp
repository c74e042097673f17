// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "vsmax/c/arguments.h"
#include "vsmax/c/status.h"
#include "vsmax/c/vsmax.h"
#include "vsmax/recover/grid_choice.h"
#include "vsmax/recover/model.h"
#include "vsmax/score/evaluation.h"

namespace vsmax::c_interface {
namespace {

// The grid of the scored lines.
HoughGrid grid_of(const vsmax_evaluation_options& options, const Model& model) {
  const bool asked_for =
      options.width != 0 || options.height != 0 || options.angles != 0 || options.offsets != 0;
  if (model.spec.frame) {
    if (asked_for)
      throw ArgumentError(model.name +
                          " is scored on the lines of its own grid; leave the sizes at 0");
    return grid_for(model.spec, *model.spec.frame);
  }
  const HoughGrid paper = HoughGrid::paper();
  const auto or_else = [](int given, int otherwise) { return given == 0 ? otherwise : given; };
  return {frame_of(or_else(options.width, paper.frame().width),
                   or_else(options.height, paper.frame().height)),
          or_else(options.angles, paper.thetas()), or_else(options.offsets, paper.rhos())};
}

vsmax_scores plain_scores(const ScoreSummary& summary) {
  return {summary.count, summary.mean, summary.deviation};
}

}  // namespace
}  // namespace vsmax::c_interface

vsmax_status vsmax_evaluate(const char* model, const vsmax_evaluation_options* options,
                            vsmax_evaluation* evaluation) {
  return vsmax::c_interface::guarded([&] {
    using namespace vsmax::c_interface;
    const vsmax_evaluation_options wanted = evaluation_options_of(options);
    require_size(required(evaluation, "evaluation"));
    const vsmax::Model loaded = vsmax::load_model(&required(model, "model"));
    const vsmax::EvaluationOptions settings{
        grid_of(wanted, loaded),
        wanted.continuous != 0 ? vsmax::LineSet::kContinuous : vsmax::LineSet::kGrid, wanted.seed,
        wanted.threads};
    const auto progress = [&](std::size_t done, std::size_t total) {
      return wanted.progress == nullptr || wanted.progress(wanted.data, done, total) == 0;
    };
    try {
      const auto scored = vsmax::evaluate(loaded, wanted.sigma, settings, progress);
      vsmax_evaluation result{};
      result.all = plain_scores(scored.all);
      result.seam = plain_scores(scored.seam);
      result.interior = plain_scores(scored.interior);
      result.calibration_error = scored.reliability ? scored.reliability->calibration.error : 0.0;
      hand_over(result, *evaluation);
    } catch (const vsmax::Interrupted&) {
      throw Stopped{};
    }
  });
}
