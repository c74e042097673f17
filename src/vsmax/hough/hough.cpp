// SPDX-License-Identifier: Apache-2.0
// One quarter of the runs serves four mirror images at once. For t <= T/2 and a row j of the upper
// half, with row j' = H-1-j below, the same runs are those of
//   lane 0: row j            for (t, k)
//   lane 1: row j' backwards for (t, R-1-k)
//   lane 2: row j backwards  for (T-t, k)
//   lane 3: row j'           for (T-t, R-1-k)
// so four prefix sums lie side by side and one vector subtraction serves four bins.
#include "vsmax/hough/hough.h"

#include <algorithm>
#include <string>

#include "vsmax/base/error.h"

namespace vsmax {

namespace {

template <class Value>
struct LanesOf {
  using type __attribute__((vector_size(4 * sizeof(Value)))) = Value;
};
template <class Value>
using Lanes = typename LanesOf<Value>::type;

struct Shape {
  explicit Shape(const HoughGrid& grid)
      : width(static_cast<std::size_t>(grid.frame().width)),
        height(static_cast<std::size_t>(grid.frame().height)),
        thetas(static_cast<std::size_t>(grid.thetas())),
        rhos(static_cast<std::size_t>(grid.rhos())),
        rows(static_cast<std::size_t>(half_rows(grid))),
        tiles(static_cast<std::size_t>(tile_count(grid))),
        angles(static_cast<std::size_t>(half_thetas(grid))) {}

  // The mirrored angle T-t is another one than t itself.
  bool has_mirror(std::size_t t) const { return t != 0 && 2 * t != thetas; }

  std::size_t width, height, thetas, rhos;
  std::size_t rows, tiles, angles;  // of the quarter that is computed
};

// Calls body(runs) for the runs of (t, tile), from the table or found anew.
template <class Body>
void with_runs(const HoughGrid& grid, const BinEdges* table, std::vector<std::uint32_t>& found,
               std::size_t t, std::size_t tile, const Body& body) {
  if (table != nullptr)
    body(table->runs(static_cast<int>(t), static_cast<int>(tile)));
  else
    body(find_tile_runs(grid, static_cast<int>(t), static_cast<int>(tile), found));
}

// prefix[c] = the sums of the first c pixels of the four mirror images of row j; W+1 entries. The
// middle row of an odd height is its own partner and fills lanes 0 and 2 alone.
template <class Pixel, class Value>
void fill_prefix(const Shape& shape, const Pixel* image, std::size_t j, Lanes<Value>* prefix) {
  const Pixel* upper = image + j * shape.width;
  const Pixel* lower = image + (shape.height - 1 - j) * shape.width;
  const bool paired = upper != lower;
  Lanes<Value> sum{};
  prefix[0] = sum;
  for (std::size_t c = 0; c < shape.width; ++c) {
    const std::size_t back = shape.width - 1 - c;
    sum += Lanes<Value>{static_cast<Value>(upper[c]), paired ? static_cast<Value>(lower[back]) : 0,
                        static_cast<Value>(upper[back]), paired ? static_cast<Value>(lower[c]) : 0};
    prefix[c + 1] = sum;
  }
}

// bins[i] += the sum of run i over the rows of a tile.
template <class Value, class Index>
void add_runs(const TileRuns<Index>& runs, const Lanes<Value>* prefix, std::size_t prefix_size,
              Lanes<Value>* bins) {
  static_assert(kRowsPerTile == 4);
  const Lanes<Value>* row0 = prefix;
  const Lanes<Value>* row1 = row0 + prefix_size;
  const Lanes<Value>* row2 = row1 + prefix_size;
  const Lanes<Value>* row3 = row2 + prefix_size;
  const Index* edges = runs.edges;
  Lanes<Value> before0 = row0[edges[0]];
  Lanes<Value> before1 = row1[edges[1]];
  Lanes<Value> before2 = row2[edges[2]];
  Lanes<Value> before3 = row3[edges[3]];
  for (std::size_t i = 0; i < runs.bins; ++i) {
    edges += kRowsPerTile;
    const Lanes<Value> after0 = row0[edges[0]];
    const Lanes<Value> after1 = row1[edges[1]];
    const Lanes<Value> after2 = row2[edges[2]];
    const Lanes<Value> after3 = row3[edges[3]];
    bins[i] +=
        ((after0 - before0) + (after1 - before1)) + ((after2 - before2) + (after3 - before3));
    before0 = after0;
    before1 = after1;
    before2 = after2;
    before3 = after3;
  }
}

template <class Value, class Out>
void unfold_lanes(const Shape& shape, const Lanes<Value>* sums, Out* accumulator) {
  for (std::size_t t = 0; t < shape.angles; ++t) {
    const Lanes<Value>* row = sums + t * shape.rhos;
    Out* direct = accumulator + t * shape.rhos;
    for (std::size_t k = 0; k < shape.rhos; ++k)
      direct[k] = static_cast<Out>(row[k][0] + row[shape.rhos - 1 - k][1]);
    if (!shape.has_mirror(t)) continue;
    Out* mirror = accumulator + (shape.thetas - t) * shape.rhos;
    for (std::size_t k = 0; k < shape.rhos; ++k)
      mirror[k] = static_cast<Out>(row[k][2] + row[shape.rhos - 1 - k][3]);
  }
}

// Value is the type the sums are made in.
template <class Value, class Pixel, class Out>
void forward_image(const HoughGrid& grid, const BinEdges* table, const Pixel* image,
                   Out* accumulator, HoughScratch& scratch) {
  const Shape shape(grid);
  const std::size_t prefix_size = shape.width + 1;
  const std::size_t sums_size = shape.angles * shape.rhos;
  auto* sums = static_cast<Lanes<Value>*>(
      scratch.reserve((sums_size + kRowsPerTile * prefix_size) * sizeof(Lanes<Value>)));
  Lanes<Value>* prefix = sums + sums_size;
  std::fill(sums, prefix + kRowsPerTile * prefix_size, Lanes<Value>{});
  std::vector<std::uint32_t> found;

  // The prefix sums of a tile stay in the first-level cache while all angles read them. A row that
  // the last tile lacks has only empty runs, so what its prefix sums hold does not matter.
  for (std::size_t tile = 0; tile < shape.tiles; ++tile) {
    const std::size_t begin = tile * kRowsPerTile;
    for (std::size_t j = begin; j < std::min(begin + kRowsPerTile, shape.rows); ++j)
      fill_prefix<Pixel, Value>(shape, image, j, prefix + (j - begin) * prefix_size);
    for (std::size_t t = 0; t < shape.angles; ++t)
      with_runs(grid, table, found, t, tile, [&](const auto& runs) {
        add_runs<Value>(runs, prefix, prefix_size, sums + t * shape.rhos + runs.first_bin);
      });
  }
  unfold_lanes<Value>(shape, sums, accumulator);
}

// The transpose of unfold_lanes, in double.
template <class Value>
void fold_lanes(const Shape& shape, const Value* accumulator, Lanes<double>* folded) {
  for (std::size_t t = 0; t < shape.angles; ++t) {
    const Value* direct = accumulator + t * shape.rhos;
    const Value* mirror =
        shape.has_mirror(t) ? accumulator + (shape.thetas - t) * shape.rhos : nullptr;
    for (std::size_t k = 0; k < shape.rhos; ++k) {
      const std::size_t back = shape.rhos - 1 - k;
      folded[t * shape.rhos + k] =
          Lanes<double>{static_cast<double>(direct[k]), static_cast<double>(direct[back]),
                        mirror != nullptr ? static_cast<double>(mirror[k]) : 0.0,
                        mirror != nullptr ? static_cast<double>(mirror[back]) : 0.0};
    }
  }
}

// The transpose of fill_prefix: the steps of row j, W entries, summed up and laid on the image.
template <class Value>
void write_row_pair(const Shape& shape, std::size_t j, Lanes<double>* steps, Value* image) {
  for (std::size_t c = 1; c < shape.width; ++c) steps[c] += steps[c - 1];
  Value* upper = image + j * shape.width;
  Value* lower = image + (shape.height - 1 - j) * shape.width;
  for (std::size_t c = 0; c < shape.width; ++c)
    upper[c] = static_cast<Value>(steps[c][0] + steps[shape.width - 1 - c][2]);
  if (upper == lower) return;
  for (std::size_t c = 0; c < shape.width; ++c)
    lower[c] = static_cast<Value>(steps[shape.width - 1 - c][1] + steps[c][3]);
}

// The transpose of forward_image, step by step backwards: the difference of neighbouring bins goes
// to the edge between them, and sums along the row follow. In double, because a running sum of
// differences loses more than plain addition would.
template <class Value>
void adjoint_image(const HoughGrid& grid, const BinEdges* table, const Value* accumulator,
                   Value* image, HoughScratch& scratch) {
  using Wide = Lanes<double>;
  const Shape shape(grid);
  const std::size_t steps_size = shape.width + 1;  // the last entry takes the empty runs' steps
  const std::size_t folded_size = shape.angles * shape.rhos;
  auto* folded =
      static_cast<Wide*>(scratch.reserve((folded_size + kRowsPerTile * steps_size) * sizeof(Wide)));
  Wide* steps = folded + folded_size;
  std::vector<std::uint32_t> found;
  fold_lanes(shape, accumulator, folded);

  for (std::size_t tile = 0; tile < shape.tiles; ++tile) {
    std::fill(steps, steps + kRowsPerTile * steps_size, Wide{});
    for (std::size_t t = 0; t < shape.angles; ++t)
      with_runs(grid, table, found, t, tile, [&](const auto& runs) {
        const Wide* bins = folded + t * shape.rhos + runs.first_bin;
        const auto* edges = runs.edges;
        Wide before{};
        for (std::size_t i = 0; i < runs.bins; ++i, edges += kRowsPerTile) {
          const Wide step = bins[i] - before;
          for (std::size_t j = 0; j < kRowsPerTile; ++j) steps[j * steps_size + edges[j]] += step;
          before = bins[i];
        }
      });
    const std::size_t begin = tile * kRowsPerTile;
    for (std::size_t j = begin; j < std::min(begin + kRowsPerTile, shape.rows); ++j)
      write_row_pair(shape, j, steps + (j - begin) * steps_size, image);
  }
}

std::size_t images_in(int batch) {
  if (batch < 0) throw Error("a batch cannot hold " + std::to_string(batch) + " images");
  return static_cast<std::size_t>(batch);
}

template <class Value, class Pixel, class Out>
void forward_batch(const HoughGrid& grid, const BinEdges* table, const Pixel* images,
                   Out* accumulators, int batch, HoughScratch& scratch) {
  const Shape shape(grid);
  const std::size_t count = images_in(batch);
  for (std::size_t b = 0; b < count; ++b)
    forward_image<Value>(grid, table, images + b * shape.width * shape.height,
                         accumulators + b * grid.cells(), scratch);
}

template <class Value>
void adjoint_batch(const HoughGrid& grid, const BinEdges* table, const Value* accumulators,
                   Value* images, int batch, HoughScratch& scratch) {
  const Shape shape(grid);
  const std::size_t count = images_in(batch);
  for (std::size_t b = 0; b < count; ++b)
    adjoint_image(grid, table, accumulators + b * grid.cells(),
                  images + b * shape.width * shape.height, scratch);
}

// The pixels of the fullest bin at the angle nearest below pi/2, where runs are longest.
std::int64_t largest_bin_near_horizontal(const HoughGrid& grid) {
  const int t = half_thetas(grid) - 1;
  std::vector<std::int64_t> counts(static_cast<std::size_t>(grid.rhos()), 0);
  std::vector<std::uint32_t> edges;
  for (int row = 0; row < grid.frame().height; ++row) {
    auto bin = static_cast<std::size_t>(find_row_runs(grid, t, row, edges));
    for (std::size_t i = 0; i + 1 < edges.size(); ++i) counts[bin++] += edges[i + 1] - edges[i];
  }
  return *std::max_element(counts.begin(), counts.end());
}

}  // namespace

void* HoughScratch::reserve(std::size_t bytes) {
  constexpr std::size_t kAlignment = 64;
  if (storage_.size() < bytes + kAlignment) storage_.resize(bytes + kAlignment);
  void* start = storage_.data();
  std::size_t space = storage_.size();
  return std::align(kAlignment, bytes, start, space);
}

HoughTransform::HoughTransform(const HoughGrid& grid)
    : grid_(grid), wide_sums_(largest_bin_near_horizontal(grid) < grid.frame().width) {
  if (BinEdges::worth_keeping(grid)) edges_ = std::make_shared<const BinEdges>(grid);
}

void HoughTransform::forward(const float* images, float* accumulators, int batch,
                             HoughScratch& scratch) const {
  if (wide_sums_)
    forward_batch<double>(grid_, edges_.get(), images, accumulators, batch, scratch);
  else
    forward_batch<float>(grid_, edges_.get(), images, accumulators, batch, scratch);
}

void HoughTransform::forward(const double* images, double* accumulators, int batch,
                             HoughScratch& scratch) const {
  forward_batch<double>(grid_, edges_.get(), images, accumulators, batch, scratch);
}

void HoughTransform::forward(const std::uint8_t* images, std::uint32_t* accumulators, int batch,
                             HoughScratch& scratch) const {
  const auto pixels =
      static_cast<double>(grid_.frame().width) * static_cast<double>(grid_.frame().height);
  if (pixels * 255.0 > 4294967295.0) {
    const auto counts = pixel_counts();
    const double most = *std::max_element(counts.begin(), counts.end());
    if (most * 255.0 > 4294967295.0)
      throw Error("a bin of this grid holds " + std::to_string(static_cast<long long>(most)) +
                  " pixels, so its sum of 8-bit values may not fit 32 bits; use more offsets R");
  }
  forward_batch<std::uint32_t>(grid_, edges_.get(), images, accumulators, batch, scratch);
}

void HoughTransform::adjoint(const float* accumulators, float* images, int batch,
                             HoughScratch& scratch) const {
  adjoint_batch(grid_, edges_.get(), accumulators, images, batch, scratch);
}

void HoughTransform::adjoint(const double* accumulators, double* images, int batch,
                             HoughScratch& scratch) const {
  adjoint_batch(grid_, edges_.get(), accumulators, images, batch, scratch);
}

std::vector<std::uint32_t> HoughTransform::pixel_counts() const {
  // The transform of an image of ones; 2^28 pixels cannot overflow 32 bits.
  const Shape shape(grid_);
  const std::vector<std::uint8_t> ones(shape.width * shape.height, 1);
  std::vector<std::uint32_t> counts(grid_.cells());
  HoughScratch scratch;
  forward_batch<std::uint32_t>(grid_, edges_.get(), ones.data(), counts.data(), 1, scratch);
  return counts;
}

}  // namespace vsmax
