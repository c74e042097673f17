// SPDX-License-Identifier: Apache-2.0
// Limited by shared-memory reads, so threads are laid out to need few of them and to avoid bank
// conflicts within a warp.
//
// The sum of a run of pixels is a difference of two prefix sums (Eq. 10). A warp takes an angle and
// eight pairs of columns, (i, W-1-i); a thread takes one column of a pair, from above or from
// below. By the mirror symmetries, the edges of column i at angle t <= T/2 are also those of
//   column i from above, which votes for (t, k),
//   column W-1-i from below, for (t, R-1-k),
//   column W-1-i from above, for (T-t, k),
//   column i from below, for (T-t, R-1-k).
// At angles closer to T/2, rows take the place of columns, as they meet fewer bins:
//   row i from the left votes for (t, k),
//   row H-1-i from the right for (t, R-1-k),
//   row i from the right for (T-t, k),
//   row H-1-i from the left for (T-t, R-1-k).
// The prefix sums of 16 lines are next to each other, and the two directions use different halves
// of the 32 banks (prefix_place), so that each thread has its own bank, whatever the edges. Each
// thread adds up its line in four tiles, bin by bin; then the eight threads of a kind add up their
// sums. The warps of a block evenly share the chunks of bins of its angles.
//
// A block takes one group of lines after the other. Where there are few images, a block for each
// group of the same angles, a cluster, read each other's cells in the end and add them up in the
// order of the groups, so that both ways round alike.
//
// How the prefix sums get into shared memory: hough_tiles_cuda.h; how they are added up:
// hough_chunks_cuda.h; what each block does: hough_blocks_cuda.h.
#include <algorithm>
#include <cstdint>

#include "vsmax/base/cuda_cluster.h"
#include "vsmax/base/cuda_launch.h"
#include "vsmax/hough/hough_blocks_cuda.h"
#include "vsmax/hough/hough_chunks_cuda.h"
#include "vsmax/hough/hough_cuda.h"
#include "vsmax/hough/hough_cuda_values.h"
#include "vsmax/hough/hough_direct_cuda.h"
#include "vsmax/hough/hough_tiles_cuda.h"

namespace vsmax {
namespace {

using namespace hough_cuda;

// The angles of a block: those scanned along columns are dealt out one by one to the first
// `column_blocks` blocks, those scanned along rows to the others.
struct BlockAngles {
  int first, step, end;

  __device__ BlockAngles(const HoughTableOnDevice& table, int column_blocks, bool rows)
      : first(static_cast<int>(blockIdx.y) + (rows ? table.first_row_angle - column_blocks : 0)),
        step(rows ? static_cast<int>(gridDim.y) - column_blocks : column_blocks),
        end(rows ? half_thetas(table.thetas) : table.first_row_angle) {}

  __device__ int operator[](int i) const { return first + i * step; }
};

// The index of an angle's first group in the table.
__device__ int first_group(const HoughTableOnDevice& table, int t) {
  const int columns = min(t, table.first_row_angle);
  return columns * Lines(table, false).groups() + (t - columns) * Lines(table, true).groups();
}

// The sum of what the blocks of a cluster have in this place.
template <class F, class Value>
__device__ Value sum_over_groups(const Value* cell, int groups) {
  Value sum = load_of_block(cell, 0);
#pragma unroll
  for (int group = 1; group < kMostGroups<F>; ++group) {
    // Loading in any case lets the loads overlap.
    const Value next = load_of_block(cell, static_cast<unsigned>(min(group, groups - 1)));
    sum = group < groups ? sum + next : sum;
  }
  return sum;
}

// If `split`, a block takes the group blockIdx.z, if there is such a group, and forms a cluster
// with those that have the same angles; otherwise all groups.
template <class F, bool split, class Pixel, class Cell>
__global__ void __launch_bounds__(F::kThreads, (kBlocks<F, Sum<Pixel>>))
    forward_kernel(HoughTableOnDevice table, int angles, int column_blocks, const Pixel* images,
                   Cell* accumulators) {
  using Value = Sum<Pixel>;
  const bool rows = static_cast<int>(blockIdx.y) >= column_blocks;
  const Lines lines(table, rows);
  Value* prefix = dynamic_shared<Value>();                                 // F::kHeld tiles
  Value* segment_sums = prefix + F::kHeld * F::tile_values(lines.length);  // F::kSums
  Value* waiting = segment_sums + F::kSums;                                // F::kWaiting
  Value* cells = waiting + F::kWaiting;                                    // angles x kinds x R
  let_next_start();
  const int thread = static_cast<int>(threadIdx.x);
  const int lane = thread % kWarp;
  const int rhos = table.rhos;
  const Pixel* image = images + static_cast<std::size_t>(blockIdx.x) *
                                    static_cast<std::size_t>(table.height) *
                                    static_cast<std::size_t>(table.width);
  for (int i = thread; i < angles * kKinds * rhos; i += F::kThreads) cells[i] = 0;

  const BlockAngles block_angles(table, column_blocks, rows);
  const int own_angle = block_angles[lane];
  const bool has_angle = lane < angles && own_angle < block_angles.end;
  const HoughLineGroup* own_groups = table.groups + (has_angle ? first_group(table, own_angle) : 0);
  const bool is_other = lane % kLinesPerPlace >= kPairsPerTile;
  const bool from_end = lane >= kLinesPerPlace;
  const auto own_place =
      static_cast<std::uint32_t>(lane % kLinesPerPlace * (kEdgeUnitsPerPlace / kLinesPerPlace) +
                                 (from_end ? kEdgeUnitsPerPlace : 0));
  const OwnLine<Value> own{reinterpret_cast<const uint4*>(table.edges),
                           prefix,
                           cells,
                           rhos,
                           lane,
                           from_end == is_other ? (from_end ? 1 : 0) : (from_end == rows ? 2 : 3),
                           from_end,
                           own_place | own_place << 16};

  const int first = split ? static_cast<int>(blockIdx.z) : 0;
  const int end = split ? min(first + 1, lines.groups()) : lines.groups();
  RoundPixels<F, Pixel> pixels;
  if (kReadsAhead<F>) filler_from<F>(lines, image, 0).read(0, pixels);
  for (int group = first; group < end; ++group) {
    // Its latency is hidden by the filling of the first tiles.
    const HoughLineGroup own_group = has_angle ? own_groups[group] : HoughLineGroup{};
    for (int tile = 0; tile < kTilesPerGroup; tile += F::kHeld) {
      const int pair = group * kPairsPerGroup + tile * kPairsPerTile;
      if (!kReadsAhead<F>) filler_from<F>(lines, image, pair).read(0, pixels);
      fill_tiles<F>(lines, image, pair, pixels, prefix, segment_sums, waiting);
      __syncthreads();
      const int next = pair + F::kHeld * kPairsPerTile;
      if (kReadsAhead<F> && next < lines.groups() * kPairsPerGroup)
        filler_from<F>(lines, image, next).read(0, pixels);
      const ChunkList chunks(own_group);
      // Often at most half of the last group's tiles exist.
      if (F::kHeld > 1 && half_lines(lines.count) - pair <= F::kHeld / 2 * kPairsPerTile)
        chunks.for_own_part<F::kWarps>(
            [&](int angle, const HoughLineGroup& bins, int first, int end) {
              own.template add<F, (F::kHeld + 1) / 2>(tile, angle, bins, first, end);
            });
      else
        chunks.for_own_part<F::kWarps>(
            [&](int angle, const HoughLineGroup& bins, int first, int end) {
              own.template add<F, F::kHeld>(tile, angle, bins, first, end);
            });
    }
  }

  if constexpr (split)
    sync_cluster();
  else
    __syncthreads();
  Cell* accumulator = accumulators + static_cast<std::size_t>(blockIdx.x) *
                                         static_cast<std::size_t>(table.thetas) *
                                         static_cast<std::size_t>(rhos);
  for (int row = thread / kWarp; row < 2 * angles; row += F::kWarps) {
    const int row_t = block_angles[row / 2];
    const bool mirror = row % 2 == 1;
    if (row_t >= block_angles.end || (mirror && !has_mirror(row_t, table.thetas))) continue;
    const Value* forth = cells + 2 * row * rhos;
    const Value* back = forth + rhos;
    Cell* to = accumulator + static_cast<std::size_t>(mirror ? table.thetas - row_t : row_t) * rhos;
    if constexpr (split) {
      const int groups = lines.groups();
      for (int k = first * kWarp + lane; k < rhos; k += static_cast<int>(gridDim.z) * kWarp)
        store(
            sum_over_groups<F>(forth + k, groups) + sum_over_groups<F>(back + rhos - 1 - k, groups),
            to + k);
    } else {
      for (int k = lane; k < rhos; k += kWarp) store(forth[k] + back[rhos - 1 - k], to + k);
    }
  }
  if constexpr (split) sync_cluster();
}

// What a call has to do, and how it is launched.
template <class Pixel, class Cell>
struct Work {
  using Value = Sum<Pixel>;

  const HoughTableOnDevice& table;
  const Processors& processors;
  const Pixel* images;
  Cell* accumulators;
  std::int64_t batch;
  cudaStream_t stream;

  template <class F>
  cudaError_t launch_whole() const {
    return launch_blocks<F, false>(divide_whole<F>().angles);
  }

  // With `Few` where the multiprocessors can take a block per angle, otherwise with `Many`; or, if
  // that ends sooner, with `Many` and the groups of lines split among the blocks of clusters. All
  // round alike, so the result of an image does not depend on its batch.
  template <class Many, class Few>
  cudaError_t launch_soonest() const {
    static_assert(Many::kPartPixels == Few::kPartPixels && Many::kPixels == Few::kPixels);
    const bool many = batch * AngleShares(table).blocks(1) > processors.count;
    const Division whole = many ? divide_whole<Many>() : divide_whole<Few>();
    Division split;
    if (const auto status = divide_split<Many>(whole.time, &split); status != cudaSuccess)
      return status;
    if (split.time < whole.time) return launch_blocks<Many, true>(split.angles);
    return many ? launch_blocks<Many, false>(whole.angles)
                : launch_blocks<Few, false>(whole.angles);
  }

 private:
  template <class F>
  Division divide_whole() const {
    const AngleShares shares(table);
    return divide_angles<F, Value>(table, batch, processors, processors.count * kBlocks<F, Value>,
                                   [&](int angles) { return shares.groups * (kFilling + angles); });
  }

  // Does not ask the device where even all multiprocessors would not end before `time`.
  template <class F>
  cudaError_t divide_split(std::int64_t time, Division* split) const {
    const int blocks = AngleShares(table).blocks_per_cluster();
    const auto divide = [&](int at_once) {
      return divide_angles<F, Value>(table, batch, processors, at_once,
                                     [](int angles) { return kFilling + angles + kMeeting; });
    };
    if (blocks == 1 || divide(processors.count / blocks).time >= time) return cudaSuccess;
    const auto kernel = forward_kernel<F, true, Pixel, Cell>;
    if (const auto status = allow_shared_memory(kernel); status != cudaSuccess) return status;
    int at_once = 0;
    if (const auto status = clusters_at_once(shape<F, true>(1), kernel, &at_once);
        status != cudaSuccess)
      return status;
    if (at_once > 0) *split = divide(at_once);
    return cudaSuccess;
  }

  template <class F, bool split>
  LaunchShape shape(int angles) const {
    const AngleShares shares(table);
    LaunchShape shape{dim3(static_cast<unsigned>(batch), shares.blocks(angles)), F::kThreads,
                      stream, forward_bytes<F, Value>(table, angles)};
    if constexpr (split) shape.blocks.z = shape.blocks_per_cluster = shares.blocks_per_cluster();
    return shape;
  }

  // The limit is the same for every batch: other threads may be launching this kernel, too.
  template <class Kernel>
  cudaError_t allow_shared_memory(Kernel kernel) const {
    return cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                processors.shared_of_block);
  }

  template <class F, bool split>
  cudaError_t launch_blocks(int angles) const {
    const auto kernel = forward_kernel<F, split, Pixel, Cell>;
    if (const auto status = allow_shared_memory(kernel); status != cudaSuccess) return status;
    return launch(shape<F, split>(angles), kernel, table, angles,
                  static_cast<int>(AngleShares(table).column_blocks(angles)), images, accumulators);
  }
};

}  // namespace

template <class Pixel, class Cell>
cudaError_t hough_forward_cuda(const HoughTableOnDevice& table, const Pixel* images,
                               Cell* accumulators, std::int64_t batch, cudaStream_t stream) {
  using Value = Sum<Pixel>;
  if (batch == 0) return cudaSuccess;
  Processors processors;
  if (const auto status = processors.find(); status != cudaSuccess) return status;
  const Work<Pixel, Cell> work{table, processors, images, accumulators, batch, stream};
  if constexpr (sizeof(Value) == 4) {
    if (fits<FourShortTiles, Value>(table))
      return work.template launch_soonest<FourShortTiles, FourShortTilesAhead>();
    if (fits<FourTiles, Value>(table))
      return work.template launch_soonest<FourTiles, FourTilesAhead>();
  }
  if (fits<OneTile, Value>(table)) return work.template launch_whole<OneTile>();
  const std::int64_t cells = batch * table.rhos;
  return launch({dim3(blocks_for<std::int64_t>(cells, kDirectThreads / kWarp),
                      static_cast<unsigned>(table.thetas)),
                 kDirectThreads, stream},
                direct_forward_kernel<Pixel, Cell>, table, images, accumulators, batch);
}

#define VSMAX_HOUGH_FORWARD(Pixel, Cell)                                                  \
  template cudaError_t hough_forward_cuda(const HoughTableOnDevice&, const Pixel*, Cell*, \
                                          std::int64_t, cudaStream_t);

VSMAX_HOUGH_FORWARD(float, float)
VSMAX_HOUGH_FORWARD(float, __nv_bfloat16)
VSMAX_HOUGH_FORWARD(__nv_bfloat16, float)
VSMAX_HOUGH_FORWARD(__nv_bfloat16, __nv_bfloat16)
VSMAX_HOUGH_FORWARD(std::uint8_t, float)
VSMAX_HOUGH_FORWARD(std::uint8_t, __nv_bfloat16)
VSMAX_HOUGH_FORWARD(double, double)

}  // namespace vsmax
