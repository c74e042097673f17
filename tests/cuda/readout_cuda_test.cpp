// SPDX-License-Identifier: Apache-2.0
// The readout's kernels give what the core gives.
#include "cuda_test.h"
#include "support/random.h"
#include "vsmax/readout/veronese_cuda.h"
#include "vsmax/readout/veronese_cuda_table.h"
#include "vsmax/readout/veronese_soft_argmax.h"

namespace vsmax {
namespace {

constexpr int kBatch = 3;
const std::vector<CellShape> kShapes{{1, 3}, {2, 5}, {15, 21}, {31, 33}, {40, 129}};

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

}  // namespace
}  // namespace vsmax
