// SPDX-License-Identifier: Apache-2.0
// Internal to hough_forward_cuda.cu: what a device has room for, and how an image's angles and
// groups of lines are divided among its blocks.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

#include "vsmax/base/cuda_launch.h"
#include "vsmax/hough/bin_rule.h"
#include "vsmax/hough/hough_cuda.h"
#include "vsmax/hough/hough_cuda_values.h"
#include "vsmax/hough/hough_tiles_cuda.h"

namespace vsmax::hough_cuda {

constexpr int kMostAngles = kWarp;  // per block: each lane of a warp holds one

// How long a block takes, in units of adding up an angle of a group of lines: to fill the tiles of
// a group, and to meet the other blocks of a cluster.
constexpr int kFilling = 4;
constexpr int kMeeting = 2;

// Reading the pixels of the next tiles while the last ones are added up hides their latency, but
// takes registers.
template <class F>
constexpr bool kReadsAhead = F::kParts > 1;

// How many blocks a multiprocessor has registers for.
template <class F, class Value>
constexpr int kBlocks = F::kThreads == 1024 || kReadsAhead<F> || sizeof(Value) == 8 ? 1 : 2;

// Of the lines of an image that a round can fill.
template <class F>
constexpr int kMostGroups = (F::kPixels + 2 * kPairsPerGroup - 1) / (2 * kPairsPerGroup);

template <class F, class Value>
std::size_t forward_bytes(const HoughTableOnDevice& table, int angles) {
  const int longest = table.first_row_angle < half_thetas(table.thetas)
                          ? std::max(table.width, table.height)
                          : table.height;
  return sizeof(Value) * (static_cast<std::size_t>(F::kHeld * F::tile_values(longest)) +
                          static_cast<std::size_t>(F::kSums + F::kWaiting) +
                          static_cast<std::size_t>(angles) * kKinds * table.rhos);
}

template <class F, class Value>
bool fits(const HoughTableOnDevice& table) {
  return table.groups != nullptr &&
         (!F::kOneRound || std::max(table.width, table.height) <= F::kPixels) &&
         forward_bytes<F, Value>(table, 1) <= kMostSharedBytes;
}

struct Processors {
  int count = 0;
  int shared_of_each = 0;
  int shared_of_block = 0;

  cudaError_t find() {
    int device = 0;
    if (const auto status = cudaGetDevice(&device); status != cudaSuccess) return status;
    for (const auto& [value, attribute] :
         {std::pair(&count, cudaDevAttrMultiProcessorCount),
          std::pair(&shared_of_each, cudaDevAttrMaxSharedMemoryPerMultiprocessor),
          std::pair(&shared_of_block, cudaDevAttrMaxSharedMemoryPerBlockOptin)})
      if (const auto status = cudaDeviceGetAttribute(value, attribute, device);
          status != cudaSuccess)
        return status;
    return cudaSuccess;
  }

  // What a block may use if `blocks` are to run at a time; each needs another kilobyte.
  std::size_t shared_bytes(int blocks) const {
    return static_cast<std::size_t>(
        std::max(0, std::min(shared_of_block, shared_of_each / blocks - 1024)));
  }
};

// How the angles are divided among the blocks, or clusters, of an image.
struct AngleShares {
  int column_angles, row_angles;
  int groups;  // of lines at an angle, at most

  explicit AngleShares(const HoughTableOnDevice& table)
      : column_angles(table.first_row_angle),
        row_angles(half_thetas(table.thetas) - table.first_row_angle),
        groups(std::max(column_angles > 0 ? Lines(table, false).groups() : 0,
                        row_angles > 0 ? Lines(table, true).groups() : 0)) {}

  unsigned column_blocks(int angles) const { return blocks_for(column_angles, angles); }
  unsigned blocks(int angles) const {
    return column_blocks(angles) + blocks_for(row_angles, angles);
  }
  // At least one for each group.
  unsigned blocks_per_cluster() const { return std::bit_ceil(static_cast<unsigned>(groups)); }
};

struct Division {
  int angles = 1;  // per block
  std::int64_t time = std::numeric_limits<std::int64_t>::max();
};

// The division with which all blocks, or clusters, end soonest: they run in waves, `at_once` at a
// time, each of which takes time(angles). No result depends on it.
template <class F, class Value, class Time>
Division divide_angles(const HoughTableOnDevice& table, std::int64_t batch,
                       const Processors& processors, std::int64_t at_once, const Time& time) {
  const AngleShares shares(table);
  const std::size_t most_bytes = processors.shared_bytes(kBlocks<F, Value>);
  Division best;
  for (int angles = 1; angles <= kMostAngles; ++angles) {
    if (forward_bytes<F, Value>(table, angles) > most_bytes) break;
    const std::int64_t waves = (batch * shares.blocks(angles) + at_once - 1) / at_once;
    const std::int64_t all = waves * time(angles);
    if (all < best.time) best = {angles, all};
  }
  return best;
}

}  // namespace vsmax::hough_cuda
