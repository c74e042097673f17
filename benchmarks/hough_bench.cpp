// SPDX-License-Identifier: Apache-2.0
// The Hough transform of one 256x256 image into 127x127 bins, ours beside OpenCV's, a sparse matrix
// product by Eigen, and the loop that a textbook would write.
#include <benchmark/benchmark.h>

#include <Eigen/SparseCore>
#include <cstdint>
#include <numbers>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>
#include <opencv2/ximgproc.hpp>
#include <vector>

#include "vsmax/data/synthetic.h"
#include "vsmax/hough/hough.h"

namespace {

using vsmax::HoughGrid;

// A line under noise, no pixel of which is zero.
std::vector<float> test_image() {
  const HoughGrid grid = HoughGrid::paper();
  std::vector<float> image(256 * 256);
  vsmax::render_line(grid.frame(), {0.7, 20.0}, 0.4, {}, image.data());
  for (float& pixel : image) pixel = 0.01F + 0.99F * pixel;
  return image;
}

std::vector<std::uint8_t> test_bytes() {
  std::vector<std::uint8_t> bytes;
  for (const float pixel : test_image())
    bytes.push_back(static_cast<std::uint8_t>(1.0F + 254.0F * pixel));
  return bytes;
}

cv::Mat bytes_as_mat() {
  auto bytes = test_bytes();
  return cv::Mat(256, 256, CV_8U, bytes.data()).clone();
}

void forward_float(benchmark::State& state) {
  const vsmax::HoughTransform hough(HoughGrid::paper());
  const auto image = test_image();
  std::vector<float> accumulator(hough.grid().cells());
  vsmax::HoughScratch scratch;
  for (auto _ : state) {
    hough.forward(image.data(), accumulator.data(), 1, scratch);
    benchmark::DoNotOptimize(accumulator.data());
    benchmark::ClobberMemory();
  }
}

void forward_bytes(benchmark::State& state) {
  const vsmax::HoughTransform hough(HoughGrid::paper());
  const auto image = test_bytes();
  std::vector<std::uint32_t> accumulator(hough.grid().cells());
  vsmax::HoughScratch scratch;
  for (auto _ : state) {
    hough.forward(image.data(), accumulator.data(), 1, scratch);
    benchmark::DoNotOptimize(accumulator.data());
    benchmark::ClobberMemory();
  }
}

void adjoint_float(benchmark::State& state) {
  const vsmax::HoughTransform hough(HoughGrid::paper());
  const std::vector<float> accumulator(hough.grid().cells(), 0.5F);
  std::vector<float> image(256 * 256);
  vsmax::HoughScratch scratch;
  for (auto _ : state) {
    hough.adjoint(accumulator.data(), image.data(), 1, scratch);
    benchmark::DoNotOptimize(image.data());
    benchmark::ClobberMemory();
  }
}

// The bin of every pixel and angle, as the loops below read it.
std::vector<std::uint8_t> bin_table() {
  const HoughGrid grid = HoughGrid::paper();
  std::vector<std::uint8_t> bins;
  for (int t = 0; t < grid.thetas(); ++t)
    for (int row = 0; row < 256; ++row)
      for (int column = 0; column < 256; ++column)
        bins.push_back(static_cast<std::uint8_t>(grid.bin(t, column, row)));
  return bins;
}

void forward_naive(benchmark::State& state) {
  const auto bins = bin_table();
  const auto image = test_image();
  std::vector<float> accumulator(127 * 127);
  for (auto _ : state) {
    std::fill(accumulator.begin(), accumulator.end(), 0.0F);
    for (std::size_t t = 0; t < 127; ++t)
      for (std::size_t i = 0; i < image.size(); ++i)
        accumulator[t * 127 + bins[t * image.size() + i]] += image[i];
    benchmark::DoNotOptimize(accumulator.data());
    benchmark::ClobberMemory();
  }
}

void adjoint_naive(benchmark::State& state) {
  const auto bins = bin_table();
  const std::vector<float> accumulator(127 * 127, 0.5F);
  std::vector<float> image(256 * 256);
  for (auto _ : state) {
    std::fill(image.begin(), image.end(), 0.0F);
    for (std::size_t t = 0; t < 127; ++t)
      for (std::size_t i = 0; i < image.size(); ++i)
        image[i] += accumulator[t * 127 + bins[t * image.size() + i]];
    benchmark::DoNotOptimize(image.data());
    benchmark::ClobberMemory();
  }
}

void forward_eigen(benchmark::State& state) {
  const auto bins = bin_table();
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
  for (auto _ : state) {
    accumulator.noalias() = votes * image;
    benchmark::DoNotOptimize(accumulator.data());
    benchmark::ClobberMemory();
  }
}

// OpenCV votes once for every pixel that is not zero; the threshold leaves no line to be listed.
void hough_lines(benchmark::State& state, const cv::Mat& image) {
  const double bin = HoughGrid::paper().bin_width();
  cv::setNumThreads(1);
  std::vector<cv::Vec2f> lines;
  for (auto _ : state) {
    cv::HoughLines(image, lines, bin, std::numbers::pi / 127.0, 1 << 20);
    benchmark::DoNotOptimize(lines.data());
  }
}

void forward_opencv_all(benchmark::State& state) { hough_lines(state, bytes_as_mat()); }

void forward_opencv_edges(benchmark::State& state) {
  cv::Mat edges(256, 256, CV_8U, cv::Scalar(0));
  cv::setRNGSeed(42);
  cv::randu(edges, 0, 256);
  hough_lines(state, edges > 247);  // 3 % of the pixels
}

void forward_opencv_fast(benchmark::State& state) {
  const cv::Mat image = bytes_as_mat();
  cv::setNumThreads(1);
  cv::Mat accumulator;
  for (auto _ : state) {
    cv::ximgproc::FastHoughTransform(image, accumulator, CV_32S);
    benchmark::DoNotOptimize(accumulator.data);
  }
}

const auto kUnit = benchmark::kMicrosecond;
BENCHMARK(forward_float)->Name("forward/vsmax")->Unit(kUnit);
BENCHMARK(forward_bytes)->Name("forward/vsmax 8-bit")->Unit(kUnit);
BENCHMARK(forward_opencv_all)->Name("forward/cv::HoughLines, all pixels")->Unit(kUnit);
BENCHMARK(forward_opencv_edges)->Name("forward/cv::HoughLines, 3 % edges")->Unit(kUnit);
BENCHMARK(forward_opencv_fast)->Name("forward/cv FastHoughTransform")->Unit(kUnit);
BENCHMARK(forward_eigen)->Name("forward/Eigen sparse product")->Unit(kUnit);
BENCHMARK(forward_naive)->Name("forward/naive loop")->Unit(kUnit);
BENCHMARK(adjoint_float)->Name("adjoint/vsmax")->Unit(kUnit);
BENCHMARK(adjoint_naive)->Name("adjoint/naive loop")->Unit(kUnit);

}  // namespace
