// SPDX-License-Identifier: Apache-2.0
#include "vsmax/torch/models/max_pool.h"

#include "torch/ops/on_device.h"

namespace vsmax::test {
namespace {

TEST(MaxPool, IsTorchsInEveryLayoutAndType) {
  for (const auto& device : {torch::Device("cpu"), torch::Device("cuda")}) {
    if (device.is_cuda() && !has_cuda()) continue;
    for (const auto type : {torch::kFloat, torch::kBFloat16})
      for (const auto layout : {torch::MemoryFormat::Contiguous, torch::MemoryFormat::ChannelsLast})
        for (const int64_t channels : {3, 64}) {
          // Few different values, so that many windows have several largest ones.
          const auto values = torch::randint(-4, 4, {2, channels, 9, 12}, torch::kFloat);
          const auto pull = torch::randint(-4, 4, {2, channels, 5, 6}, torch::kFloat);
          const auto truth_in = values.clone().requires_grad_();
          const auto truth = torch::max_pool2d(truth_in, 3, 2, 1);
          truth.backward(pull);

          const auto in = values.to(device, type).contiguous(layout).requires_grad_();
          const auto out = max_pool(in);
          out.backward(pull.to(device, type));
          EXPECT_EQ(out.scalar_type(), type);
          EXPECT_TRUE(layout == torch::MemoryFormat::Contiguous || out.is_contiguous(layout));
          EXPECT_TRUE(torch::equal(out.cpu().to(torch::kFloat), truth));
          EXPECT_TRUE(torch::equal(in.grad().cpu().to(torch::kFloat), truth_in.grad()));
        }
  }
}

}  // namespace
}  // namespace vsmax::test
