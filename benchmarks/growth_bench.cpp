// SPDX-License-Identifier: Apache-2.0
// How the time of the Hough transform grows with the image and with the grid.
#include <benchmark/benchmark.h>

#include "vsmax/hough/hough.h"

namespace {

void forward(benchmark::State& state, const vsmax::HoughGrid& grid) {
  const vsmax::HoughTransform hough(grid);
  std::vector<float> image(grid.frame().pixels());
  for (std::size_t i = 0; i < image.size(); ++i) image[i] = static_cast<float>(i % 17) / 17.0F;
  std::vector<float> accumulator(grid.cells());
  vsmax::HoughScratch scratch;
  for (auto _ : state) hough.forward(image, accumulator, scratch);
}

void growth_image(benchmark::State& state) {
  const auto side = static_cast<int>(state.range(0));
  forward(state, {{side, side}, 127, 127});
}

void growth_grid(benchmark::State& state) {
  const auto bins = static_cast<int>(state.range(0));
  forward(state, {{256, 256}, bins, bins});
}

BENCHMARK(growth_image)->Name("growth/image side")->RangeMultiplier(2)->Range(128, 2048);
BENCHMARK(growth_grid)->Name("growth/grid bins")->Arg(63)->Arg(127)->Arg(255)->Arg(509);

}  // namespace
