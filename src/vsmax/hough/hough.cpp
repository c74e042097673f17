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
#include <cstring>
#include <string>
#include <type_traits>

#include "vsmax/base/error.h"

namespace vsmax {

namespace {

template <class Value>
struct LanesOf {
  using type __attribute__((vector_size(4 * sizeof(Value)))) = Value;
};
template <class Value>
using Lanes = typename LanesOf<Value>::type;

// Prefix sums of a tile of rows should stay in the first-level cache while all angles read them.
constexpr std::size_t kTileBytes = 24 * 1024;

struct Shape {
  explicit Shape(const HoughGrid& grid)
      : width(static_cast<std::size_t>(grid.frame().width)),
        height(static_cast<std::size_t>(grid.frame().height)),
        thetas(static_cast<std::size_t>(grid.thetas())),
        rhos(static_cast<std::size_t>(grid.rhos())),
        half_rows((height + 1) / 2),
        half_thetas(std::min(thetas / 2 + 1, thetas)) {}

  // The mirrored angle T-t is another one than t itself.
  bool has_mirror(std::size_t t) const { return t != 0 && 2 * t != thetas; }

  std::size_t width, height, thetas, rhos, half_rows, half_thetas;
};

// Calls body(first_bin, edges) for the runs of (t, row), from the table or found anew.
template <class Body>
void with_runs(const HoughGrid& grid, const BinEdges* table, std::vector<std::uint32_t>& found,
               std::size_t t, std::size_t row, const Body& body) {
  if (table != nullptr) {
    const auto runs = table->runs(static_cast<int>(t), static_cast<int>(row));
    body(runs.first_bin, runs.edges.data(), runs.edges.size() - 1);
  } else {
    const int first = find_row_runs(grid, static_cast<int>(t), static_cast<int>(row), found);
    body(first, found.data(), found.size() - 1);
  }
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

template <class Value>
void unfold_lanes(const Shape& shape, const Lanes<Value>* sums, Value* accumulator) {
  for (std::size_t t = 0; t < shape.half_thetas; ++t) {
    const Lanes<Value>* row = sums + t * shape.rhos;
    Value* direct = accumulator + t * shape.rhos;
    for (std::size_t k = 0; k < shape.rhos; ++k) direct[k] = row[k][0] + row[shape.rhos - 1 - k][1];
    if (!shape.has_mirror(t)) continue;
    Value* mirror = accumulator + (shape.thetas - t) * shape.rhos;
    for (std::size_t k = 0; k < shape.rhos; ++k) mirror[k] = row[k][2] + row[shape.rhos - 1 - k][3];
  }
}

template <class Pixel, class Value>
void forward_image(const HoughGrid& grid, const BinEdges* table, const Pixel* image,
                   Value* accumulator, HoughScratch& scratch) {
  const Shape shape(grid);
  const std::size_t prefix_size = shape.width + 1;
  const std::size_t tile = std::clamp<std::size_t>(
      kTileBytes / (prefix_size * sizeof(Lanes<Value>)), 1, shape.half_rows);
  const std::size_t sums_size = shape.half_thetas * shape.rhos;
  auto* sums = static_cast<Lanes<Value>*>(
      scratch.reserve((sums_size + tile * prefix_size) * sizeof(Lanes<Value>)));
  Lanes<Value>* prefix = sums + sums_size;
  std::fill(sums, sums + sums_size, Lanes<Value>{});
  std::vector<std::uint32_t> found;

  for (std::size_t begin = 0; begin < shape.half_rows; begin += tile) {
    const std::size_t end = std::min(begin + tile, shape.half_rows);
    for (std::size_t j = begin; j < end; ++j)
      fill_prefix<Pixel, Value>(shape, image, j, prefix + (j - begin) * prefix_size);
    for (std::size_t t = 0; t < shape.half_thetas; ++t)
      for (std::size_t j = begin; j < end; ++j) {
        const Lanes<Value>* row = prefix + (j - begin) * prefix_size;
        with_runs(grid, table, found, t, j, [&](int first, const auto* edges, std::size_t runs) {
          Lanes<Value>* bins = sums + t * shape.rhos + first;
          Lanes<Value> before = row[0];
          for (std::size_t i = 0; i < runs; ++i) {
            const Lanes<Value> after = row[edges[i + 1]];
            bins[i] += after - before;
            before = after;
          }
        });
      }
  }
  unfold_lanes<Value>(shape, sums, accumulator);
}

// The transpose, step by step backwards: fold the accumulator into lanes, scatter the difference of
// neighbouring bins to the edge between them, and sum along the row. In double, because a running
// sum of differences loses more than plain addition would.
template <class Value>
void adjoint_image(const HoughGrid& grid, const BinEdges* table, const Value* accumulator,
                   Value* image, HoughScratch& scratch) {
  using Wide = Lanes<double>;
  const Shape shape(grid);
  const std::size_t steps_size = shape.width + 1;
  const std::size_t tile =
      std::clamp<std::size_t>(kTileBytes / (steps_size * sizeof(Wide)), 1, shape.half_rows);
  const std::size_t folded_size = shape.half_thetas * shape.rhos;
  auto* folded =
      static_cast<Wide*>(scratch.reserve((folded_size + tile * steps_size) * sizeof(Wide)));
  Wide* steps = folded + folded_size;
  std::vector<std::uint32_t> found;

  for (std::size_t t = 0; t < shape.half_thetas; ++t) {
    const Value* direct = accumulator + t * shape.rhos;
    const Value* mirror =
        shape.has_mirror(t) ? accumulator + (shape.thetas - t) * shape.rhos : nullptr;
    for (std::size_t k = 0; k < shape.rhos; ++k) {
      const std::size_t back = shape.rhos - 1 - k;
      folded[t * shape.rhos + k] =
          Wide{static_cast<double>(direct[k]), static_cast<double>(direct[back]),
               mirror != nullptr ? static_cast<double>(mirror[k]) : 0.0,
               mirror != nullptr ? static_cast<double>(mirror[back]) : 0.0};
    }
  }

  for (std::size_t begin = 0; begin < shape.half_rows; begin += tile) {
    const std::size_t end = std::min(begin + tile, shape.half_rows);
    std::fill(steps, steps + (end - begin) * steps_size, Wide{});
    for (std::size_t t = 0; t < shape.half_thetas; ++t)
      for (std::size_t j = begin; j < end; ++j) {
        Wide* row = steps + (j - begin) * steps_size;
        with_runs(grid, table, found, t, j, [&](int first, const auto* edges, std::size_t runs) {
          const Wide* bins = folded + t * shape.rhos + first;
          Wide before{};
          for (std::size_t i = 0; i < runs; ++i) {
            row[edges[i]] += bins[i] - before;
            before = bins[i];
          }
        });
      }
    for (std::size_t j = begin; j < end; ++j) {
      Wide* row = steps + (j - begin) * steps_size;
      for (std::size_t c = 1; c < shape.width; ++c) row[c] += row[c - 1];
      Value* upper = image + j * shape.width;
      Value* lower = image + (shape.height - 1 - j) * shape.width;
      for (std::size_t c = 0; c < shape.width; ++c)
        upper[c] = static_cast<Value>(row[c][0] + row[shape.width - 1 - c][2]);
      if (upper == lower) continue;
      for (std::size_t c = 0; c < shape.width; ++c)
        lower[c] = static_cast<Value>(row[shape.width - 1 - c][1] + row[c][3]);
    }
  }
}

template <class Pixel, class Value>
void forward_batch(const HoughGrid& grid, const BinEdges* table, const Pixel* images,
                   Value* accumulators, int batch, HoughScratch& scratch) {
  const Shape shape(grid);
  for (std::size_t b = 0; b < static_cast<std::size_t>(batch); ++b)
    forward_image(grid, table, images + b * shape.width * shape.height,
                  accumulators + b * grid.cells(), scratch);
}

template <class Value>
void adjoint_batch(const HoughGrid& grid, const BinEdges* table, const Value* accumulators,
                   Value* images, int batch, HoughScratch& scratch) {
  const Shape shape(grid);
  for (std::size_t b = 0; b < static_cast<std::size_t>(batch); ++b)
    adjoint_image(grid, table, accumulators + b * grid.cells(),
                  images + b * shape.width * shape.height, scratch);
}

}  // namespace

void* HoughScratch::reserve(std::size_t bytes) {
  constexpr std::size_t kAlignment = 64;
  if (storage_.size() < bytes + kAlignment) storage_.resize(bytes + kAlignment);
  void* start = storage_.data();
  std::size_t space = storage_.size();
  return std::align(kAlignment, bytes, start, space);
}

HoughTransform::HoughTransform(const HoughGrid& grid) : grid_(grid) {
  if (BinEdges::worth_keeping(grid)) edges_ = std::make_shared<const BinEdges>(grid);
}

void HoughTransform::forward(const float* images, float* accumulators, int batch,
                             HoughScratch& scratch) const {
  forward_batch(grid_, edges_.get(), images, accumulators, batch, scratch);
}

void HoughTransform::forward(const double* images, double* accumulators, int batch,
                             HoughScratch& scratch) const {
  forward_batch(grid_, edges_.get(), images, accumulators, batch, scratch);
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
  forward_batch(grid_, edges_.get(), images, accumulators, batch, scratch);
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
  forward_batch(grid_, edges_.get(), ones.data(), counts.data(), 1, scratch);
  return counts;
}

}  // namespace vsmax
