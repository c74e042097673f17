// SPDX-License-Identifier: Apache-2.0
// Internal to refine_net_cuda.cu: the refinement network's first layer, computed on tensor cores
// row by row as the second one reads it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "vsmax/refine/refine_net_tiles.h"

namespace vsmax::refine_net {

// The first layer's weights as left factors, in shared memory, as a warp's registers are full: rows
// are channels. Columns are taps, each twice, because both weights and inputs are split into two
// bfloat16s: this layer's inputs need not be rounded.
class FirstWeights {
 public:
  static constexpr int kTiles = kChannels / 16;
  static constexpr int kPackets = 3 * kTiles * kWarp;

  struct Tile {
    unsigned high[4], low[4];  // taps 0 to 7
    unsigned last[2];          // tap 8, and the bias, whose input is a pair of ones
  };

  // Rows g and g + 8 of a tile are neighbouring channels, which are stored together.
  __device__ static int channel(int tile, int g) { return 8 * (tile + g / 4 * kTiles) + g % 4 * 2; }

  // By the block's first warp.
  __device__ static void store(const float* values, uint4* packets) {
    const int lane = static_cast<int>(threadIdx.x);
    const int c = lane % 4;
    // split_bfloat16() puts the high part into a pair's first half.
    const auto first_twice = [](unsigned pair) { return pair << 16 | (pair & 0xFFFFU); };
    const auto second_twice = [](unsigned pair) { return pair >> 16 | (pair & 0xFFFF0000U); };
    for (int tile = 0; tile < kTiles; ++tile) {
      Tile own;
#pragma unroll
      for (int row = 0; row < 2; ++row) {
        const float* of_channel = values + channel(tile, lane / 4) + row;
#pragma unroll
        for (int half = 0; half < 2; ++half) {
          const unsigned weight = split_bfloat16(__ldg(of_channel + (c + 4 * half) * kChannels));
          own.high[2 * half + row] = first_twice(weight);
          own.low[2 * half + row] = second_twice(weight);
        }
        const unsigned weight =
            split_bfloat16(__ldg(of_channel + (c == 2 ? kTaps : 8) * kChannels));
        own.last[row] = c == 0   ? first_twice(weight)
                        : c == 1 ? second_twice(weight)
                        : c == 2 ? weight
                                 : 0U;
      }
      uint4* to = packets + 3 * tile * kWarp + lane;
      to[0] = {own.high[0], own.high[1], own.high[2], own.high[3]};
      to[kWarp] = {own.low[0], own.low[1], own.low[2], own.low[3]};
      to[2 * kWarp] = {own.last[0], own.last[1], 0U, 0U};
    }
  }

  __device__ static Tile load(const uint4* packets, int tile) {
    const uint4* from = packets + 3 * tile * kWarp + threadIdx.x % kWarp;
    const uint4 high = from[0];
    const uint4 low = from[kWarp];
    const auto last = *reinterpret_cast<const uint2*>(from + 2 * kWarp);
    return {{high.x, high.y, high.z, high.w}, {low.x, low.y, low.z, low.w}, {last.x, last.y}};
  }
};

// Input rows for convolve() that are the first layer's output, computed on the fly. With Keep they
// are written to memory as well.
template <bool Keep>
class FirstLayerRows {
 public:
  static constexpr int kStages = 2;
  static constexpr bool kBetweenProducts = false;
  static constexpr int kInputs = kCells + 2;  // per row of the accumulator
  static constexpr int kTileCells = 8;        // per product
  static constexpr int kTiles = (kCells + kTileCells - 1) / kTileCells;
  // The last tile's cells that do not exist read beyond the 3 x 20 inputs.
  static constexpr int kWindow = 2 * kInputs + kTiles * kTileCells + 2;

  __device__ FirstLayerRows(const Batch& batch, const float* accumulators, float scale,
                            const uint4* weights, unsigned* window, std::byte* ring, uint4* kept)
      : batch_(batch),
        accumulators_(accumulators),
        scale_(scale),
        weights_(weights),
        window_(window),
        ring_(ring),
        kept_(kept) {
    for (int i = 2 * kWarp + lane(); i < kWindow; i += kWarp) window_[i] = 0;
  }

  __device__ void start(const Column& column) {
    column_ = column;
    fetch(0);
    __syncwarp();
    compute(0);
  }
  __device__ const std::byte* row(int i) {
    __syncwarp();
    if constexpr (Keep) keep(i);
    return stage(i);
  }
  __device__ void prepare_after(int i) {
    if (column_.begin + i <= column_.end) compute(i + 1);
  }

 private:
  __device__ static int lane() { return static_cast<int>(threadIdx.x % kWarp); }
  __device__ std::byte* stage(int i) { return ring_ + i % kStages * kRowBytes; }
  // The row of the cover that row i stands for. Past the seam of the single cover it is computed in
  // its own order and stored flipped.
  __device__ SeamRow source(int i) const {
    return row_across_seam(batch_.shape.cover, batch_.shape.rows(), column_.begin - 1 + i);
  }

  __device__ void keep(int i) {
    const int t = column_.begin - 1 + i;
    if (t < column_.begin || t >= column_.end) return;
#pragma unroll
    for (int k = 0; k < 2; ++k) {
      const int x = lane() / 4 + 8 * k;
      if (column_.r + x < batch_.shape.rhos)
        kept_[packet_index(batch_, column_.image, {t, column_.r + x}) + lane() % 4] =
            *reinterpret_cast<const uint4*>(stage(i) + packet_at(1 + x, lane() % 4));
    }
  }

  // Each lane fetches two of the 3 x 20 inputs of a row. What depends on a value read must wait
  // until compute(), so that the products of another row hide how long the reading takes.
  __device__ void fetch(int i) {
    const auto [thetas, rhos, cover] = batch_.shape;
    const float* image = accumulators_ + column_.image * (static_cast<std::int64_t>(thetas) * rhos);
#pragma unroll
    for (int k = 0; k < 2; ++k) {
      const int n = lane() + k * kWarp;
      int row = column_.begin - 1 + i + n / kInputs - 1;
      int r = column_.r - 2 + n % kInputs;
      if (cover == Cover::kDouble) {
        row += row < 0 ? 2 * thetas : row >= 2 * thetas ? -2 * thetas : 0;
      } else {
        const SeamRow middle = source(i);
        if (middle.flipped) r = rhos - kCells - column_.r + n % kInputs;
        const Cell cell = batch_.shape.across_seam({middle.row + n / kInputs - 1, r});
        row = cell.t;
        r = cell.r;
      }
      fetched_[k] = 0.0F;
      const bool other_sheet = row >= thetas;
      const float* from =
          image + (other_sheet ? (row - thetas + 1) * rhos - 1 - r : row * rhos + r);
      if (n < 3 * kInputs && r >= 0 && r < rhos) fetched_[k] = *from;
    }
  }

  // The input of a tap, relative to that of tap 0.
  __device__ static int input_of_tap(int tap) { return tap / 3 * kInputs + tap % 3; }

  // Columns 2c and 2c+1 of a product are cells c and c + 4 of its tile, so that the stores use all
  // banks.
  __device__ void compute(int i) {
    window_[lane()] = split_bfloat16(scale_ * fetched_[0]);
    window_[lane() + kWarp] = split_bfloat16(scale_ * fetched_[1]);
    if (column_.begin + i <= column_.end) fetch(i + 1);  // the last row has none after it
    __syncwarp();
    const int g = lane() / 4;
    const unsigned* cells = window_ + g % 2 * 4 + g / 2;
    std::byte* to = stage(i);
    const bool flipped = batch_.shape.cover == Cover::kSingle && source(i).flipped;
    const bool whole = column_.r > 0 && column_.r + kStrip < batch_.shape.rhos;
    if (whole && !flipped)
      compute_cells<true>(cells, to, false);
    else
      compute_cells<false>(cells, to, flipped);
  }

  // With Whole, all cells exist, and none is flipped.
  template <bool Whole>
  __device__ void compute_cells(const unsigned* cells, std::byte* to, bool flipped) const {
    const int g = lane() / 4;
    const int c = lane() % 4;
#pragma unroll
    for (int tile = 0; tile < FirstWeights::kTiles; ++tile) {
      const FirstWeights::Tile weights = FirstWeights::load(weights_, tile);
      const int channel = FirstWeights::channel(tile, g);
      // One kind of product after the other, as each has to wait for its own predecessor.
      float sums[kTiles][4] = {};
      unsigned inputs[kTiles][2];
#pragma unroll
      for (int i = 0; i < kTiles; ++i) {
        inputs[i][0] = cells[i * kTileCells + input_of_tap(c)];
        inputs[i][1] = cells[i * kTileCells + input_of_tap(c + 4)];
        multiply_add(sums[i], weights.high, inputs[i]);
      }
#pragma unroll
      for (int i = 0; i < kTiles; ++i) multiply_add(sums[i], weights.low, inputs[i]);
#pragma unroll
      for (int i = 0; i < kTiles; ++i) {
        constexpr unsigned kOnes = 0x3F803F80U;
        multiply_add(sums[i], weights.last,
                     c == 2 ? kOnes : cells[i * kTileCells + input_of_tap(8)]);
      }
#pragma unroll
      for (int i = 0; i < kTiles; ++i)
#pragma unroll
        for (int k = 0; k < 2; ++k) {
          const int n = i * kTileCells + c + 4 * k;
          if (i * kTileCells + 4 * k >= kCells || n >= kCells) continue;
          const int cell = !Whole && flipped ? kCells - 1 - n : n;
          const int r = column_.r - 1 + cell;
          const bool inside = Whole || (r >= 0 && r < batch_.shape.rhos);
          // Written so that the cells of a lane differ by a constant.
          const int place = Whole ? i * kTileCells * kCellBytes + packet_at(c + 4 * k, channel / 8)
                                  : packet_at(cell, channel / 8);
          *reinterpret_cast<unsigned*>(to + place + channel % 8 * 2) =
              inside ? positive_bfloat16s(sums[i][k], sums[i][2 + k]) : 0U;
        }
    }
  }

  const Batch& batch_;
  const float* accumulators_;
  float scale_;
  const uint4* weights_;  // FirstWeights
  unsigned* window_;      // a warp's own inputs, each split into two bfloat16s
  std::byte* ring_;
  uint4* kept_;
  Column column_{};
  float fetched_[2]{};
};

}  // namespace vsmax::refine_net
