// SPDX-License-Identifier: Apache-2.0
#include "vsmax/torch/models/predicted_lines.h"

#include <algorithm>
#include <cmath>

#include "vsmax/geometry/embedded_line.h"

namespace vsmax {
namespace {

// Calls line_of(row) for the rows of a [B, columns] tensor.
template <class LineOf>
PredictedLines collect_lines(const torch::Tensor& tensor, const LineOf& line_of) {
  const auto values = tensor.detach().to(torch::kCPU, torch::kDouble).contiguous();
  const int64_t count = values.size(0);
  PredictedLines lines{torch::zeros({count}, torch::kDouble), torch::zeros({count}, torch::kDouble),
                       torch::zeros({count}, torch::kBool)};
  for (int64_t b = 0; b < count; ++b) {
    const double* row = values.data_ptr<double>() + b * values.size(1);
    if (!std::all_of(row, row + values.size(1), [](double x) { return std::isfinite(x); }))
      continue;
    const UnitLine line = line_of(row);
    if (!std::isfinite(line.rho)) continue;
    lines.theta.data_ptr<double>()[b] = line.theta;
    lines.rho.data_ptr<double>()[b] = line.rho;
    lines.found.data_ptr<bool>()[b] = true;
  }
  return lines;
}

}  // namespace

PredictedLines lines_from_polar(const torch::Tensor& polar) {
  return collect_lines(polar, [](const double* row) {
    return canonical(UnitLine{row[0], row[1]});
  });
}

PredictedLines lines_from_embedding(const torch::Tensor& embedding) {
  return collect_lines(embedding, [](const double* row) {
    LineEmbedding v{};
    std::copy_n(row, v.size(), v.begin());
    return line_from_embedding(v).line;
  });
}

}  // namespace vsmax
