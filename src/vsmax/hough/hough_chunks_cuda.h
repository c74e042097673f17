// SPDX-License-Identifier: Apache-2.0
// Internal to hough_forward_cuda.cu: how the prefix sums in shared memory are added up, chunk by
// chunk of bins.
#pragma once

#include <cstddef>
#include <cstdint>

#include "vsmax/hough/hough_cuda.h"
#include "vsmax/hough/hough_cuda_values.h"
#include "vsmax/hough/hough_tiles_cuda.h"

namespace vsmax::hough_cuda {

// Adds up the prefix sums of the first `tiles` tiles at an edge; `shift` selects the edge in each
// tile's word.
template <class F, int tiles, class Value>
__device__ Value add_tiles(const Value* prefix, const std::uint32_t (&words)[tiles], int shift) {
  constexpr std::uint32_t kScale = sizeof(Value) / 4;
  const auto at = [&](int tile) {
    const std::uint32_t bytes = (words[tile] >> shift & 0xFFFFU) * kScale;
    // If one tile is held, `tile` is 0 and the distance between tiles does not matter.
    return *reinterpret_cast<const Value*>(
        reinterpret_cast<const char*>(prefix + tile * F::tile_values(0)) + bytes);
  };
  Value sum = at(0);
#pragma unroll
  for (int tile = 1; tile < tiles; ++tile) sum += at(tile);
  return sum;
}

// Sums eight values over the eight lanes that differ only in their lowest three bits. Each of these
// lanes returns the sum of one value, the one whose index those bits are.
template <class Value>
__device__ Value sum_over_pairs(Value (&values)[kBinsPerChunk], int lane) {
#pragma unroll
  for (int step = kBinsPerChunk / 2; step > 0; step /= 2)
#pragma unroll
    for (int i = 0; i < step; ++i) {
      const bool upper = (lane & step) != 0;
      const Value sent = upper ? values[i] : values[i + step];
      const Value kept = upper ? values[i + step] : values[i];
      values[i] = kept + __shfl_xor_sync(kWholeWarp, sent, step);
    }
  return values[0];
}

// The chunks of bins of a block's angles in a group of lines, angle after angle, in equal parts for
// the warps. Lane i of each warp holds angle i.
class ChunkList {
 public:
  __device__ ChunkList(HoughLineGroup own) : own_(own), end_(own.chunks) {
    const int lane = static_cast<int>(threadIdx.x) % kWarp;
#pragma unroll
    for (int step = 1; step < kWarp; step *= 2) {
      const int before = __shfl_up_sync(kWholeWarp, end_, static_cast<unsigned>(step));
      if (lane >= step) end_ += before;
    }
  }

  // visit(angle, group, first chunk, end) for this warp's part, of `warps`.
  template <int warps, class Visit>
  __device__ void for_own_part(const Visit& visit) const {
    const int all = __shfl_sync(kWholeWarp, end_, kWarp - 1);
    const int warp = static_cast<int>(threadIdx.x) / kWarp;
    const int end = (warp + 1) * all / warps;
    for (int at = warp * all / warps; at < end;) {
      const int angle = __popc(__ballot_sync(kWholeWarp, end_ <= at));
      const HoughLineGroup group{
          __shfl_sync(kWholeWarp, own_.begin, angle),
          static_cast<std::uint16_t>(__shfl_sync(kWholeWarp, unsigned{own_.first_bin}, angle)),
          static_cast<std::uint16_t>(__shfl_sync(kWholeWarp, unsigned{own_.chunks}, angle))};
      const int angle_end = __shfl_sync(kWholeWarp, end_, angle);
      const int angle_begin = angle_end - group.chunks;
      visit(angle, group, at - angle_begin, min(end, angle_end) - angle_begin);
      at = min(end, angle_end);
    }
  }

 private:
  HoughLineGroup own_;
  int end_;  // of the angle's chunks in the list, a prefix sum over the lanes
};

// What a thread needs in order to add up tiles: where its own prefix sums and cells are.
template <class Value>
struct OwnLine {
  const uint4* edges;
  const Value* prefix;
  Value* cells;  // angles x kinds x R
  int rhos;
  int lane;
  int kind;
  bool from_end;
  std::uint32_t places;  // XOR with it turns two edges at once into offsets of prefix sums

  // Adds the chunks [first, end) of an angle, of `tiles` tiles from the group's `tile` on.
  template <class F, int tiles>
  __device__ void add(int tile, int angle, const HoughLineGroup& bins, int first, int end) const {
    constexpr int kLoads = kPairsPerTile * kTilesPerGroup;  // of a chunk
    const uint4* loads = edges + (static_cast<std::size_t>(bins.begin) + first) * kLoads +
                         tile * kPairsPerTile + lane % kPairsPerTile;
    int bin = bins.first_bin + first * kBinsPerChunk + lane % kBinsPerChunk;
    Value* cell = cells + (angle * kKinds + kind) * rhos + bin;
    // The first bin begins where the last bin of the previous chunk ends.
    std::uint32_t begins[tiles];
#pragma unroll
    for (int i = 0; i < tiles; ++i)
      begins[i] = (first == 0 ? 0U : __ldg(&loads[i * kPairsPerTile - kLoads].w)) ^ places;
    Value before = add_tiles<F>(prefix, begins, first == 0 ? 0 : 16);
    for (int chunks_left = end - first; chunks_left > 0; --chunks_left) {
      std::uint32_t words[kBinsPerChunk / 2][tiles];
#pragma unroll
      for (int i = 0; i < tiles; ++i) {
        const uint4 own = __ldg(loads + i * kPairsPerTile);
        words[0][i] = own.x ^ places;
        words[1][i] = own.y ^ places;
        words[2][i] = own.z ^ places;
        words[3][i] = own.w ^ places;
      }
      Value sums[kBinsPerChunk];
#pragma unroll
      for (int i = 0; i < kBinsPerChunk; ++i)
        sums[i] = add_tiles<F>(prefix, words[i / 2], i % 2 * 16);
      const Value last = sums[kBinsPerChunk - 1];
#pragma unroll
      for (int i = kBinsPerChunk - 1; i > 0; --i) sums[i] -= sums[i - 1];
      sums[0] -= before;
      before = last;
      const Value sum = sum_over_pairs(sums, lane);
      // Counted from the end, the prefix sums decrease.
      if (bin < rhos) *cell += from_end ? 0 - sum : sum;
      loads += kLoads;
      bin += kBinsPerChunk;
      cell += kBinsPerChunk;
    }
  }
};

}  // namespace vsmax::hough_cuda
