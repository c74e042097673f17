// SPDX-License-Identifier: Apache-2.0
// Bound by reads of shared memory, so threads are laid out to need few of them and no two of a warp
// from the same bank.
//
// The sum of a run of pixels is a difference of two prefix sums (Eq. 10). A warp takes an angle and
// eight pairs of columns, (i, W-1-i); a thread takes one column of a pair, from above or from
// below: by the mirror symmetries, the edges of column i at angle t <= T/2 are those of
//   column i from above, which votes for (t, k),
//   column W-1-i from below, for (t, R-1-k),
//   column W-1-i from above, for (T-t, k),
//   column i from below, for (T-t, R-1-k).
// Prefix sums of 16 columns lie next to each other, those from above and from below in different
// halves of 32 (prefix_place), so that each thread has a bank of its own, whatever the edges. Each
// adds its column in four tiles, bin by bin; then the eight threads of a kind add their sums.
#include <algorithm>

#include "vsmax/base/cuda_launch.h"
#include "vsmax/hough/bin_rule.h"
#include "vsmax/hough/hough_cuda.h"
#include "vsmax/hough/hough_cuda_values.h"

namespace vsmax {
namespace {

constexpr int kWarp = 32;
constexpr unsigned kWholeWarp = 0xFFFFFFFFU;

constexpr int kForwardWarps = 16;
constexpr int kForwardThreads = kForwardWarps * kWarp;

// How a block of `held` tiles at a time fills their prefix sums: 16 columns of a tile, in segments
// of rows whose sums the threads exchange.
template <int held>
struct Filling {
  static constexpr int kWarpsPerTile = kForwardWarps / held;
  static constexpr int kSegments = 2 * kWarpsPerTile;
  static constexpr int kSegmentRows = 4 * held;
  static constexpr int kRows = kSegments * kSegmentRows;  // at a time
  static constexpr int kSums = held * kSegments * kLinesPerPlace;
};

// Four tiles are held where they leave room for two blocks on a multiprocessor; a distance between
// them that the compiler knows saves an addition per read.
constexpr int kMostHeightOfFour = 256;
template <int held>
__host__ __device__ int tile_values(int height) {
  return (held == 4 ? kMostHeightOfFour + 2 : height + 2) * kLinesPerPlace;
}

// Fills `prefix` for `held` tiles from the pair `first` on; segment_sums: Filling::kSums values.
// Waits for the readers of the last ones, but not for those of the new ones.
template <int held, class Pixel>
__device__ void fill_tiles(const HoughTableOnDevice& table, const Pixel* image, int first,
                           Sum<Pixel>* prefix, Sum<Pixel>* segment_sums) {
  using F = Filling<held>;
  const int warp = static_cast<int>(threadIdx.x) / kWarp;
  const int tile = warp / F::kWarpsPerTile;
  const int line = static_cast<int>(threadIdx.x) % kLinesPerPlace;
  const int segment =
      warp % F::kWarpsPerTile * 2 + static_cast<int>(threadIdx.x) / kLinesPerPlace % 2;
  const int height = table.height;

  const int pair = first + tile * kPairsPerTile + line % kPairsPerTile;
  const int other = table.width - 1 - pair;
  const bool is_other = line >= kPairsPerTile;
  // The middle column of an odd width is its own partner and must count once.
  const bool exists = pair < half_columns(table.width) && !(is_other && other == pair);
  const Pixel* column = image + (is_other ? other : pair);

  prefix += tile * tile_values<held>(height) + line;
  segment_sums += tile * F::kSegments * kLinesPerPlace + line;
  Sum<Pixel> carry = 0;
  for (int begin = 0; begin < height; begin += F::kRows) {
    const int top = begin + segment * F::kSegmentRows;
    Sum<Pixel> sums[F::kSegmentRows];
#pragma unroll
    for (int i = 0; i < F::kSegmentRows; ++i)
      sums[i] = exists && top + i < height
                    ? load(column + static_cast<std::size_t>(top + i) * table.width)
                    : Sum<Pixel>(0);
#pragma unroll
    for (int i = 1; i < F::kSegmentRows; ++i) sums[i] += sums[i - 1];
    __syncthreads();  // nobody reads the last sums any more
    segment_sums[segment * kLinesPerPlace] = sums[F::kSegmentRows - 1];
    __syncthreads();
    if (begin == 0 && segment == 0) prefix[0] = 0;
    Sum<Pixel> before = carry;
    for (int i = 0; i < F::kSegments; ++i) {
      if (i == segment) before = carry;
      carry += segment_sums[i * kLinesPerPlace];
    }
#pragma unroll
    for (int i = 0; i < F::kSegmentRows; ++i) {
      const int count = top + i + 1;
      if (count > height) break;
      const Sum<Pixel> sum = before + sums[i];
      prefix[prefix_place(count, height) * kLinesPerPlace] = sum;
      if (2 * count == height) prefix[(height + 1) * kLinesPerPlace] = sum;
    }
  }
}

// The prefix sums at an edge of each tile, 16 bits of its word, added over the tiles.
template <int held, class Value>
__device__ Value add_tiles(const Value* prefix, const std::uint32_t (&words)[held], int shift) {
  constexpr std::uint32_t kScale = sizeof(Value) / 4;
  const auto at = [&](int tile) {
    const std::uint32_t bytes = (words[tile] >> shift & 0xFFFFU) * kScale;
    // Only where four tiles are held there is a second one.
    return *reinterpret_cast<const Value*>(
        reinterpret_cast<const char*>(prefix + tile * tile_values<4>(0)) + bytes);
  };
  Value sum = at(0);
#pragma unroll
  for (int tile = 1; tile < held; ++tile) sum += at(tile);
  return sum;
}

// Adds the eight values of a thread to those of the other seven that differ from it in the lowest
// three bits; it is left with the sum of the value whose index those bits are.
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

// A block takes one image and the angles blockIdx.y + i * gridDim.y, i < angles; kForwardWarps /
// angles warps share an angle, each taking its part of the chunks of bins.
template <int held, class Pixel, class Cell>
__global__ void __launch_bounds__(kForwardThreads, sizeof(Sum<Pixel>) == 8 ? 1 : 2)
    forward_kernel(HoughTableOnDevice table, int angles, const Pixel* images, Cell* accumulators) {
  using Value = Sum<Pixel>;
  Value* prefix = dynamic_shared<Value>();                                // held tiles
  Value* segment_sums = prefix + held * tile_values<held>(table.height);  // Filling::kSums
  Value* cells = segment_sums + Filling<held>::kSums;                     // angles x kinds x R
  const int thread = static_cast<int>(threadIdx.x);
  const int lane = thread % kWarp;
  const int rhos = table.rhos;
  const Pixel* image = images + static_cast<std::size_t>(blockIdx.x) *
                                    static_cast<std::size_t>(table.height) *
                                    static_cast<std::size_t>(table.width);
  for (int i = thread; i < angles * kKinds * rhos; i += kForwardThreads) cells[i] = 0;

  const int angle = thread / kWarp % angles;
  const int part = thread / kWarp / angles;
  const int parts = kForwardWarps / angles;
  const int t = static_cast<int>(blockIdx.y) + angle * static_cast<int>(gridDim.y);
  const int groups = (half_columns(table.width) + kPairsPerGroup - 1) / kPairsPerGroup;
  const bool active = t < half_angles(table.thetas);
  const bool is_other = lane % kLinesPerPlace >= kPairsPerTile;
  const bool from_below = lane >= kLinesPerPlace;
  const int kind = from_below ? (is_other ? 1 : 3) : (is_other ? 2 : 0);
  // Turns an edge into the place of this thread's prefix sum, two edges at a time.
  const auto own_place =
      static_cast<std::uint32_t>(lane % kLinesPerPlace * (kEdgeUnitsPerPlace / kLinesPerPlace) +
                                 (from_below ? kEdgeUnitsPerPlace : 0));
  const std::uint32_t own_places = own_place | own_place << 16;

  for (int group = 0; group < groups; ++group) {
    for (int tile = 0; tile < kTilesPerGroup; tile += held) {
      fill_tiles<held>(table, image, group * kPairsPerGroup + tile * kPairsPerTile, prefix,
                       segment_sums);
      __syncthreads();
      if (!active) continue;
      const HoughColumnGroup bins = table.groups[t * groups + group];
      Value before = 0;
      for (int chunk = part; chunk < bins.chunks; chunk += parts) {
        constexpr int kLoads = kPairsPerTile * kTilesPerGroup;  // of a chunk
        const auto* loads = reinterpret_cast<const uint4*>(table.edges) +
                            (static_cast<std::size_t>(bins.begin) + chunk) * kLoads +
                            tile * kPairsPerTile + lane % kPairsPerTile;
        std::uint32_t words[kBinsPerChunk / 2][held];
#pragma unroll
        for (int i = 0; i < held; ++i) {
          const uint4 edges = __ldg(loads + i * kPairsPerTile);
          words[0][i] = edges.x ^ own_places;
          words[1][i] = edges.y ^ own_places;
          words[2][i] = edges.z ^ own_places;
          words[3][i] = edges.w ^ own_places;
        }
        // The first bin begins where the last one of the chunk before ends.
        if (chunk == 0 || parts > 1) {
          std::uint32_t first[held];
#pragma unroll
          for (int i = 0; i < held; ++i)
            first[i] = (chunk == 0 ? 0U : __ldg(&loads[i * kPairsPerTile - kLoads].w)) ^ own_places;
          before = add_tiles(prefix, first, chunk == 0 ? 0 : 16);
        }
        Value sums[kBinsPerChunk];
#pragma unroll
        for (int i = 0; i < kBinsPerChunk; ++i)
          sums[i] = add_tiles(prefix, words[i / 2], i % 2 * 16);
        const Value last = sums[kBinsPerChunk - 1];
#pragma unroll
        for (int i = kBinsPerChunk - 1; i > 0; --i) sums[i] -= sums[i - 1];
        sums[0] -= before;
        before = last;
        const Value sum = sum_over_pairs(sums, lane);
        const int bin = bins.first_bin + chunk * kBinsPerChunk + lane % kBinsPerChunk;
        // From below the prefix sums fall.
        if (bin < rhos) cells[(angle * kKinds + kind) * rhos + bin] += from_below ? 0 - sum : sum;
      }
    }
  }

  __syncthreads();
  Cell* accumulator = accumulators + static_cast<std::size_t>(blockIdx.x) *
                                         static_cast<std::size_t>(table.thetas) *
                                         static_cast<std::size_t>(rhos);
  for (int row = thread / kWarp; row < 2 * angles; row += kForwardWarps) {
    const int row_t = static_cast<int>(blockIdx.y) + row / 2 * static_cast<int>(gridDim.y);
    const bool mirror = row % 2 == 1;
    if (row_t >= half_angles(table.thetas) || (mirror && !has_mirror(row_t, table.thetas)))
      continue;
    const Value* forth = cells + 2 * row * rhos;
    const Value* back = forth + rhos;
    Cell* to = accumulator + static_cast<std::size_t>(mirror ? table.thetas - row_t : row_t) * rhos;
    for (int k = lane; k < rhos; k += kWarp) store(forth[k] + back[rhos - 1 - k], to + k);
  }
}

// Where there is no table, or columns are too long: a warp takes a cell and walks over the rows.

// The first column of a row that votes for the bin or one above it, at t <= T/2.
__device__ int first_column(const HoughTableOnDevice& table, int t, int row, int bin) {
  const double cosine = table.normals[t];
  const double sine = table.normals[table.thetas + t];
  const double half_width = 0.5 * (table.width - 1);
  const double y = row - 0.5 * (table.height - 1);
  const int wanted = bin - (table.rhos - 1) / 2;
  const auto reached = [&](int column) {
    return vote_bin(column - half_width, y, cosine, sine, table.bin_width) >= wanted;
  };
  if (reached(0)) return 0;
  if (!reached(table.width - 1)) return table.width;
  // Only rounding is left to the search.
  const double estimate = ((wanted - 0.5) * table.bin_width - y * sine) / cosine + half_width;
  int column = static_cast<int>(min(max(estimate, 1.0), table.width - 1.0));
  while (reached(column - 1)) --column;
  while (!reached(column)) ++column;
  return column;
}

// blockIdx.y: an angle t; blockIdx.x: bins of all images.
template <class Pixel, class Cell>
__global__ void __launch_bounds__(kDirectThreads)
    direct_forward_kernel(HoughTableOnDevice table, const Pixel* images, Cell* accumulators,
                          std::int64_t batch) {
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  const std::int64_t cell =
      static_cast<std::int64_t>(blockIdx.x) * (kDirectThreads / kWarp) + threadIdx.x / kWarp;
  if (cell >= batch * table.rhos) return;
  const std::int64_t image = cell / table.rhos;
  const int bin = static_cast<int>(cell % table.rhos);
  const int t = static_cast<int>(blockIdx.y);
  // Beyond T/2 the columns are counted from the right.
  const bool mirror = 2 * t > table.thetas;
  const Pixel* first_row = images + static_cast<std::size_t>(image) *
                                        static_cast<std::size_t>(table.height) *
                                        static_cast<std::size_t>(table.width);
  Sum<Pixel> total = 0;
  for (int begin = 0; begin < table.height; begin += kWarp) {
    const int rows = min(kWarp, table.height - begin);
    int first = 0;
    int end = 0;
    if (lane < rows) {
      const int as = mirror ? table.thetas - t : t;
      first = first_column(table, as, begin + lane, bin);
      end = first_column(table, as, begin + lane, bin + 1);
    }
    for (int i = 0; i < rows; ++i) {
      const int row_first = __shfl_sync(kWholeWarp, first, i);
      const int row_end = __shfl_sync(kWholeWarp, end, i);
      const Pixel* row = first_row + static_cast<std::size_t>(begin + i) * table.width;
      Sum<Pixel> sum = 0;
      for (int column = row_first + lane; column < row_end; column += kWarp)
        sum += load(row + (mirror ? table.width - 1 - column : column));
      total += sum;
    }
  }
#pragma unroll
  for (int step = kWarp / 2; step > 0; step /= 2) total += __shfl_xor_sync(kWholeWarp, total, step);
  if (lane == 0)
    store(total, accumulators +
                     (static_cast<std::size_t>(image) * table.thetas + t) *
                         static_cast<std::size_t>(table.rhos) +
                     bin);
}

int multiprocessors() {
  constexpr int kUsual = 132;
  int device = 0;
  int count = 0;
  if (cudaGetDevice(&device) != cudaSuccess ||
      cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device) != cudaSuccess)
    return kUsual;
  return count;
}

template <int held, class Value>
std::size_t forward_bytes(const HoughTableOnDevice& table, int angles) {
  return sizeof(Value) * (static_cast<std::size_t>(held) * tile_values<held>(table.height) +
                          static_cast<std::size_t>(Filling<held>::kSums) +
                          static_cast<std::size_t>(angles) * kKinds * table.rhos);
}

// The angles of a block are as many as fit, unless there would be too few blocks.
template <int held, class Pixel, class Cell>
cudaError_t launch_forward(const HoughTableOnDevice& table, const Pixel* images, Cell* accumulators,
                           std::int64_t batch, cudaStream_t stream) {
  const int all = half_angles(table.thetas);
  const std::int64_t wanted = multiprocessors() + multiprocessors() / 2;
  int angles = kForwardWarps;
  while (angles > 1 && (forward_bytes<held, Sum<Pixel>>(table, angles) > kMostSharedBytes ||
                        batch * blocks_for(all, angles) < wanted))
    angles /= 2;
  const auto kernel = forward_kernel<held, Pixel, Cell>;
  const std::size_t bytes = forward_bytes<held, Sum<Pixel>>(table, angles);
  const cudaError_t status = cudaFuncSetAttribute(
      kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(kMostSharedBytes));
  if (status != cudaSuccess) return status;
  return launch(
      {dim3(static_cast<unsigned>(batch), blocks_for(all, angles)), kForwardThreads, stream, bytes},
      kernel, table, angles, images, accumulators);
}

}  // namespace

template <class Pixel, class Cell>
cudaError_t hough_forward_cuda(const HoughTableOnDevice& table, const Pixel* images,
                               Cell* accumulators, std::int64_t batch, cudaStream_t stream) {
  if (batch == 0) return cudaSuccess;
  if constexpr (sizeof(Sum<Pixel>) == 4)
    if (table.groups != nullptr && table.height <= kMostHeightOfFour &&
        forward_bytes<4, Sum<Pixel>>(table, 1) <= kMostSharedBytes)
      return launch_forward<4>(table, images, accumulators, batch, stream);
  if (table.groups != nullptr && forward_bytes<1, Sum<Pixel>>(table, 1) <= kMostSharedBytes)
    return launch_forward<1>(table, images, accumulators, batch, stream);
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
