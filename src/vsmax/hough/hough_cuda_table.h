// SPDX-License-Identifier: Apache-2.0
// The lookup table of a grid for the CUDA kernels, built on the host. Because of the grid's mirror
// symmetries (grid.h), only a quarter of all votes is stored: those of half of the pixels at
// t <= T/2.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "vsmax/hough/grid.h"

namespace vsmax {

// Forward: the runs of the lines in one half of the image, in groups of 32 lines, four tiles of
// eight. Lines are columns at angles below first_row_angle and rows from there on, whichever meet
// fewer bins.
inline constexpr int kPairsPerTile = 8;  // a line and its mirror image are a pair
inline constexpr int kTilesPerGroup = 4;
inline constexpr int kPairsPerGroup = kPairsPerTile * kTilesPerGroup;
inline constexpr int kBinsPerChunk = 8;
inline constexpr int kLinesPerPlace = 2 * kPairsPerTile;  // prefix sums next to each other
inline constexpr int kEdgeUnitsPerPlace = 4 * kLinesPerPlace;

// Where the prefix sum of the first `count` pixels of a line is stored, in units of kLinesPerPlace.
// Flipping the lowest bit gives the place for the first `length - count` pixels, that is, for the
// same edge counted from the end of the line. Where the two counts are equal, the value is stored
// at both places. There are length + 2 places.
constexpr int prefix_place(int count, int length) {
  return count <= length - count ? 2 * count : 2 * (length - count) + 1;
}

// The bins that the lines of a group meet at an angle: 8 * chunks of them from first_bin on. For
// each chunk, the edges hold 4 tiles x 8 lines x 8 bins: the offset of the prefix sum up to the end
// of the bin, in bytes for sums of four bytes.
struct HoughLineGroup {
  std::uint32_t begin = 0;  // in chunks
  std::uint16_t first_bin = 0;
  std::uint16_t chunks = 0;
};

// Adjoint: at four successive angles, the pixels of a patch meet few different combinations of
// bins, so the four cells of each combination are added up once for all pixels that need them. A
// patch lies in the upper left quarter of the image and includes its mirror image in the upper
// right.
inline constexpr int kPatchColumns = 32;
inline constexpr int kPatchRows = 32;
inline constexpr int kPatchPixels = kPatchColumns * kPatchRows;
inline constexpr int kAnglesPerSum = 4;
inline constexpr int kSumsPerPack = 4;
inline constexpr int kAnglesPerPack = kAnglesPerSum * kSumsPerPack;

// The order of a patch's pixels in its table: tiles of 8 x 4 pixels, one per warp. Pixels so close
// together look up sums that are close together and thus in different banks.
struct PatchPixel {
  int column = 0;
  int row = 0;
};
constexpr PatchPixel patch_pixel(int index) {
  const int tile = index / 32;
  return {tile % 4 * 8 + index % 8, tile / 4 * 4 + index / 8 % 4};
}

struct alignas(16) HoughBinSum {
  static constexpr std::uint16_t kNone = 0xFFFF;  // for angles beyond the last one
  std::uint32_t angle = 0;                        // the first of the four
  std::array<std::uint16_t, kAnglesPerSum> bins{};
};

struct HoughCudaTable {
  std::vector<double> normals;  // T cosines, then T sines

  // Empty if the grid is too large; the kernels then compute the bins themselves.
  std::vector<HoughLineGroup> groups;  // by angle: those scanned along columns, then along rows
  std::vector<std::uint16_t> edges;
  int first_row_angle = 0;

  std::vector<HoughBinSum> sums;         // patch by patch, pass by pass
  std::vector<std::uint32_t> first_sum;  // patches x passes, and the end
  // For each patch, pack of angles and pixel: the indices of the left pixel's sums and of its
  // mirror image's, relative to the first sum of the pass.
  std::vector<std::uint16_t> pixel_sums;
  int packs_per_pass = 0;  // limited by the shared memory for their sums
  int most_sums = 0;       // the maximum per patch and pass
};

HoughCudaTable make_hough_cuda_table(const HoughGrid& grid);

}  // namespace vsmax
