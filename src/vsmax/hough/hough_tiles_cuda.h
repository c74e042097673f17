// SPDX-License-Identifier: Apache-2.0
// Internal to hough_forward_cuda.cu: how a block fills shared memory with the prefix sums of tiles,
// eight pairs of lines each.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "vsmax/hough/bin_rule.h"
#include "vsmax/hough/hough_cuda.h"
#include "vsmax/hough/hough_cuda_values.h"

namespace vsmax::hough_cuda {

constexpr int kWarp = 32;
constexpr unsigned kWholeWarp = 0xFFFFFFFFU;

// The image as lines to be summed: columns from above, or rows from the left.
struct Lines {
  bool are_rows;
  int count, length;

  __host__ __device__ Lines(const HoughTableOnDevice& table, bool rows)
      : are_rows(rows),
        count(rows ? table.height : table.width),
        length(rows ? table.width : table.height) {}

  __host__ __device__ int groups() const {
    return (half_lines(count) + kPairsPerGroup - 1) / kPairsPerGroup;
  }
};

// How a block that holds `Held` tiles at a time fills their prefix sums. Each thread sums the
// `Parts` parts of a segment of one of a tile's 16 lines, then the threads exchange the sums of
// their parts. If the threads read their own segments of rows, the reads would not be coalesced. So
// a warp reads 32 consecutive pixels of a row at a time and passes them on to the threads that sum
// them. Fillings whose parts are of the same size round alike.
template <int Held, int PartPixels, int Parts, int Warps>
struct Filling {
  static constexpr int kHeld = Held;
  static constexpr int kWarps = Warps;
  static constexpr int kThreads = kWarps * kWarp;
  static constexpr int kWarpsPerTile = kWarps / kHeld;
  static constexpr int kSegments = 2 * kWarpsPerTile;
  static constexpr int kParts = Parts;
  static constexpr int kPartPixels = PartPixels;
  static constexpr int kSegmentPixels = kParts * kPartPixels;
  static constexpr int kPixels = kSegments * kSegmentPixels;  // of a line, per round
  static constexpr int kSums = kHeld * kSegments * kParts * kLinesPerPlace;

  static constexpr int kRunsPerLine = kPixels / kWarp;  // runs of 32 pixels
  static constexpr int kRunsPerWarp = std::max(1, kRunsPerLine / kWarpsPerTile);
  static constexpr int kLineStep = std::max(1, kWarpsPerTile / kRunsPerLine);

  // Several tiles are held only if a round fills them. The distance between them is then a
  // compile-time constant, which saves an addition per read, and pixels of rows are passed on
  // through the tiles themselves.
  static constexpr bool kOneRound = kHeld > 1;
  static constexpr int kWaiting = kOneRound ? 0 : kHeld * kPixels * kLinesPerPlace;

  __host__ __device__ static constexpr int tile_values(int length) {
    return ((kOneRound ? kPixels : length) + 2) * kLinesPerPlace;
  }
};
// Every block fills all tiles anew, so blocks of four tiles are as large as can be: the fewer they
// are, the less often a tile is filled. Where there are too few for all multiprocessors, a block's
// own time counts: with half the threads, each has registers to read the next tiles ahead.
using FourShortTiles = Filling<4, 8, 1, 32>;
using FourTiles = Filling<4, 16, 1, 32>;
using FourShortTilesAhead = Filling<4, 8, 2, 16>;
using FourTilesAhead = Filling<4, 16, 2, 16>;
using OneTile = Filling<1, 8, 1, 16>;

// A thread's part in filling the tile whose first pair is `first_pair`.
template <class F, class Pixel>
class TileFiller {
 public:
  using Value = Sum<Pixel>;

  __device__ TileFiller(const Lines& lines, const Pixel* image, int first_pair)
      : lines_(lines),
        image_(image),
        first_pair_(first_pair),
        all_exist_(2 * (first_pair + kPairsPerTile) <= lines.count) {}

  // Reads this thread's segment of the round that starts at `begin` or, for rows, the pixels that
  // it passes on to other threads.
  __device__ void read(int begin, Value (&values)[F::kSegmentPixels]) const {
    if (lines_.are_rows) {
      if (all_exist_ && begin + F::kPixels <= lines_.length)
        read_rows<true>(begin, values);
      else
        read_rows<false>(begin, values);
    } else {
      const int top = begin + segment() * F::kSegmentPixels;
      if (all_exist_ && top + F::kSegmentPixels <= lines_.length)
        read_column<true>(top, values);
      else
        read_column<false>(top, values);
    }
  }

  // Rows only: puts the pixels read into the buffer, and takes this thread's segment from it. The
  // order in the buffer avoids bank conflicts in both.
  __device__ void hand_over(Value* waiting, const Value (&values)[F::kSegmentPixels]) const {
#pragma unroll
    for (unsigned run = 0; run < F::kRunsPerWarp; ++run) {
      const unsigned place = run_place(run);
      const unsigned half = place / (F::kPixels / 2);
      const unsigned at = (place ^ half) * kLinesPerPlace + place / 2 % kLinesPerPlace;
#pragma unroll
      for (unsigned i = 0; i < kLinesPerPlace / F::kLineStep; ++i)
        waiting[at ^ run_line(i)] = values[i * F::kRunsPerWarp + run];
    }
  }
  __device__ void take_over(const Value* waiting, Value (&values)[F::kSegmentPixels]) const {
    const auto first = static_cast<unsigned>(segment() * F::kSegmentPixels);
    const unsigned half = half_of_line();
    const unsigned own = static_cast<unsigned>(line()) ^ (first / 2 % kLinesPerPlace);
    const unsigned even = (first + half) * kLinesPerPlace + own;
    const unsigned odd = (first + 1 - half) * kLinesPerPlace + own;
#pragma unroll
    for (unsigned i = 0; i < F::kSegmentPixels; i += 2) {
      values[i] = waiting[(even ^ (i / 2)) + i * kLinesPerPlace];
      values[i + 1] = waiting[(odd ^ (i / 2)) + i * kLinesPerPlace];
    }
  }

  // Writes the prefix sums of this thread's segment of the round that starts at `begin`.
  __device__ void write(int begin, const Value (&sums)[F::kSegmentPixels],
                        const Value (&before)[F::kParts], Value* prefix) const {
    const int length = lines_.length;
    const int first = begin + segment() * F::kSegmentPixels + 1;  // count
    const int last = first + F::kSegmentPixels - 1;
    Value* const own = prefix + line();
    if (begin == 0 && segment() == 0) *own = 0;
    if (last <= length && (2 * last <= length || 2 * first > length)) {
      Value* to = own + prefix_place(first, length) * kLinesPerPlace;
      if (2 * last <= length)
        write_run<2 * kLinesPerPlace>(sums, before, to);
      else
        write_run<-2 * kLinesPerPlace>(sums, before, to);
    } else {
#pragma unroll
      for (int i = 0; i < F::kSegmentPixels; ++i)
        if (first + i <= length)
          own[prefix_place(first + i, length) * kLinesPerPlace] =
              before[i / F::kPartPixels] + sums[i];
    }
    // The middle of an even length is the same edge from either end, and is stored twice.
    if (length % 2 == 0 && 2 * first <= length && length <= 2 * last)
      own[(length + 1) * kLinesPerPlace] = own[length * kLinesPerPlace];
  }

  __device__ static int tile() { return warp() / F::kWarpsPerTile; }
  __device__ static int line() { return static_cast<int>(threadIdx.x) % kLinesPerPlace; }
  // A warp's two segments lie in different halves of the line, which use different banks.
  __device__ static int segment() {
    return warp() % F::kWarpsPerTile + static_cast<int>(half_of_line()) * F::kWarpsPerTile;
  }

 private:
  __device__ static unsigned half_of_line() { return threadIdx.x / kLinesPerPlace % 2; }
  __device__ static int warp() { return static_cast<int>(threadIdx.x) / kWarp; }

  // When a warp reads rows: the lane's position in the `run`-th run, and the warp's i-th line.
  __device__ static unsigned run_place(unsigned run) {
    const unsigned own = threadIdx.x / kWarp % F::kWarpsPerTile % F::kRunsPerLine;
    return (run * F::kWarpsPerTile + own) * kWarp + threadIdx.x % kWarp;
  }
  __device__ static unsigned run_line(unsigned i) {
    if constexpr (F::kLineStep == 1)
      return i;
    else
      return i * F::kLineStep + threadIdx.x / kWarp % F::kWarpsPerTile / F::kRunsPerLine;
  }

  __device__ int image_line(int line) const {
    const int pair = first_pair_ + line % kPairsPerTile;
    return line < kPairsPerTile ? pair : lines_.count - 1 - pair;
  }
  // If the number of lines is odd, the middle one is its own partner and must count only once.
  __device__ bool exists(int line) const {
    const int pair = first_pair_ + line % kPairsPerTile;
    return pair < half_lines(lines_.count) &&
           (line < kPairsPerTile || lines_.count - 1 - pair != pair);
  }

  template <bool whole>
  __device__ void read_column(int top, Value (&values)[F::kSegmentPixels]) const {
    const bool is_there = whole || exists(line());
    // One pointer that moves takes fewer registers than one per pixel.
    const Pixel* pixel = image_ + static_cast<std::size_t>(top) * lines_.count + image_line(line());
#pragma unroll
    for (int i = 0; i < F::kSegmentPixels; ++i, pixel += lines_.count)
      values[i] = whole || (is_there && top + i < lines_.length) ? load(pixel) : Value(0);
  }

  template <bool whole>
  __device__ void read_rows(int begin, Value (&values)[F::kSegmentPixels]) const {
#pragma unroll
    for (unsigned i = 0; i < kLinesPerPlace / F::kLineStep; ++i) {
      const int line = static_cast<int>(run_line(i));
      const bool is_there = whole || exists(line);
      const Pixel* row =
          image_ + static_cast<std::int64_t>(image_line(line)) * lines_.length + begin;
#pragma unroll
      for (unsigned run = 0; run < F::kRunsPerWarp; ++run) {
        const unsigned place = run_place(run);
        values[i * F::kRunsPerWarp + run] =
            whole || (is_there && begin + static_cast<int>(place) < lines_.length)
                ? load(row + place)
                : Value(0);
      }
    }
  }

  template <int step>
  __device__ static void write_run(const Value (&sums)[F::kSegmentPixels],
                                   const Value (&before)[F::kParts], Value* to) {
#pragma unroll
    for (int i = 0; i < F::kSegmentPixels; ++i) to[i * step] = before[i / F::kPartPixels] + sums[i];
  }

  Lines lines_;
  const Pixel* image_;
  int first_pair_;
  bool all_exist_;
};

// A thread's pixels of a round. Those of the first round may be read before fill_tiles is called.
template <class F, class Pixel>
using RoundPixels = Sum<Pixel>[F::kSegmentPixels];

template <class F, class Pixel>
__device__ TileFiller<F, Pixel> filler_from(const Lines& lines, const Pixel* image, int first) {
  return {lines, image, first + TileFiller<F, Pixel>::tile() * kPairsPerTile};
}

// Fills `prefix` for F::kHeld tiles from the pair `first` on; pixels: of the first round;
// segment_sums: F::kSums values, waiting: F::kWaiting. Waits until the previous prefix sums have
// been read; the caller must synchronise before the new ones are read.
template <class F, class Pixel>
__device__ void fill_tiles(const Lines& lines, const Pixel* image, int first,
                           RoundPixels<F, Pixel>& pixels, Sum<Pixel>* prefix,
                           Sum<Pixel>* segment_sums, Sum<Pixel>* waiting) {
  using Filler = TileFiller<F, Pixel>;
  const Filler filler = filler_from<F>(lines, image, first);
  prefix += Filler::tile() * F::tile_values(lines.length);
  if (F::kOneRound) waiting = prefix;
  segment_sums += Filler::tile() * F::kSegments * F::kParts * kLinesPerPlace + Filler::line();
  Sum<Pixel> carry = 0;
  for (int begin = 0; begin < lines.length; begin += F::kPixels) {
    if (!F::kOneRound && begin > 0) filler.read(begin, pixels);
    __syncthreads();  // all threads have finished reading the previous sums
    if (lines.are_rows) {
      filler.hand_over(waiting, pixels);
      __syncthreads();
      filler.take_over(waiting, pixels);
    }
#pragma unroll
    for (int part = 0; part < F::kParts; ++part) {
#pragma unroll
      for (int i = part * F::kPartPixels + 1; i < (part + 1) * F::kPartPixels; ++i)
        pixels[i] += pixels[i - 1];
      segment_sums[(Filler::segment() * F::kParts + part) * kLinesPerPlace] =
          pixels[(part + 1) * F::kPartPixels - 1];
    }
    __syncthreads();
    Sum<Pixel> before[F::kParts] = {};
#pragma unroll
    for (int i = 0; i < F::kSegments * F::kParts; ++i) {
      if (i / F::kParts == Filler::segment()) before[i % F::kParts] = carry;
      carry += segment_sums[i * kLinesPerPlace];
    }
    filler.write(begin, pixels, before, prefix);
  }
}

}  // namespace vsmax::hough_cuda
