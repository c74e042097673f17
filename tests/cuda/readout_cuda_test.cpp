// SPDX-License-Identifier: Apache-2.0
// The readout's kernels give what the core gives.
#include <cmath>
#include <limits>

#include "cuda_test.h"
#include "support/random.h"
#include "vsmax/readout/device_line_readout.h"
#include "vsmax/readout/line_readout_cuda.h"
#include "vsmax/readout/veronese_cuda.h"
#include "vsmax/readout/veronese_cuda_table.h"
#include "vsmax/readout/veronese_soft_argmax.h"
#include "vsmax/recover/confidence.h"

namespace vsmax {
namespace {

constexpr int kBatch = 3;
const std::vector<CellShape> kShapes{{1, 3}, {2, 5}, {15, 21}, {31, 33}, {131, 129}};

class ReadoutCuda : public test::CudaTest {
 protected:
  // The logits of a batch.
  std::vector<double> logits(const CellShape& shape) {
    std::vector<double> values(kBatch * shape.count());
    for (double& value : values) value = random_.uniform(-4.0, 4.0);
    return values;
  }

  test::Random random_;
};

TEST_F(ReadoutCuda, IsTheCores) {
  constexpr double kTemperature = 0.7;
  for (const CellShape& single : kShapes)
    for (const Cover cover : {Cover::kSingle, Cover::kDouble}) {
      const CellShape shape = single.on(cover);
      const auto values = logits(shape);
      const DeviceArray<double> table(readout_table_values(shape));
      const DeviceArray<double> input(values);
      const auto found = test::in_any_order([&] {
        DeviceArray<double> barycentres(6 * kBatch);
        DeviceArray<double> log_sums(kBatch);
        check_cuda(veronese_readout_cuda(readout_table_at(shape, table.data()), kTemperature,
                                         input.data(), kBatch, barycentres.data(), log_sums.data(),
                                         nullptr));
        return std::pair(barycentres.to_host(), log_sums.to_host());
      });
      const VeroneseSoftArgmax readout(shape);
      for (std::size_t b = 0; b < kBatch; ++b) {
        const auto truth = readout.read(
            Cells<const double>(values.data() + b * shape.count(), shape), kTemperature);
        ASSERT_NEAR(found.second[b], truth.log_sum, 1e-12);
        for (std::size_t i = 0; i < 6; ++i)
          ASSERT_NEAR(found.first[6 * b + i], truth.barycentre[i], 1e-13);
      }
    }
}

// Logits like those of a trained network: a peak, a lesser one, noise.
std::vector<float> logits_of_a_line(const HoughGrid& grid, Cover cover, test::Random& random) {
  const CellShape shape = grid.shape(cover);
  std::vector<float> values(shape.count());
  for (float& value : values) value = static_cast<float>(random.uniform(-3.0, 3.0));
  for (const float height : {14.0F, 10.0F})
    values[shape.index({random.integer(0, shape.rows() - 1), random.integer(0, shape.rhos - 1)})] =
        height;
  return values;
}

TEST_F(ReadoutCuda, LinesAndExpectedScoresAreTheCores) {
  constexpr double kTemperature = 0.9;
  // The last has more cells than an image's blocks take in one pass.
  for (const HoughGrid& grid :
       {HoughGrid({40, 30}, 24, 31), HoughGrid({33, 57}, 37, 41), HoughGrid({64, 64}, 131, 129)})
    for (const Cover cover : {Cover::kSingle, Cover::kDouble}) {
      const CellShape shape = grid.shape(cover);
      std::vector<float> values;
      for (int b = 0; b < kBatch; ++b) {
        const auto image = logits_of_a_line(grid, cover, random_);
        values.insert(values.end(), image.begin(), image.end());
      }
      const DeviceLineReadout tables(grid, cover, kTemperature);
      const DeviceArray<float> input(values);
      const auto found = test::in_any_order([&] {
        DeviceArray<double> scratch(line_readout_cuda_scratch(shape, kBatch));
        DeviceArray<LineOnDevice> lines(kBatch);
        check_cuda(line_readout_cuda(tables.on_device(), input.data(), kBatch, scratch.data(),
                                     lines.data(), nullptr));
        return lines.to_host();
      });
      const VeroneseSoftArgmax readout(shape);
      const ExpectedScore expected_score(grid);
      for (std::size_t b = 0; b < kBatch; ++b) {
        std::vector<float> p(shape.count());
        const Cells<float> probabilities(p.data(), shape);
        const auto truth =
            readout.read(Cells<const float>(values.data() + b * shape.count(), shape), kTemperature,
                         probabilities);
        const PixelLine line =
            pixel_from_unit(line_from_embedding(truth.barycentre).line, grid.frame());
        std::vector<float> folded(p.begin(), p.begin() + static_cast<std::ptrdiff_t>(grid.cells()));
        const Cells<float> single(folded.data(), grid.shape());
        if (cover == Cover::kDouble) fold_double_cover(probabilities, single);
        EXPECT_NEAR(found[b].line.theta, line.theta, 2e-6);
        EXPECT_NEAR(found[b].line.rho, line.rho, 2e-5);
        EXPECT_NEAR(found[b].log_sum, truth.log_sum, 1e-5);
        EXPECT_NEAR(found[b].expected_score, expected_score(single, line), 1e-5);
      }
    }
}

TEST_F(ReadoutCuda, ALogitThatIsNotANumberGivesNoLine) {
  const HoughGrid grid({40, 30}, 24, 31);
  const CellShape shape = grid.shape(Cover::kDouble);
  std::vector<float> values(2 * shape.count(), 0.0F);
  values[shape.count() / 3] = std::numeric_limits<float>::quiet_NaN();
  values[shape.count()] = 20.0F;
  const DeviceLineReadout tables(grid, Cover::kDouble, 1.0);
  const DeviceArray<float> input(values);
  DeviceArray<double> scratch(line_readout_cuda_scratch(shape, 2));
  DeviceArray<LineOnDevice> lines(2);
  check_cuda(line_readout_cuda(tables.on_device(), input.data(), 2, scratch.data(), lines.data(),
                               nullptr));
  const auto found = lines.to_host();
  EXPECT_TRUE(std::isnan(found[0].line.theta) && std::isnan(found[0].log_sum));
  EXPECT_EQ(found[0].expected_score, 0.0);
  EXPECT_TRUE(std::isfinite(found[1].line.rho));
}

}  // namespace
}  // namespace vsmax
