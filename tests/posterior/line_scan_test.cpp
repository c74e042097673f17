// SPDX-License-Identifier: Apache-2.0
// The scan against sums over the nearest pixels, one by one, in double.
#include "vsmax/posterior/line_scan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "support/random.h"

namespace vsmax {
namespace {

std::vector<ImageFrame> scanned_frames() {
  return {{2, 2}, {3, 17}, {16, 16}, {31, 20}, {40, 64}, {65, 33}};
}

std::vector<float> random_evidence(const ImageFrame& frame) {
  test::Random random;
  std::vector<float> values(frame.pixels());
  for (float& value : values) value = static_cast<float>(random.normal());
  return values;
}

// The evidence of the pixel nearest to the line in every row, 0 outside the image.
std::vector<double> along(const ImageFrame& frame, const std::vector<float>& evidence,
                          const ChordLine& line) {
  const HalfSides half = half_sides(frame, line.flat);
  const int rows = line.flat ? frame.width : frame.height;
  const int columns = line.flat ? frame.height : frame.width;
  std::vector<double> values;
  for (int row = 0; row < rows; ++row) {
    const int column =
        static_cast<int>(std::floor(line.offset - line.slope * (row - half.u) + half.v + 0.5));
    const bool inside = column >= 0 && column < columns;
    values.push_back(
        inside ? static_cast<double>(
                     evidence[line.flat ? frame.index(row, column) : frame.index(column, row)])
               : 0.0);
  }
  return values;
}

double reference_sum(const ImageFrame& frame, const std::vector<float>& evidence,
                     const ChordLine& line) {
  const std::vector<double> values = along(frame, evidence, line);
  return std::accumulate(values.begin(), values.end(), 0.0);
}

// Of all runs that begin and end at multiples of `step`, one by one.
double greatest_run(const std::vector<double>& values, std::size_t step) {
  double best = 0.0;
  for (std::size_t first = 0; first < values.size(); first += step) {
    double sum = 0.0;
    for (std::size_t i = first; i < values.size(); ++i) {
      sum += values[i];
      if ((i + 1) % step == 0 || i + 1 == values.size()) best = std::max(best, sum);
    }
  }
  return best;
}

TEST(LineScan, AddsThePixelsNearestToEveryLine) {
  for (const ImageFrame& frame : scanned_frames()) {
    const std::vector<float> evidence = random_evidence(frame);
    EvidenceMap map;
    map.assign(frame, evidence);
    LineScan scan(frame);
    std::size_t lines = 0;
    double largest = 0.0;
    scan(map, LineExtent::kWhole, [&](const LineScan::Parallels& parallels) {
      for (std::size_t i = 0; i < parallels.sums.size(); ++i) {
        const ChordLine line{parallels.flat, parallels.first_offset + static_cast<double>(i),
                             parallels.slope};
        EXPECT_TRUE(line.meets(half_sides(frame, line.flat)));
        largest = std::max(largest, std::abs(static_cast<double>(parallels.sums[i]) -
                                             reference_sum(frame, evidence, line)));
        ++lines;
      }
    });
    EXPECT_GT(lines, 0U);
    EXPECT_LT(largest, 1e-4) << frame.width << "x" << frame.height;
  }
}

TEST(LineScan, FindsTheBestPieceOfEveryLine) {
  for (const ImageFrame& frame : scanned_frames()) {
    const std::vector<float> evidence = random_evidence(frame);
    EvidenceMap map;
    map.assign(frame, evidence);
    LineScan scan(frame);
    double largest = 0.0;
    scan(map, LineExtent::kPiece, [&](const LineScan::Parallels& parallels) {
      for (std::size_t i = 0; i < parallels.sums.size(); ++i) {
        const ChordLine line{parallels.flat, parallels.first_offset + static_cast<double>(i),
                             parallels.slope};
        largest = std::max(largest, std::abs(static_cast<double>(parallels.sums[i]) -
                                             greatest_run(along(frame, evidence, line), 8)));
      }
    });
    EXPECT_LT(largest, 1e-4) << frame.width << "x" << frame.height;
  }
}

// The law that the scan is made for: nothing lies between its lines.
TEST(LineScan, HasALineNearAnyOther) {
  const ImageFrame frame{48, 40};
  EvidenceMap map;
  map.assign(frame, std::vector<float>(frame.pixels(), 0.0F));
  std::vector<ChordLine> scanned;
  LineScan scan(frame);
  scan(map, LineExtent::kWhole, [&](const LineScan::Parallels& parallels) {
    for (std::size_t i = 0; i < parallels.sums.size(); ++i)
      scanned.push_back(
          {parallels.flat, parallels.first_offset + static_cast<double>(i), parallels.slope});
  });
  test::Random random;
  for (int trial = 0; trial < 200; ++trial) {
    ChordLine line{trial % 2 == 1, 0.0, random.uniform(-1.0, 1.0)};
    const HalfSides half = half_sides(frame, line.flat);
    line.offset = random.uniform(-0.9, 0.9) * half.v;
    double nearest = 1e9;
    for (const ChordLine& other : scanned) {
      if (other.flat != line.flat) continue;
      double apart = 0.0;
      for (const double u : {-half.u, half.u})
        apart = std::max(apart,
                         std::abs(line.offset - line.slope * u - other.offset + other.slope * u));
      nearest = std::min(nearest, apart);
    }
    EXPECT_LE(nearest, 0.75) << line.offset << " " << line.slope;
  }
}

TEST(EvidenceMap, AddsAlongALineOfAnyWidth) {
  const ImageFrame frame{31, 20};
  const std::vector<float> evidence = random_evidence(frame);
  test::Random random;
  for (const int width : {1, 2, 3, 5}) {
    EvidenceMap map;
    map.assign(frame, evidence);
    if (width > 1) map.widen(width);
    for (int trial = 0; trial < 50; ++trial) {
      const ChordLine line{trial % 2 == 1, random.uniform(-12.0, 12.0), random.uniform(-1.0, 1.0)};
      double expected = 0.0;
      for (int k = 0; k < width; ++k)
        expected += reference_sum(frame, evidence,
                                  {line.flat, line.offset + k - 0.5 * (width - 1), line.slope});
      EXPECT_NEAR(static_cast<double>(map.sum(line, {0, map.rows(line.flat)})), expected, 1e-3);
    }
  }
}

TEST(EvidenceMap, FindsTheRowsOfTheBestPiece) {
  const ImageFrame frame{31, 20};
  const std::vector<float> evidence = random_evidence(frame);
  EvidenceMap map;
  map.assign(frame, evidence);
  test::Random random;
  for (int trial = 0; trial < 100; ++trial) {
    const ChordLine line{trial % 2 == 1, random.uniform(-12.0, 12.0), random.uniform(-1.0, 1.0)};
    const MapRows rows = map.best_rows(line);
    EXPECT_NEAR(static_cast<double>(map.sum(line, rows)),
                greatest_run(along(frame, evidence, line), 1), 1e-4);
  }
  map.assign(frame, std::vector<float>(frame.pixels(), -1.0F));
  EXPECT_EQ(map.best_rows({false, 0.0, 0.1}), MapRows{});
}

TEST(ChordLine, IsTheSameLineInAllCoordinates) {
  for (const PixelLine line : {PixelLine{0.3, 5.0}, {1.4, -7.0}, {2.9, 0.5}, {1.5707, 3.0}}) {
    const ChordLine chord = chord_line(line);
    EXPECT_NEAR(chord.polar().theta, line.theta, 1e-12);
    EXPECT_NEAR(chord.polar().rho, line.rho, 1e-12);
    if (std::abs(chord.slope) < 1e-3) continue;
    EXPECT_NEAR(chord.transposed().polar().theta, line.theta, 1e-9);
    EXPECT_NEAR(chord.transposed().polar().rho, line.rho, 1e-9);
  }
}

}  // namespace
}  // namespace vsmax
