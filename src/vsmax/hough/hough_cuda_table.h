// SPDX-License-Identifier: Apache-2.0
// What the CUDA kernels of a grid look up, as the host makes it. The mirror symmetries of the grid
// (grid.h) leave a quarter of all votes to keep: those at t <= T/2 of half of the pixels.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "vsmax/hough/grid.h"

namespace vsmax {

// Forward: the runs of the lines of half of the image, 32 lines at a time as four times eight.
// Below first_row_angle lines are columns, from there on rows: whichever meet fewer bins.
inline constexpr int kPairsPerTile = 8;  // a line and its mirror image are a pair
inline constexpr int kTilesPerGroup = 4;
inline constexpr int kPairsPerGroup = kPairsPerTile * kTilesPerGroup;
inline constexpr int kBinsPerChunk = 8;
inline constexpr int kLinesPerPlace = 2 * kPairsPerTile;  // prefix sums that lie together
inline constexpr int kEdgeUnitsPerPlace = 4 * kLinesPerPlace;

// Where the prefix sum of the first `count` pixels of a line lies, in kLinesPerPlace: that of the
// last `count` ones, counted from the end, lies at this place with its lowest bit flipped. Where
// both are the same the value is stored twice. There are length + 2 places.
constexpr int prefix_place(int count, int length) {
  return count <= length - count ? 2 * count : 2 * (length - count) + 1;
}

// The bins that the lines of a group meet at an angle: 8 * chunks of them from first_bin on. For
// each chunk of bins the edges hold 4 tiles x 8 lines x 8 bins: where the prefix sum up to the end
// of the bin lies, in bytes where a sum takes four.
struct HoughLineGroup {
  std::uint32_t begin = 0;  // in chunks
  std::uint16_t first_bin = 0;
  std::uint16_t chunks = 0;
};

// Adjoint: a patch of pixels meets few different combinations of bins at four successive angles, so
// it is worth adding those four cells once for all pixels that need them. A patch lies in the upper
// left quarter of the image; its mirror image in the upper right quarter belongs to it.
inline constexpr int kPatchColumns = 32;
inline constexpr int kPatchRows = 16;
inline constexpr int kPatchPixels = kPatchColumns * kPatchRows;
inline constexpr int kAnglesPerSum = 4;
inline constexpr int kSumsPerPack = 4;
inline constexpr int kAnglesPerPack = kAnglesPerSum * kSumsPerPack;

// The pixels of a patch in the order of its table: tiles of 8 x 4 pixels, one per warp. Pixels so
// near to each other look up sums that lie near to each other, in different banks.
struct PatchPixel {
  int column = 0;
  int row = 0;
};
constexpr PatchPixel patch_pixel(int index) {
  const int tile = index / 32;
  return {tile % 4 * 8 + index % 8, tile / 4 * 4 + index / 8 % 4};
}

struct alignas(16) HoughBinSum {
  static constexpr std::uint16_t kNone = 0xFFFF;  // where the angles have come to an end
  std::uint32_t angle = 0;                        // the first of the four
  std::array<std::uint16_t, kAnglesPerSum> bins{};
};

struct HoughCudaTable {
  std::vector<double> normals;  // T cosines, then T sines

  // Empty where the grid is too large for them; the kernels then find the bins by themselves.
  std::vector<HoughLineGroup> groups;  // of the angles of columns, then of those of rows
  std::vector<std::uint16_t> edges;
  int first_row_angle = 0;

  std::vector<HoughBinSum> sums;         // patch by patch, pass by pass
  std::vector<std::uint32_t> first_sum;  // patches x passes, and the end
  // For each patch, pack of angles and pixel: the left pixel's sums and its mirror image's, counted
  // from the first one of the pass.
  std::vector<std::uint16_t> pixel_sums;
  int packs_per_pass = 0;  // as many as shared memory holds the sums of
  int most_sums = 0;       // of a patch in a pass
};

HoughCudaTable make_hough_cuda_table(const HoughGrid& grid);

}  // namespace vsmax
