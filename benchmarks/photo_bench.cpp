// SPDX-License-Identifier: Apache-2.0
// The horizon of a colour photograph of 384x288 pixels, in memory: ours, with the refinement at
// full resolution, and the same network in LibTorch, without it.
#include <benchmark/benchmark.h>

#include "torch_pipeline.h"
#include "vsmax/recover/line_recoverer.h"

namespace {

using vsmax::bench::TorchPipeline;

constexpr int kWidth = 384;
constexpr int kHeight = 288;

const vsmax::Model& model() {
  static const vsmax::Model horizon = vsmax::load_model("horizon");
  return horizon;
}

// A bright sky above a dark sea with waves.
vsmax::RgbImage test_photo() {
  vsmax::RgbImage photo(kWidth, kHeight);
  std::size_t i = 0;
  for (int row = 0; row < kHeight; ++row)
    for (int column = 0; column < kWidth; ++column)
      for (int channel = 0; channel < 3; ++channel) {
        const bool sky = row < 120 + column / 20;
        const int wave = (7 * row + 3 * column) % 29;
        photo.pixels[i++] = static_cast<std::uint8_t>(sky ? 200 - row / 4 : 60 + wave);
      }
  return photo;
}

void horizon_vsmax(benchmark::State& state) {
  vsmax::LineRecoverer recover(model(), static_cast<int>(state.range(0)));
  const auto photo = test_photo();
  for (auto _ : state) benchmark::DoNotOptimize(recover(photo).lines.data());
}

template <bool kKeepMemory>
void horizon_torch(benchmark::State& state) {
  const vsmax::ModelSpec& spec = model().spec;
  static const TorchPipeline pipeline(
      vsmax::HoughGrid(*spec.frame, spec.bins->thetas, spec.bins->rhos), *model().net,
      static_cast<float>(spec.scale), model().front.get());
  const auto photo = test_photo();
  TorchPipeline::use_threads(static_cast<int>(state.range(0)));
  TorchPipeline::keep_freed_memory(kKeepMemory);
  for (auto _ : state) benchmark::DoNotOptimize(pipeline.recover(photo.pixels, kWidth, kHeight));
  TorchPipeline::keep_freed_memory(false);
}

// Wall time, which includes the time that threads wait for each other.
void one_and_two_threads(benchmark::internal::Benchmark* bench) {
  bench->Arg(1)->Arg(2)->UseRealTime();
}

BENCHMARK(horizon_vsmax)->Name("horizon/vsmax")->Apply(one_and_two_threads);
BENCHMARK(horizon_torch<false>)->Name("horizon/LibTorch")->Apply(one_and_two_threads);
BENCHMARK(horizon_torch<true>)->Name("horizon/LibTorch, memory kept")->Apply(one_and_two_threads);

}  // namespace
