// SPDX-License-Identifier: Apache-2.0
// The images of an evaluation, rendered one after the other on several threads.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "vsmax/image/image.h"
#include "vsmax/score/evaluation.h"

namespace vsmax {

// The lines that the options ask for. A line's place here is the index of its noise.
std::vector<PolarLine> evaluation_lines(const EvaluationOptions& options);

// Calls body(image, line's index, worker) once for every line, worker as in parallel_for. Throws
// Interrupted where `progress` says so.
using RenderedLineBody =
    std::function<void(const GrayImage& image, std::size_t index, std::size_t worker)>;
void for_each_rendered_line(const std::vector<PolarLine>& lines, double sigma,
                            const EvaluationOptions& options, const Progress& progress,
                            const RenderedLineBody& body);

// The scores of `lines` with their means over all, seam and interior.
Evaluation evaluation_from_scores(std::vector<PolarLine> lines, std::vector<double> scores);

}  // namespace vsmax
