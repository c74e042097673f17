// SPDX-License-Identifier: Apache-2.0
#include "vsmax/ceiling/posterior_evaluation.h"

#include <utility>
#include <vector>

#include "vsmax/base/error.h"
#include "vsmax/base/parallel.h"
#include "vsmax/geometry/ea_score.h"
#include "vsmax/score/rendered_lines.h"

namespace vsmax {

PosteriorEvaluation evaluate(const LinePosterior& posterior, double sigma,
                             const EvaluationOptions& options, const Progress& progress) {
  if (options.lines != LineSet::kGrid || !(options.grid == posterior.grid()))
    throw Error("the posterior is over the lines of one grid and can only be scored on those");
  const RenderedLines lines(options, sigma);
  std::vector<double> maximum(lines.count());
  std::vector<double> barycentre(lines.count());
  std::vector<double> best_expected(lines.count());
  const auto workers = static_cast<std::size_t>(resolve_threads(options.threads));
  std::vector<LinePosterior::Scratch> scratches(workers);
  std::vector<GrayImage> images(workers);
  ProgressCounter counter(progress, lines.count());
  parallel_for(lines.count(), options.threads, [&](std::size_t i, std::size_t worker) {
    const auto found = posterior(lines.render(i, images[worker]), sigma, scratches[worker]);
    maximum[i] = ea_score(found.maximum, lines.line(i), lines.frame());
    barycentre[i] = ea_score(found.barycentre, lines.line(i), lines.frame());
    best_expected[i] = ea_score(found.best_expected, lines.line(i), lines.frame());
    counter.advance();
  });
  return {lines.evaluation(std::move(maximum)), lines.evaluation(std::move(barycentre)),
          lines.evaluation(std::move(best_expected))};
}

}  // namespace vsmax
