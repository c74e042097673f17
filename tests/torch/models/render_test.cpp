// SPDX-License-Identifier: Apache-2.0
// Images rendered where they are used are the core's images.
#include "vsmax/torch/models/render.h"

#include "torch/ops/on_device.h"
#include "vsmax/base/error.h"
#include "vsmax/data/synthetic.h"

namespace vsmax::test {
namespace {

using Render = OnDevice;

std::vector<LineSample> samples(const ImageFrame& frame, bool noisy) {
  std::vector<LineSample> result;
  for (uint32_t i = 0; i < 9; ++i) {
    const SampleKey key{42 + (uint64_t{i} << 40), Split::kTrain, 3, 1000 + i};
    result.push_back({draw_continuous_line(key, frame), noisy ? 0.1 * i : 0.0, key});
  }
  // Lines through pixel centres and along pixel borders, where rounding would show.
  result.push_back({{0.0, frame.half_width()}, noisy ? 0.3 : 0.0, {}});
  result.push_back({{std::atan2(1.0, 1.0), 0.0}, noisy ? 0.3 : 0.0, {}});
  return result;
}

TEST_P(Render, IsTheCoreImage) {
  for (const ImageFrame frame : {ImageFrame{32, 32}, ImageFrame{31, 17}, ImageFrame{256, 256}})
    for (const bool noisy : {false, true}) {
      const auto list = samples(frame, noisy);
      const auto images = render_samples(frame, list, device());
      ASSERT_EQ(images.sizes(), torch::IntArrayRef({11, frame.height, frame.width}));
      EXPECT_EQ(images.scalar_type(), torch::kFloat);
      for (std::size_t i = 0; i < list.size(); ++i) {
        auto truth = torch::empty({frame.height, frame.width});
        render_line(frame, list[i].line, list[i].sigma, list[i].key,
                    {truth.data_ptr<float>(), frame.pixels()});
        const double apart = distance(images[static_cast<int64_t>(i)], truth);
        if (noisy && device().is_cuda())
          ASSERT_LT(apart, 1e-5);  // the last bits of logarithm and cosine are a device's own
        else
          ASSERT_EQ(apart, 0.0);
      }
    }
}

TEST_P(Render, DoesNotDependOnTheBatch) {
  const ImageFrame frame{31, 17};
  const auto list = samples(frame, true);
  const auto all = render_samples(frame, list, device());
  EXPECT_TRUE(same_bits(all[4], render_samples(frame, {list[4]}, device())[0]));
  EXPECT_EQ(render_samples(frame, {}, device()).sizes(), torch::IntArrayRef({0, 17, 31}));
  EXPECT_THROW(render_samples({0, 5}, list, device()), Error);
}

VSMAX_ON_EACH_DEVICE(Render);

}  // namespace
}  // namespace vsmax::test
