// SPDX-License-Identifier: Apache-2.0
// The concentration on a line, against probabilities that torch computes and the core's formula.
#include "torch/ops/on_device.h"
#include "vsmax/readout/concentration.h"
#include "vsmax/torch/functions/line_coordinates.h"
#include "vsmax/torch/ops/operator_support.h"
#include "vsmax/torch/ops/ops.h"

namespace vsmax::test {
namespace {

using ConcentrationOp = OnDevice;

constexpr double kTemperature = 0.7;
constexpr CellShape kCells{7, 9};

struct Softmax {
  torch::Tensor logits, mean, log_sum, lines;
};

Softmax read_out(const torch::Tensor& logits, bool double_cover) {
  using Signature = std::tuple<torch::Tensor, torch::Tensor>(const torch::Tensor&, bool, double);
  const auto op = ops::find_operator<Signature>("vsmax::veronese_readout_forward");
  const auto [mean, log_sum] = op.call(logits, double_cover, kTemperature);
  return {logits, mean, log_sum, nn::polar_from_embedding(mean, 1e-4)};
}

torch::Tensor concentration_of(const Softmax& all, bool double_cover) {
  return ops::concentration(all.logits, all.log_sum, all.mean, all.lines, double_cover,
                            kTemperature);
}

TEST_P(ConcentrationOp, IsThatOfTheProbabilities) {
  for (const bool double_cover : {false, true}) {
    const int64_t rows = double_cover ? 2 * kCells.thetas : kCells.thetas;
    const auto all = read_out(random_on(float64(), {2, 3, rows, kCells.rhos}) * 3.0, double_cover);
    const auto found = concentration_of(all, double_cover);
    EXPECT_EQ(found.sizes(), torch::IntArrayRef({2, 3}));
    auto p = torch::softmax((all.logits / kTemperature).flatten(-2), -1).view_as(all.logits).cpu();
    if (double_cover)
      p = p.narrow(-2, 0, kCells.thetas) + p.narrow(-2, kCells.thetas, kCells.thetas).flip({-1});
    p = p.contiguous();
    const auto lines = all.lines.cpu().contiguous();
    const auto means = all.mean.cpu().contiguous();
    auto expected = torch::empty({2, 3}, torch::kDouble);
    for (int64_t i = 0; i < expected.numel(); ++i) {
      const double* cells = p.data_ptr<double>() + i * static_cast<int64_t>(kCells.count());
      LineEmbedding mean{};
      std::copy_n(means.data_ptr<double>() + 6 * i, mean.size(), mean.begin());
      const UnitLine line{lines.data_ptr<double>()[2 * i], lines.data_ptr<double>()[2 * i + 1]};
      expected.data_ptr<double>()[i] =
          concentration(kCells, line_from_embedding(mean).gap, line,
                        [&](Cell cell) { return cells[kCells.index(cell)]; });
    }
    EXPECT_LT(distance(found, expected), 1e-10);
    EXPECT_GT(expected.max().item<double>(), 0.0);
  }
}

TEST_P(ConcentrationOp, NoLineNoBatchAndWrongShapes) {
  auto all = read_out(random_on(float32(), {4, kCells.thetas, kCells.rhos}), false);
  const auto part = all.lines.narrow(0, 0, 3);
  EXPECT_THROW(ops::concentration(all.logits, all.log_sum, all.mean, part, false, kTemperature),
               c10::Error);
  all.lines = torch::full_like(all.lines, NAN);
  EXPECT_EQ(distance(concentration_of(all, false), torch::zeros({4})), 0.0);
  const auto none = read_out(torch::zeros({0, kCells.thetas, kCells.rhos}, float32()), false);
  EXPECT_EQ(concentration_of(none, false).sizes(), torch::IntArrayRef({0}));
}

VSMAX_ON_EACH_DEVICE(ConcentrationOp);

}  // namespace
}  // namespace vsmax::test
