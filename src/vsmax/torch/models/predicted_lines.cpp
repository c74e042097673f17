// SPDX-License-Identifier: Apache-2.0
#include "vsmax/torch/models/predicted_lines.h"

#include <cmath>

#include "vsmax/geometry/line.h"
#include "vsmax/geometry/symmetric_eigen.h"

namespace vsmax {

namespace {

// Calls line_of(values of row b) for every row of a [B, columns] tensor.
template <class LineOf>
PredictedLines collect(const torch::Tensor& tensor, const LineOf& line_of) {
  const auto values = tensor.detach().to(torch::kCPU, torch::kDouble).contiguous();
  const int64_t count = values.size(0);
  PredictedLines lines{torch::zeros({count}, torch::kDouble), torch::zeros({count}, torch::kDouble),
                       torch::zeros({count}, torch::kBool)};
  for (int64_t b = 0; b < count; ++b) {
    const double* row = values.data_ptr<double>() + b * values.size(1);
    bool finite = true;
    for (int64_t i = 0; i < values.size(1); ++i) finite = finite && std::isfinite(row[i]);
    const PixelLine line = finite ? line_of(row) : PixelLine{0.0, INFINITY};
    if (!std::isfinite(line.rho)) continue;
    lines.theta.data_ptr<double>()[b] = line.theta;
    lines.rho.data_ptr<double>()[b] = line.rho;
    lines.found.data_ptr<bool>()[b] = true;
  }
  return lines;
}

}  // namespace

PredictedLines lines_from_polar(const torch::Tensor& polar) {
  return collect(polar, [](const double* row) { return canonical({row[0], row[1]}); });
}

PredictedLines lines_from_embedding(const torch::Tensor& embedding) {
  return collect(embedding, [](const double* row) {
    VeroneseVector<3> v{};
    std::copy_n(row, v.size(), v.begin());
    return line_from_vector(symmetric_eigen(symmetric_from_veronese<3>(v)).leading());
  });
}

torch::Tensor polar_from_lines(const PredictedLines& lines, const torch::Tensor& like) {
  return torch::stack({lines.theta, lines.rho}, 1)
      .masked_fill(lines.found.logical_not().unsqueeze(1), NAN)
      .to(like.device(), torch::kFloat);
}

}  // namespace vsmax
