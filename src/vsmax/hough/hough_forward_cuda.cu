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
// sums. The warps of a block evenly share the chunks of bins of its angles. How the prefix sums
// get into shared memory: hough_tiles_cuda.h.
#include <algorithm>
#include <limits>

#include "vsmax/base/cuda_launch.h"
#include "vsmax/hough/hough_blocks_cuda.h"
#include "vsmax/hough/hough_cuda.h"
#include "vsmax/hough/hough_cuda_values.h"
#include "vsmax/hough/hough_direct_cuda.h"
#include "vsmax/hough/hough_tiles_cuda.h"

namespace vsmax {
namespace {

using namespace hough_cuda;

constexpr int kMostAngles = kWarp;  // per block: each lane of a warp holds one

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

// Reading the pixels of the next tiles while the last ones are added up hides their latency, but
// takes registers.
template <class F>
constexpr bool kReadsAhead = F::kParts > 1;

// How many blocks a multiprocessor has registers for.
template <class F, class Value>
constexpr int kBlocks = F::kThreads == 1024 || kReadsAhead<F> || sizeof(Value) == 8 ? 1 : 2;

template <class F, class Pixel, class Cell>
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

  RoundPixels<F, Pixel> pixels;
  if (kReadsAhead<F>) filler_from<F>(lines, image, 0).read(0, pixels);
  for (int group = 0; group < lines.groups(); ++group) {
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
    for (int k = lane; k < rhos; k += kWarp) store(forth[k] + back[rhos - 1 - k], to + k);
  }
}

template <class F, class Value>
std::size_t forward_bytes(const HoughTableOnDevice& table, int angles) {
  const int longest = table.first_row_angle < half_thetas(table.thetas)
                          ? std::max(table.width, table.height)
                          : table.height;
  return sizeof(Value) * (static_cast<std::size_t>(F::kHeld * F::tile_values(longest)) +
                          static_cast<std::size_t>(F::kSums + F::kWaiting) +
                          static_cast<std::size_t>(angles) * kKinds * table.rhos);
}

// The number of angles per block with which all blocks end soonest: they run in waves, and each has
// to fill its tiles, which takes about as long as kFilling angles. No result depends on it.
template <class F, class Value>
int angles_per_block(const HoughTableOnDevice& table, const AngleShares& shares, std::int64_t batch,
                     const Processors& processors) {
  constexpr int kFilling = 4;
  const std::size_t most_bytes = processors.shared_bytes(kBlocks<F, Value>);
  const std::int64_t at_once = processors.count * kBlocks<F, Value>;
  int best = 1;
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (int angles = 1; angles <= kMostAngles; ++angles) {
    if (forward_bytes<F, Value>(table, angles) > most_bytes) break;
    const std::int64_t waves = (batch * shares.blocks(angles) + at_once - 1) / at_once;
    const std::int64_t time = waves * (kFilling + angles);
    if (time >= least) continue;
    least = time;
    best = angles;
  }
  return best;
}

template <class F, class Pixel, class Cell>
cudaError_t launch_forward(const HoughTableOnDevice& table, const Processors& processors,
                           const Pixel* images, Cell* accumulators, std::int64_t batch,
                           cudaStream_t stream) {
  const AngleShares shares(table);
  const int angles = angles_per_block<F, Sum<Pixel>>(table, shares, batch, processors);
  const std::size_t bytes = forward_bytes<F, Sum<Pixel>>(table, angles);
  const auto kernel = forward_kernel<F, Pixel, Cell>;
  // The limit is the same for every batch: other threads may be launching this kernel, too.
  if (const auto status = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                               processors.shared_of_block);
      status != cudaSuccess)
    return status;
  return launch(
      {dim3(static_cast<unsigned>(batch), shares.blocks(angles)), F::kThreads, stream, bytes},
      kernel, table, angles, static_cast<int>(shares.column_blocks(angles)), images, accumulators);
}

// With `Few` where the multiprocessors can take a block per angle, otherwise with `Many`. Both
// round alike, so the result of an image does not depend on its batch.
template <class Many, class Few, class Pixel, class Cell>
cudaError_t launch_many_or_few(const HoughTableOnDevice& table, const Processors& processors,
                               const Pixel* images, Cell* accumulators, std::int64_t batch,
                               cudaStream_t stream) {
  static_assert(Many::kPartPixels == Few::kPartPixels && Many::kPixels == Few::kPixels);
  return batch * AngleShares(table).blocks(1) > processors.count
             ? launch_forward<Many>(table, processors, images, accumulators, batch, stream)
             : launch_forward<Few>(table, processors, images, accumulators, batch, stream);
}

template <class F, class Value>
bool fits(const HoughTableOnDevice& table) {
  return table.groups != nullptr &&
         (!F::kOneRound || std::max(table.width, table.height) <= F::kPixels) &&
         forward_bytes<F, Value>(table, 1) <= kMostSharedBytes;
}

}  // namespace

template <class Pixel, class Cell>
cudaError_t hough_forward_cuda(const HoughTableOnDevice& table, const Pixel* images,
                               Cell* accumulators, std::int64_t batch, cudaStream_t stream) {
  using Value = Sum<Pixel>;
  if (batch == 0) return cudaSuccess;
  Processors processors;
  if (const auto status = processors.find(); status != cudaSuccess) return status;
  if constexpr (sizeof(Value) == 4) {
    if (fits<FourShortTiles, Value>(table))
      return launch_many_or_few<FourShortTiles, FourShortTilesAhead>(table, processors, images,
                                                                     accumulators, batch, stream);
    if (fits<FourTiles, Value>(table))
      return launch_many_or_few<FourTiles, FourTilesAhead>(table, processors, images, accumulators,
                                                           batch, stream);
  }
  if (fits<OneTile, Value>(table))
    return launch_forward<OneTile>(table, processors, images, accumulators, batch, stream);
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
