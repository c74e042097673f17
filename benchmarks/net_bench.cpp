// SPDX-License-Identifier: Apache-2.0
// The refinement network on a double cover of 254x127 cells, the readout, and the whole way from an
// image to its line, ours beside the same in LibTorch.
#include <benchmark/benchmark.h>

#include <random>

#include "torch_pipeline.h"
#include "vsmax/data/synthetic.h"
#include "vsmax/readout/veronese_soft_argmax.h"
#include "vsmax/recover/line_recoverer.h"

namespace {

using vsmax::bench::TorchPipeline;

// 2 x 254 x 127 x 37,440 products and sums of the plain convolutions, of which Winograd's need
// fewer.
constexpr double kNetFlops = 2.0 * 254 * 127 * (4 * 32 * 32 * 9 + 2 * 32 * 9);

const vsmax::Model& model() {
  static const vsmax::Model paper = vsmax::load_model("paper");
  return paper;
}

const TorchPipeline& torch_pipeline() {
  static const TorchPipeline pipeline(*model().grid, *model().net, model().scale);
  return pipeline;
}

std::vector<float> test_cover() {
  std::mt19937 random(42);
  std::uniform_real_distribution<float> votes(0.0F, 200.0F);
  std::vector<float> cover(std::size_t{254} * 127);
  for (float& cell : cover) cell = votes(random);
  return cover;
}

vsmax::GrayImage test_image() {
  vsmax::GrayImage image(256, 256);
  vsmax::render_line({256, 256}, {0.7, 20.0}, 0.4, {}, image.pixels.data());
  return image;
}

void net_vsmax(benchmark::State& state, vsmax::RefineNet::Method method) {
  const auto cover = test_cover();
  std::vector<float> logits(cover.size());
  vsmax::RefineNet::Scratch scratch;
  scratch.threads = static_cast<int>(state.range(0));
  scratch.method = method;
  for (auto _ : state) {
    model().net->forward(cover.data(), vsmax::Cover::kDouble, 254, 127, model().scale,
                         logits.data(), scratch);
    benchmark::DoNotOptimize(logits.data());
  }
  state.counters["GFLOP/s"] =
      benchmark::Counter(kNetFlops * 1e-9, benchmark::Counter::kIsIterationInvariantRate);
}
void net_winograd(benchmark::State& state) {
  net_vsmax(state, vsmax::RefineNet::Method::kWinograd);
}
void net_direct(benchmark::State& state) { net_vsmax(state, vsmax::RefineNet::Method::kDirect); }

void net_torch(benchmark::State& state, bool tuned) {
  const auto cover = test_cover();
  TorchPipeline::use_threads(static_cast<int>(state.range(0)));
  TorchPipeline::keep_freed_memory(tuned);
  for (auto _ : state) benchmark::DoNotOptimize(torch_pipeline().refine(cover));
  TorchPipeline::keep_freed_memory(false);
}
void net_torch_default(benchmark::State& state) { net_torch(state, false); }
void net_torch_tuned(benchmark::State& state) { net_torch(state, true); }

void readout_vsmax(benchmark::State& state) {
  const auto logits = test_cover();
  const vsmax::VeroneseSoftArgmax readout(*model().grid, vsmax::Cover::kDouble);
  std::vector<float> probabilities(logits.size());
  for (auto _ : state)
    benchmark::DoNotOptimize(readout.read(logits.data(), 10.0, probabilities.data()));
}

void readout_torch(benchmark::State& state) {
  const auto logits = test_cover();
  TorchPipeline::use_threads(1);
  for (auto _ : state) benchmark::DoNotOptimize(torch_pipeline().read_out(logits));
}

void pipeline_vsmax(benchmark::State& state) {
  vsmax::LineRecoverer recover(model(), static_cast<int>(state.range(0)));
  const auto image = test_image();
  for (auto _ : state) benchmark::DoNotOptimize(recover(image).lines.data());
}

void pipeline_torch(benchmark::State& state, bool tuned) {
  const auto image = test_image();
  TorchPipeline::use_threads(static_cast<int>(state.range(0)));
  TorchPipeline::keep_freed_memory(tuned);
  for (auto _ : state) benchmark::DoNotOptimize(torch_pipeline().recover(image.pixels));
  TorchPipeline::keep_freed_memory(false);
}
void pipeline_torch_default(benchmark::State& state) { pipeline_torch(state, false); }
void pipeline_torch_tuned(benchmark::State& state) { pipeline_torch(state, true); }

// By the wall's clock: threads that wait for one another cost time, if not the processor's.
void one_and_two_threads(benchmark::internal::Benchmark* bench) {
  bench->Arg(1)->Arg(2)->Unit(benchmark::kMicrosecond)->UseRealTime();
}

BENCHMARK(net_winograd)->Name("net/vsmax")->Apply(one_and_two_threads);
BENCHMARK(net_direct)->Name("net/vsmax, no Winograd")->Apply(one_and_two_threads);
BENCHMARK(net_torch_default)->Name("net/LibTorch")->Apply(one_and_two_threads);
BENCHMARK(net_torch_tuned)->Name("net/LibTorch, memory kept")->Apply(one_and_two_threads);
BENCHMARK(readout_vsmax)->Name("readout/vsmax")->Unit(benchmark::kMicrosecond);
BENCHMARK(readout_torch)->Name("readout/LibTorch")->Unit(benchmark::kMicrosecond);
BENCHMARK(pipeline_vsmax)->Name("pipeline/vsmax")->Apply(one_and_two_threads);
BENCHMARK(pipeline_torch_default)->Name("pipeline/LibTorch")->Apply(one_and_two_threads);
BENCHMARK(pipeline_torch_tuned)->Name("pipeline/LibTorch, memory kept")->Apply(one_and_two_threads);

}  // namespace
