// SPDX-License-Identifier: Apache-2.0
// The ladder of docs/performance.md: each rung adds an idea to the one below. A rung must agree
// with the plain loop before it is timed: to the last bit, since sums of whole numbers are exact.
#include <benchmark/benchmark.h>
#include <hwy/targets.h>

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "naive_hough.h"
#include "vsmax/hough/bin_edges.h"
#include "vsmax/hough/hough.h"

namespace vsmax::bench {
namespace {

constexpr std::size_t kSide = 256;
constexpr std::size_t kThetas = 127;
constexpr std::size_t kRhos = 127;
constexpr std::size_t kHalfThetas = kThetas / 2 + 1;

// The runs of equal bins in a row (Eq. 10) for the angles up to T/2; the other angles mirror them.
struct RowRuns {
  std::size_t first_bin = 0;
  std::vector<std::uint16_t> edges;  // bin first_bin + i holds the columns edges[i] .. edges[i+1]-1
};
using RunTable = std::vector<std::array<RowRuns, kHalfThetas>>;  // by row

const RunTable& run_table() {
  static const RunTable table = [] {
    const HoughGrid grid = HoughGrid::paper();
    RunTable runs(kSide);
    for (int row = 0; row < grid.frame().height; ++row)
      for (int t = 0; t < half_thetas(grid); ++t) {
        auto& [first_bin, edges] = runs[static_cast<std::size_t>(row)][static_cast<std::size_t>(t)];
        first_bin = static_cast<std::size_t>(find_row_runs(grid, t, row, edges));
      }
    return runs;
  }();
  return table;
}

// sums[i] += the sum of run i.
template <class Value>
void add_runs(const RowRuns& runs, const std::array<Value, kSide + 1>& prefix, Value* sums) {
  for (std::size_t i = 0; i + 1 < runs.edges.size(); ++i)
    sums[runs.first_bin + i] += prefix[runs.edges[i + 1]] - prefix[runs.edges[i]];
}

// Prefix sums along each row: a bin takes one subtraction, however many of the row's pixels it
// holds. Angle T-t is angle t of the mirrored row.
void sum_rows(std::span<const float> image, std::span<float> accumulator) {
  std::fill(accumulator.begin(), accumulator.end(), 0.0F);
  std::array<float, kSide + 1> prefix{};
  std::array<float, kSide + 1> mirrored{};
  for (std::size_t row = 0; row < kSide; ++row) {
    const float* pixels = &image[row * kSide];
    for (std::size_t i = 0; i < kSide; ++i) {
      prefix[i + 1] = prefix[i] + pixels[i];
      mirrored[i + 1] = mirrored[i] + pixels[kSide - 1 - i];
    }
    for (std::size_t t = 0; t < kHalfThetas; ++t) {
      add_runs(run_table()[row][t], prefix, &accumulator[t * kRhos]);
      if (t > 0) add_runs(run_table()[row][t], mirrored, &accumulator[(kThetas - t) * kRhos]);
    }
  }
}

// A row and its three mirror images have the same runs: a vector of four sums them all at once.
void sum_mirrored_rows(std::span<const float> image, std::span<float> accumulator) {
  using Four = float __attribute__((vector_size(16)));
  std::vector<Four> sums(kHalfThetas * kRhos);
  std::array<Four, kSide + 1> prefix{};
  for (std::size_t row = 0; row < kSide / 2; ++row) {
    const float* upper = &image[row * kSide];
    const float* lower = &image[(kSide - 1 - row) * kSide];
    for (std::size_t i = 0, j = kSide - 1; i < kSide; ++i, --j)
      prefix[i + 1] = prefix[i] + Four{upper[i], upper[j], lower[j], lower[i]};
    for (std::size_t t = 0; t < kHalfThetas; ++t)
      add_runs(run_table()[row][t], prefix, &sums[t * kRhos]);
  }
  std::fill(accumulator.begin(), accumulator.end(), 0.0F);
  const CellShape shape{kThetas, kRhos};
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const auto [t, r] = shape.cell(i);
    const int opposite = shape.rhos - 1 - r;
    accumulator[shape.index({t, r})] += sums[i][0];
    accumulator[shape.index({t, opposite})] += sums[i][2];
    if (t == 0) continue;
    accumulator[shape.index({shape.thetas - t, r})] += sums[i][1];
    accumulator[shape.index({shape.thetas - t, opposite})] += sums[i][3];
  }
}

const HoughTransform& library() {
  static const HoughTransform hough(HoughGrid::paper());
  return hough;
}

// The library: along rows or columns, whichever meet fewer bins; eight lines at a time; two edges
// per load. Two images of bytes share 32-bit numbers, one in the upper and one in the lower half.
template <class Pixel, class Sum>
void library_forward(std::span<const Pixel> images, std::span<Sum> accumulators) {
  static HoughScratch scratch;
  library().forward(images, accumulators, scratch);
}
void library_adjoint(std::span<const float> accumulator, std::span<float> image) {
  static HoughScratch scratch;
  library().adjoint(accumulator, image, scratch);
}

// A transform, and how many numbers its input and its output have per image.
template <class Input, class Output>
struct Transform {
  void (*run)(std::span<const Input>, std::span<Output>);
  std::size_t inputs;
  std::size_t outputs;
};

// Adds a benchmark of `rung` on `images` images, timed per image. `target` restricts the library to
// an instruction set; 0 means the best available.
template <class Input, class Output>
void add_rung(const std::string& name, decltype(Transform<Input, Output>::run) rung,
              const Transform<Input, Output>& definition, std::int64_t target = 0,
              std::size_t images = 1) {
  if (target != 0 && (hwy::SupportedTargets() & target) == 0) return;
  const auto climb = [=](benchmark::State& state) {
    std::vector<Input> input(images * definition.inputs);
    for (std::size_t i = 0; i < input.size(); ++i) input[i] = static_cast<Input>(i * i % 251);
    std::vector<Output> expected(images * definition.outputs);
    for (std::size_t i = 0; i < images; ++i)
      definition.run(std::span(input).subspan(i * definition.inputs, definition.inputs),
                     std::span(expected).subspan(i * definition.outputs, definition.outputs));
    std::vector<Output> output(expected.size());
    hwy::SetSupportedTargetsForTest(target);
    rung(input, output);
    if (output != expected) state.SkipWithError("differs from the plain loop");
    while (state.KeepRunningBatch(static_cast<std::int64_t>(images))) {
      rung(input, output);
      benchmark::ClobberMemory();
    }
    hwy::SetSupportedTargetsForTest(0);
  };
  benchmark::RegisterBenchmark(("ladder/" + name).c_str(), climb);
}

[[maybe_unused]] const bool kAdded = [] {
  const Transform<float, float> forward{naive_forward, kPixels, kCells};
  const Transform<std::uint8_t, std::uint32_t> forward_bytes{naive_forward, kPixels, kCells};
  const Transform<float, float> adjoint{naive_adjoint, kCells, kPixels};
  add_rung("1 loop over a table of bins", naive_forward, forward);
  add_rung("2 prefix sums along rows", sum_rows, forward);
  add_rung("3 four mirror images at once", sum_mirrored_rows, forward);
  add_rung("4 library, SSE4", library_forward, forward, HWY_SSE4);
  add_rung("5 library, AVX2", library_forward, forward, HWY_AVX2);
  add_rung("6 library, AVX-512", library_forward, forward, HWY_AVX3);
  add_rung("7 library, pairs of 8-bit", library_forward, forward_bytes, 0, 2);
  add_rung("adjoint 1 loop over a table", naive_adjoint, adjoint);
  add_rung("adjoint 2 library, SSE4", library_adjoint, adjoint, HWY_SSE4);
  add_rung("adjoint 3 library, AVX2", library_adjoint, adjoint, HWY_AVX2);
  add_rung("adjoint 4 library, AVX-512", library_adjoint, adjoint, HWY_AVX3);
  return true;
}();

}  // namespace
}  // namespace vsmax::bench
