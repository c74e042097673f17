// SPDX-License-Identifier: Apache-2.0
// The refinement network on a double cover of 254x127 cells, the readout, and the whole pipeline
// from image to line: ours, and the same in LibTorch.
#include <benchmark/benchmark.h>

#include <random>

#include "torch_pipeline.h"
#include "vsmax/data/synthetic.h"
#include "vsmax/readout/veronese_soft_argmax.h"
#include "vsmax/recover/line_recoverer.h"
#include "vsmax/refine/refine_net.h"

namespace {

using vsmax::bench::TorchPipeline;
using Method = vsmax::RefineNet::Method;

// Of the plain convolutions; Winograd's need fewer.
constexpr double kNetFlops = 2.0 * 254 * 127 * (4 * 32 * 32 * 9 + 2 * 32 * 9);

const vsmax::Model& model() {
  static const vsmax::Model paper = vsmax::load_model("paper");
  return paper;
}

float scale() { return static_cast<float>(model().spec.scale); }

const TorchPipeline& torch_pipeline() {
  static const TorchPipeline pipeline(vsmax::HoughGrid::paper(), *model().net, scale());
  return pipeline;
}

constexpr vsmax::CellShape kShape{127, 127, vsmax::Cover::kDouble};

std::vector<float> test_cover() {
  std::mt19937 random(42);
  std::uniform_real_distribution<float> votes(0.0F, 200.0F);
  std::vector<float> cover(kShape.count());
  for (float& cell : cover) cell = votes(random);
  return cover;
}

vsmax::GrayImage test_image() {
  vsmax::GrayImage image(256, 256);
  vsmax::render_line({256, 256}, {0.7, 20.0}, 0.4, {}, image.pixels);
  return image;
}

template <Method kMethod>
void net_vsmax(benchmark::State& state) {
  const auto cover = test_cover();
  std::vector<float> logits(cover.size());
  vsmax::RefineNet::Scratch scratch;
  scratch.threads = static_cast<int>(state.range(0));
  scratch.method = kMethod;
  for (auto _ : state)
    model().net->forward({cover.data(), kShape}, scale(), {logits.data(), kShape}, scratch);
  state.counters["GFLOP/s"] =
      benchmark::Counter(kNetFlops * 1e-9, benchmark::Counter::kIsIterationInvariantRate);
}

template <bool kKeepMemory>
void net_torch(benchmark::State& state) {
  const auto cover = test_cover();
  TorchPipeline::use_threads(static_cast<int>(state.range(0)));
  TorchPipeline::keep_freed_memory(kKeepMemory);
  for (auto _ : state) benchmark::DoNotOptimize(torch_pipeline().refine(cover));
  TorchPipeline::keep_freed_memory(false);
}

void readout_vsmax(benchmark::State& state) {
  const auto logits = test_cover();
  const vsmax::VeroneseSoftArgmax readout(kShape);
  std::vector<float> probabilities(logits.size());
  for (auto _ : state)
    benchmark::DoNotOptimize(
        readout.read({logits.data(), kShape}, 10.0, {probabilities.data(), kShape}));
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

template <bool kKeepMemory>
void pipeline_torch(benchmark::State& state) {
  const auto image = test_image();
  TorchPipeline::use_threads(static_cast<int>(state.range(0)));
  TorchPipeline::keep_freed_memory(kKeepMemory);
  for (auto _ : state) benchmark::DoNotOptimize(torch_pipeline().recover(image.pixels));
  TorchPipeline::keep_freed_memory(false);
}

// Wall time, which includes the time that threads wait for each other.
void one_and_two_threads(benchmark::internal::Benchmark* bench) {
  bench->Arg(1)->Arg(2)->UseRealTime();
}

BENCHMARK(net_vsmax<Method::kWinograd>)->Name("net/vsmax")->Apply(one_and_two_threads);
BENCHMARK(net_vsmax<Method::kDirect>)->Name("net/vsmax, no Winograd")->Apply(one_and_two_threads);
BENCHMARK(net_torch<false>)->Name("net/LibTorch")->Apply(one_and_two_threads);
BENCHMARK(net_torch<true>)->Name("net/LibTorch, memory kept")->Apply(one_and_two_threads);
BENCHMARK(readout_vsmax)->Name("readout/vsmax");
BENCHMARK(readout_torch)->Name("readout/LibTorch");
BENCHMARK(pipeline_vsmax)->Name("pipeline/vsmax")->Apply(one_and_two_threads);
BENCHMARK(pipeline_torch<false>)->Name("pipeline/LibTorch")->Apply(one_and_two_threads);
BENCHMARK(pipeline_torch<true>)->Name("pipeline/LibTorch, memory kept")->Apply(one_and_two_threads);

}  // namespace
