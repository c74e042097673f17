// SPDX-License-Identifier: Apache-2.0
#include "vsmax/ceiling/posterior_evaluation.h"

#include <utility>
#include <vector>

#include "vsmax/base/error.h"
#include "vsmax/base/parallel.h"
#include "vsmax/score/ea_score.h"
#include "vsmax/score/rendered_lines.h"

namespace vsmax {

PosteriorEvaluation evaluate(const LinePosterior& posterior, double sigma,
                             const EvaluationOptions& options, const Progress& progress) {
  if (options.lines != LineSet::kGrid || !(options.grid == posterior.grid()))
    throw Error("the posterior is over the lines of one grid and can be scored on those alone");
  const auto lines = evaluation_lines(options);
  const ImageFrame frame = options.grid.frame();
  std::vector<double> maximum(lines.size());
  std::vector<double> barycentre(lines.size());
  std::vector<double> best_expected(lines.size());
  std::vector<LinePosterior::Scratch> scratches(
      static_cast<std::size_t>(resolve_threads(options.threads)));
  for_each_rendered_line(lines, sigma, options, progress,
                         [&](const GrayImage& image, std::size_t i, std::size_t worker) {
                           const auto found = posterior(image, sigma, scratches[worker]);
                           maximum[i] = ea_score(found.maximum, lines[i], frame);
                           barycentre[i] = ea_score(found.barycentre, lines[i], frame);
                           best_expected[i] = ea_score(found.best_expected, lines[i], frame);
                         });
  return {evaluation_from_scores(lines, std::move(maximum)),
          evaluation_from_scores(lines, std::move(barycentre)),
          evaluation_from_scores(lines, std::move(best_expected))};
}

}  // namespace vsmax
