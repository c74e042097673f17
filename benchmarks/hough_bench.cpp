// SPDX-License-Identifier: Apache-2.0
// The Hough transform of one 256x256 image into 127x127 bins: ours, OpenCV's, a sparse matrix
// product by Eigen, and the plain loop; and how our time grows with the image and the grid.
#include <benchmark/benchmark.h>

#include <Eigen/SparseCore>
#include <cstdint>
#include <numbers>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>
#include <opencv2/ximgproc.hpp>
#include <vector>

#include "naive_hough.h"
#include "vsmax/data/synthetic.h"
#include "vsmax/hough/hough.h"

namespace {

using vsmax::HoughGrid;

// A line under noise. No pixel is zero, so that OpenCV lets every pixel vote.
std::vector<float> test_image() {
  std::vector<float> image(256 * 256);
  vsmax::render_line({256, 256}, {0.7, 20.0}, 0.4, {}, image);
  for (float& pixel : image) pixel = 0.01F + 0.99F * pixel;
  return image;
}

std::vector<std::uint8_t> test_bytes() {
  std::vector<std::uint8_t> bytes;
  for (const float pixel : test_image())
    bytes.push_back(static_cast<std::uint8_t>(1.0F + 254.0F * pixel));
  return bytes;
}

cv::Mat test_mat() { return cv::Mat(test_bytes(), true).reshape(1, 256); }

template <class Sum, class Pixel>
void forward(benchmark::State& state, const HoughGrid& grid, const std::vector<Pixel>& image) {
  const vsmax::HoughTransform hough(grid);
  std::vector<Sum> accumulator(grid.cells());
  vsmax::HoughScratch scratch;
  for (auto _ : state) hough.forward(image, accumulator, scratch);
}

void forward_float(benchmark::State& state) {
  forward<float>(state, HoughGrid::paper(), test_image());
}

void forward_bytes(benchmark::State& state) {
  forward<std::uint32_t>(state, HoughGrid::paper(), test_bytes());
}

void growth_image(benchmark::State& state) {
  const auto side = static_cast<int>(state.range(0));
  const HoughGrid grid({side, side}, 127, 127);
  forward<float>(state, grid, std::vector<float>(grid.frame().pixels(), 0.5F));
}

void growth_grid(benchmark::State& state) {
  const auto bins = static_cast<int>(state.range(0));
  forward<float>(state, {{256, 256}, bins, bins}, test_image());
}

void adjoint_float(benchmark::State& state) {
  const vsmax::HoughTransform hough(HoughGrid::paper());
  const std::vector<float> accumulator(hough.grid().cells(), 0.5F);
  std::vector<float> image(256 * 256);
  vsmax::HoughScratch scratch;
  for (auto _ : state) hough.adjoint(accumulator, image, scratch);
}

// `work` writes `output`, which the compiler must not optimise away.
template <class Output, class Work>
void keep_output(benchmark::State& state, Output& output, const Work& work) {
  benchmark::DoNotOptimize(output.data());
  for (auto _ : state) {
    work();
    benchmark::ClobberMemory();
  }
}

void forward_naive(benchmark::State& state) {
  const auto image = test_image();
  std::vector<float> accumulator(127 * 127);
  keep_output(state, accumulator,
              [&] { vsmax::bench::naive_forward<float, float>(image, accumulator); });
}

void adjoint_naive(benchmark::State& state) {
  const std::vector<float> accumulator(127 * 127, 0.5F);
  std::vector<float> image(256 * 256);
  keep_output(state, image, [&] { vsmax::bench::naive_adjoint(accumulator, image); });
}

void forward_eigen(benchmark::State& state) {
  const auto& bins = vsmax::bench::bin_table();
  Eigen::SparseMatrix<float, Eigen::RowMajor> votes(127 * 127, 256 * 256);
  std::vector<Eigen::Triplet<float>> entries;
  entries.reserve(bins.size());
  for (int t = 0; t < 127; ++t)
    for (int i = 0; i < 256 * 256; ++i)
      entries.emplace_back(t * 127 + bins[static_cast<std::size_t>(t * 256 * 256 + i)], i, 1.0F);
  votes.setFromTriplets(entries.begin(), entries.end());
  const auto pixels = test_image();
  const Eigen::VectorXf image = Eigen::Map<const Eigen::VectorXf>(pixels.data(), 256 * 256);
  Eigen::VectorXf accumulator(127 * 127);
  keep_output(state, accumulator, [&] { accumulator.noalias() = votes * image; });
}

// Every pixel that is not zero votes. The threshold is so high that no line is returned.
void hough_lines(benchmark::State& state, const cv::Mat& image) {
  const double bin = HoughGrid::paper().bin_width();
  cv::setNumThreads(1);
  std::vector<cv::Vec2f> lines;
  for (auto _ : state) cv::HoughLines(image, lines, bin, std::numbers::pi / 127.0, 1 << 20);
}

void forward_opencv_all(benchmark::State& state) { hough_lines(state, test_mat()); }

void forward_opencv_edges(benchmark::State& state) {
  cv::Mat edges(256, 256, CV_8U, cv::Scalar(0));
  cv::setRNGSeed(42);
  cv::randu(edges, 0, 256);
  hough_lines(state, edges > 247);  // 3 % of the pixels
}

void forward_opencv_fast(benchmark::State& state) {
  const cv::Mat image = test_mat();
  cv::setNumThreads(1);
  cv::Mat accumulator;
  for (auto _ : state) cv::ximgproc::FastHoughTransform(image, accumulator, CV_32S);
}

BENCHMARK(forward_float)->Name("forward/vsmax");
BENCHMARK(forward_bytes)->Name("forward/vsmax 8-bit");
BENCHMARK(forward_opencv_all)->Name("forward/cv::HoughLines, all pixels");
BENCHMARK(forward_opencv_edges)->Name("forward/cv::HoughLines, 3 % edges");
BENCHMARK(forward_opencv_fast)->Name("forward/cv FastHoughTransform");
BENCHMARK(forward_eigen)->Name("forward/Eigen sparse product");
BENCHMARK(forward_naive)->Name("forward/naive loop");
BENCHMARK(adjoint_float)->Name("adjoint/vsmax");
BENCHMARK(adjoint_naive)->Name("adjoint/naive loop");
BENCHMARK(growth_image)->Name("growth/image side")->RangeMultiplier(2)->Range(128, 2048);
BENCHMARK(growth_grid)->Name("growth/grid bins")->Arg(63)->Arg(127)->Arg(255)->Arg(509);

}  // namespace
