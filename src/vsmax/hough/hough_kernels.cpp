// SPDX-License-Identifier: Apache-2.0
// One quarter of the runs serves four mirror images at once. For t <= T/2 and a row j of the upper
// half, with row j' = H-1-j below, the same runs are those of
//   lane 0: row j            for (t, k)
//   lane 1: row j' backwards for (t, R-1-k)
//   lane 2: row j backwards  for (T-t, k)
//   lane 3: row j'           for (T-t, R-1-k)
// so four prefix sums lie side by side and one vector subtraction serves four bins. Along columns
// it is the same with c and c' = W-1-c for j and j', but lanes 2 and 3 change their lines: T-t
// mirrors x, which now tells the lines apart.
#if VSMAX_WITH_HIGHWAY
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "vsmax/hough/hough_kernels.cpp"
// Four lanes are too few for wider registers.
#define HWY_DISABLED_TARGETS (HWY_AVX3 | HWY_AVX3_DL)
#include <hwy/foreach_target.h>
#endif
#include <algorithm>
#include <cstring>
#include <vector>

#include "vsmax/base/every_target.h"
#include "vsmax/hough/hough_kernels.h"

HWY_BEFORE_NAMESPACE();
namespace vsmax {
namespace HWY_NAMESPACE {
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
        angles(static_cast<std::size_t>(half_thetas(grid))) {}

  // The mirrored angle T-t is another one than t itself.
  bool has_mirror(std::size_t t) const { return t != 0 && 2 * t != thetas; }

  std::size_t width, height, thetas, rhos;
  std::size_t angles;  // of the half that is computed
};

// The lines of a scan, as places in the image.
struct Lines {
  Lines(const HoughGrid& grid, Scan the_scan)
      : scan(the_scan),
        length(static_cast<std::size_t>(scan_length(grid, the_scan))),
        halves(static_cast<std::size_t>(half_lines(grid, the_scan))),
        tiles(static_cast<std::size_t>(tile_count(grid, the_scan))),
        count(static_cast<std::size_t>(the_scan == Scan::kRows ? grid.frame().height
                                                               : grid.frame().width)),
        step(the_scan == Scan::kRows ? 1 : static_cast<std::size_t>(grid.frame().width)),
        line_step(the_scan == Scan::kRows ? static_cast<std::size_t>(grid.frame().width) : 1) {
    const auto turn = static_cast<std::size_t>(first_row_angle(grid));
    first_angle = the_scan == Scan::kRows ? turn : 0;
    end_angle = the_scan == Scan::kRows ? static_cast<std::size_t>(half_thetas(grid)) : turn;
  }

  // The middle line of an odd number is its own partner, and fills lanes 0 and 2 alone.
  bool paired(std::size_t line) const { return 2 * line + 1 != count; }
  std::size_t first(std::size_t line) const { return line * line_step; }
  std::size_t partner(std::size_t line) const { return (count - 1 - line) * line_step; }

  Scan scan;
  std::size_t length, halves, tiles, count;
  std::size_t step, line_step;  // from a pixel to the next, and from a line to the next
  std::size_t first_angle = 0, end_angle = 0;  // that are scanned this way
};

// Calls body(runs) for the runs of (t, tile), from the table or found anew.
template <class Body>
inline void with_runs(const HoughPlan& plan, std::vector<std::uint32_t>& found, std::size_t t,
                      std::size_t tile, const Body& body) {
  if (plan.table != nullptr)
    body(plan.table->runs(static_cast<int>(t), static_cast<int>(tile)));
  else
    body(find_tile_runs(plan.grid, static_cast<int>(t), static_cast<int>(tile), found));
}

template <class Value, class Pixel>
inline Lanes<Value> load_four(const Pixel* from) {
  Lanes<Pixel> four;
  std::memcpy(&four, from, sizeof four);
  return __builtin_convertvector(four, Lanes<Value>);
}

template <class Value>
inline Lanes<Value> reversed(const Lanes<Value>& v) {
  return __builtin_shufflevector(v, v, 3, 2, 1, 0);
}

// rows[i][j] <-> rows[j][i].
template <class Value>
inline void transpose(Lanes<Value> (&rows)[4]) {
  const Lanes<Value> low01 = __builtin_shufflevector(rows[0], rows[1], 0, 4, 1, 5);
  const Lanes<Value> high01 = __builtin_shufflevector(rows[0], rows[1], 2, 6, 3, 7);
  const Lanes<Value> low23 = __builtin_shufflevector(rows[2], rows[3], 0, 4, 1, 5);
  const Lanes<Value> high23 = __builtin_shufflevector(rows[2], rows[3], 2, 6, 3, 7);
  rows[0] = __builtin_shufflevector(low01, low23, 0, 1, 4, 5);
  rows[1] = __builtin_shufflevector(low01, low23, 2, 3, 6, 7);
  rows[2] = __builtin_shufflevector(high01, high23, 0, 1, 4, 5);
  rows[3] = __builtin_shufflevector(high01, high23, 2, 3, 6, 7);
}

// The four mirror images of the pixel at `place` of a line.
template <class Value, class Pixel>
inline Lanes<Value> mirror_images(const Lines& lines, const Pixel* image, std::size_t line,
                                  std::size_t place) {
  const bool paired = lines.paired(line);
  const auto at = [&](std::size_t first, std::size_t p) {
    return static_cast<Value>(image[first + p * lines.step]);
  };
  const std::size_t back = lines.length - 1 - place;
  const Value forth_own = at(lines.first(line), place);
  const Value back_own = at(lines.first(line), back);
  const Value forth_other = at(lines.partner(line), place);
  const Value back_other = at(lines.partner(line), back);
  if (lines.scan == Scan::kRows)
    return Lanes<Value>{forth_own, paired ? back_other : Value{}, back_own,
                        paired ? forth_other : Value{}};
  return Lanes<Value>{forth_own, paired ? back_other : Value{}, forth_other,
                      paired ? back_own : Value{}};
}

// Lines are filled in groups of four, as the lanes are four.
constexpr std::size_t kGroup = 4;
static_assert(kLinesPerTile % kGroup == 0);

// Whether four lines are all there, and none is its own partner.
inline bool whole_group(const Lines& lines, std::size_t first_line) {
  const std::size_t last_line = first_line + kGroup - 1;
  return last_line < lines.halves && lines.paired(last_line);
}

// prefix[p][l] = the sums of the first p pixels of the four mirror images of line l of a tile, for
// length + 1 places p. The four lines of a group go side by side, since a sum must wait for the one
// before.
template <class Value, class Pixel>
void fill_group(const Lines& lines, const Pixel* image, std::size_t first_line,
                Lanes<Value>* prefix) {
  const bool whole = whole_group(lines, first_line);
  Lanes<Value> sums[kGroup] = {};
  for (std::size_t l = 0; l < kGroup; ++l) prefix[l] = Lanes<Value>{};
  std::size_t p = 0;
  const auto put = [&](std::size_t place, std::size_t l, const Lanes<Value>& images) {
    sums[l] += images;
    prefix[(place + 1) * kLinesPerTile + l] = sums[l];
  };
  if (whole && lines.scan == Scan::kColumns) {
    const Pixel* own = image + lines.first(first_line);
    const Pixel* other = image + lines.partner(first_line + kGroup - 1);
    for (; p < lines.length; ++p) {
      const std::size_t forth = p * lines.step;
      const std::size_t back = (lines.length - 1 - p) * lines.step;
      Lanes<Value> four[kGroup] = {
          load_four<Value>(own + forth), reversed<Value>(load_four<Value>(other + back)),
          reversed<Value>(load_four<Value>(other + forth)), load_four<Value>(own + back)};
      transpose<Value>(four);
      for (std::size_t l = 0; l < kGroup; ++l) put(p, l, four[l]);
    }
  }
  if (whole && lines.scan == Scan::kRows) {
    for (; p + 4 <= lines.length; p += 4) {
      const std::size_t back = lines.length - 4 - p;
      Lanes<Value> four[kGroup][4];
      for (std::size_t l = 0; l < kGroup; ++l) {
        const Pixel* own = image + lines.first(first_line + l);
        const Pixel* other = image + lines.partner(first_line + l);
        four[l][0] = load_four<Value>(own + p);
        four[l][1] = reversed<Value>(load_four<Value>(other + back));
        four[l][2] = reversed<Value>(load_four<Value>(own + back));
        four[l][3] = load_four<Value>(other + p);
        transpose<Value>(four[l]);
      }
      for (std::size_t i = 0; i < 4; ++i)
        for (std::size_t l = 0; l < kGroup; ++l) put(p + i, l, four[l][i]);
    }
  }
  const std::size_t end_line = std::min(first_line + kGroup, lines.halves);
  for (; p < lines.length; ++p)
    for (std::size_t line = first_line; line < end_line; ++line)
      put(p, line - first_line, mirror_images<Value>(lines, image, line, p));
}

// bins[i] += the sum of run i over the lines of a tile.
template <class Value, class Index>
inline void add_runs(const TileRuns<Index>& runs, const Lanes<Value>* prefix, Lanes<Value>* bins) {
  static_assert(kLinesPerTile == 8);
  const auto* places = reinterpret_cast<const std::byte*>(prefix);
  const auto at = [places](std::size_t edge, std::size_t line) {
    constexpr std::size_t kUnit = kLinesPerTile * sizeof(Lanes<Value>) / kEdgeUnits;
    return *reinterpret_cast<const Lanes<Value>*>(places + edge * kUnit +
                                                  line * sizeof(Lanes<Value>));
  };
  const Index* edges = runs.edges;
  Lanes<Value> before[kLinesPerTile];
#pragma GCC unroll 8
  for (std::size_t l = 0; l < kLinesPerTile; ++l) before[l] = at(edges[l], l);
  for (std::size_t i = 0; i < runs.bins; ++i) {
    edges += kLinesPerTile;
    Lanes<Value> sums[kLinesPerTile];
#pragma GCC unroll 8
    for (std::size_t l = 0; l < kLinesPerTile; ++l) {
      const Lanes<Value> after = at(edges[l], l);
      sums[l] = after - before[l];
      before[l] = after;
    }
    bins[i] +=
        ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
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
void forward_image(const HoughPlan& plan, const Pixel* image, Out* accumulator, void* scratch) {
  const Shape shape(plan.grid);
  auto* sums = static_cast<Lanes<Value>*>(scratch);
  Lanes<Value>* prefix = sums + shape.angles * shape.rhos;
  std::fill(sums, prefix, Lanes<Value>{});
  std::vector<std::uint32_t> found;

  // The prefix sums of a tile stay in the first-level cache while all angles read them. A line that
  // the last tile lacks has only empty runs, which begin and end at its first place.
  for (const Scan scan : kScans) {
    const Lines lines(plan.grid, scan);
    for (std::size_t tile = 0; tile < lines.tiles; ++tile) {
      for (std::size_t group = 0; group < kLinesPerTile; group += kGroup)
        fill_group<Value>(lines, image, tile * kLinesPerTile + group, prefix + group);
      for (std::size_t t = lines.first_angle; t < lines.end_angle; ++t)
        with_runs(plan, found, t, tile, [&](const auto& runs) {
          add_runs<Value>(runs, prefix, sums + t * shape.rhos + runs.first_bin);
        });
    }
  }
  unfold_lanes<Value>(shape, sums, accumulator);
}

// The transpose of unfold_lanes.
template <class Step, class Value>
inline Lanes<Step> folded_bin(const Shape& shape, const Value* accumulator, std::size_t t,
                              std::size_t k) {
  const bool mirrored = shape.has_mirror(t);
  const Value* direct = accumulator + t * shape.rhos;
  const Value* mirror = mirrored ? accumulator + (shape.thetas - t) * shape.rhos : direct;
  const std::size_t back = shape.rhos - 1 - k;
  return Lanes<Step>{static_cast<Step>(direct[k]), static_cast<Step>(direct[back]),
                     mirrored ? static_cast<Step>(mirror[k]) : Step{},
                     mirrored ? static_cast<Step>(mirror[back]) : Step{}};
}

// differences[t][k] = bin k less the one before.
template <class Step, class Value>
void fold_differences(const Shape& shape, const Value* accumulator, Lanes<Step>* differences) {
  for (std::size_t t = 0; t < shape.angles; ++t) {
    Lanes<Step> before{};
    for (std::size_t k = 0; k < shape.rhos; ++k) {
      const Lanes<Step> bin = folded_bin<Step>(shape, accumulator, t, k);
      differences[t * shape.rhos + k] = bin - before;
      before = bin;
    }
  }
}

template <class Value>
inline void put_four(const Lanes<Value>& four, Value* to) {
  std::memcpy(to, &four, sizeof four);
}

template <class Value>
inline void add_four(const Lanes<Value>& four, Value* to) {
  put_four<Value>(four + load_four<Value>(to), to);
}

template <class Value>
inline void transposed(const Lanes<Value>* from, std::size_t step, Lanes<Value> (&out)[4]) {
  for (std::size_t i = 0; i < 4; ++i) out[i] = from[i * step];
  transpose<Value>(out);
}

// The transpose of fill_group: sums[p][l], laid on the image. The rows come first and set the
// pixels, the columns add to them.
template <class Value>
void write_rows(const Lines& lines, std::size_t first_line, const Lanes<Value>* sums,
                Value* image) {
  const std::size_t end_line = std::min(first_line + kGroup, lines.halves);
  for (std::size_t line = first_line; line < end_line; ++line, ++sums) {
    const bool paired = lines.paired(line);
    Value* own = image + lines.first(line);
    Value* other = image + lines.partner(line);
    std::size_t p = 0;
    for (; paired && p + 4 <= lines.length; p += 4) {
      Lanes<Value> forth[4];
      Lanes<Value> back[4];
      transposed<Value>(sums + p * kGroup, kGroup, forth);
      transposed<Value>(sums + (lines.length - 4 - p) * kGroup, kGroup, back);
      put_four<Value>(forth[0] + reversed<Value>(back[2]), own + p);
      put_four<Value>(reversed<Value>(back[1]) + forth[3], other + p);
    }
    for (; p < lines.length; ++p) {
      const Lanes<Value>& forth = sums[p * kGroup];
      const Lanes<Value>& back = sums[(lines.length - 1 - p) * kGroup];
      own[p] = forth[0] + back[2];
      if (paired) other[p] = back[1] + forth[3];
    }
  }
}

template <class Value>
void add_whole_columns(const Lines& lines, std::size_t first_line, const Lanes<Value>* sums,
                       Value* image) {
  Value* own = image + lines.first(first_line);
  Value* other = image + lines.partner(first_line + kGroup - 1);
  for (std::size_t p = 0; 2 * p < lines.length; ++p) {
    const std::size_t q = lines.length - 1 - p;
    Lanes<Value> forth[4];
    Lanes<Value> back[4];
    transposed<Value>(sums + p * kGroup, 1, forth);
    transposed<Value>(sums + q * kGroup, 1, back);
    add_four<Value>(forth[0] + back[3], own + p * lines.step);
    add_four<Value>(reversed<Value>(back[1] + forth[2]), other + p * lines.step);
    if (p == q) break;
    add_four<Value>(back[0] + forth[3], own + q * lines.step);
    add_four<Value>(reversed<Value>(forth[1] + back[2]), other + q * lines.step);
  }
}

template <class Value>
void add_columns(const Lines& lines, std::size_t first_line, const Lanes<Value>* sums,
                 Value* image) {
  if (whole_group(lines, first_line)) {
    add_whole_columns(lines, first_line, sums, image);
    return;
  }
  const std::size_t end_line = std::min(first_line + kGroup, lines.halves);
  for (std::size_t line = first_line; line < end_line; ++line, ++sums)
    for (std::size_t p = 0; p < lines.length; ++p) {
      const Lanes<Value>& forth = sums[p * kGroup];
      const Lanes<Value>& back = sums[(lines.length - 1 - p) * kGroup];
      Value& own = image[lines.first(line) + p * lines.step];
      if (!lines.paired(line)) {
        own += forth[0] + forth[2];
        continue;
      }
      own += forth[0] + back[3];
      image[lines.partner(line) + p * lines.step] += back[1] + forth[2];
    }
}

// Adds a step to each of the tile's lines, at its own edge.
template <class Step, class Index>
inline void add_step(const Lanes<Step>& step, const Index* edges, Lanes<Step>* steps) {
  auto* places = reinterpret_cast<std::byte*>(steps);
#pragma GCC unroll 8
  for (std::size_t l = 0; l < kLinesPerTile; ++l) {
    constexpr std::size_t kUnit = kLinesPerTile * sizeof(Lanes<Step>) / kEdgeUnits;
    *reinterpret_cast<Lanes<Step>*>(places + edges[l] * kUnit + l * sizeof(Lanes<Step>)) += step;
  }
}

// sums[p][l] = the steps of line l of a group up to place p; the steps become zero again.
template <class Step, class Value>
void sum_steps(std::size_t length, Lanes<Step>* steps, Lanes<Value>* sums) {
  Lanes<Step> running[kGroup] = {};
  for (std::size_t p = 0; p < length; ++p, steps += kLinesPerTile, sums += kGroup)
#pragma GCC unroll 4
    for (std::size_t l = 0; l < kGroup; ++l) {
      running[l] += steps[l];
      steps[l] = Lanes<Step>{};
      sums[l] = __builtin_convertvector(running[l], Lanes<Value>);
    }
  for (std::size_t l = 0; l < kGroup; ++l) steps[l] = Lanes<Step>{};
}

// The transpose of forward_image, step by step backwards: the difference of neighbouring bins goes
// to the edge between them, and sums along the line follow. Step is the type of both.
template <class Step, class Value>
void adjoint_image(const HoughPlan& plan, const Value* accumulator, Value* image, void* scratch) {
  const Shape shape(plan.grid);
  // One place more than there are pixels takes the steps of empty runs.
  const std::size_t places = std::max(shape.width, shape.height) + 1;
  auto* steps = static_cast<Lanes<Step>*>(scratch);
  auto* sums = reinterpret_cast<Lanes<Value>*>(steps + kLinesPerTile * places);
  auto* differences = reinterpret_cast<Lanes<Step>*>(sums + kGroup * places);
  std::fill(steps, steps + kLinesPerTile * places, Lanes<Step>{});
  std::vector<std::uint32_t> found;
  fold_differences<Step>(shape, accumulator, differences);

  for (const Scan scan : kScans) {
    const Lines lines(plan.grid, scan);
    for (std::size_t tile = 0; tile < lines.tiles; ++tile) {
      for (std::size_t t = lines.first_angle; t < lines.end_angle; ++t)
        with_runs(plan, found, t, tile, [&](const auto& runs) {
          const auto bin = static_cast<std::size_t>(runs.first_bin);
          const Lanes<Step>* step = differences + t * shape.rhos + bin;
          const auto* edges = runs.edges;
          add_step<Step>(folded_bin<Step>(shape, accumulator, t, bin), edges, steps);
          for (std::size_t i = 1; i < runs.bins; ++i)
            add_step<Step>(step[i], edges += kLinesPerTile, steps);
        });
      for (std::size_t group = 0; group < kLinesPerTile; group += kGroup) {
        sum_steps<Step, Value>(lines.length, steps + group, sums);
        if (scan == Scan::kRows)
          write_rows(lines, tile * kLinesPerTile + group, sums, image);
        else
          add_columns(lines, tile * kLinesPerTile + group, sums, image);
      }
    }
  }
}

void forward_float(const HoughPlan& plan, const float* image, float* accumulator, void* scratch) {
  forward_image<float>(plan, image, accumulator, scratch);
}
void forward_float_wide(const HoughPlan& plan, const float* image, float* accumulator,
                        void* scratch) {
  forward_image<double>(plan, image, accumulator, scratch);
}
void forward_double(const HoughPlan& plan, const double* image, double* accumulator,
                    void* scratch) {
  forward_image<double>(plan, image, accumulator, scratch);
}
void forward_bytes(const HoughPlan& plan, const std::uint8_t* image, std::uint32_t* accumulator,
                   void* scratch) {
  // Widened once and not eight times, as the scans come by.
  const std::size_t pixels = plan.grid.frame().pixels();
  auto* wide = static_cast<std::uint32_t*>(scratch);
  for (std::size_t i = 0; i < pixels; ++i) wide[i] = image[i];
  constexpr std::size_t kAlignment = 64 / sizeof(std::uint32_t);
  const std::size_t rest = (pixels + kAlignment - 1) / kAlignment * kAlignment;
  forward_image<std::uint32_t>(plan, wide, accumulator, wide + rest);
}
void adjoint_float(const HoughPlan& plan, const float* accumulator, float* image, void* scratch) {
  adjoint_image<float>(plan, accumulator, image, scratch);
}
void adjoint_float_wide(const HoughPlan& plan, const float* accumulator, float* image,
                        void* scratch) {
  adjoint_image<double>(plan, accumulator, image, scratch);
}
void adjoint_double(const HoughPlan& plan, const double* accumulator, double* image,
                    void* scratch) {
  adjoint_image<double>(plan, accumulator, image, scratch);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace vsmax
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace vsmax {

HWY_EXPORT(forward_float);
HWY_EXPORT(forward_float_wide);
HWY_EXPORT(forward_double);
HWY_EXPORT(forward_bytes);
HWY_EXPORT(adjoint_float);
HWY_EXPORT(adjoint_float_wide);
HWY_EXPORT(adjoint_double);

std::size_t hough_scratch_bytes(const HoughPlan& plan) {
  const auto& frame = plan.grid.frame();
  const auto longest = static_cast<std::size_t>(std::max(frame.width, frame.height));
  const auto sums =
      static_cast<std::size_t>(half_thetas(plan.grid)) * static_cast<std::size_t>(plan.grid.rhos());
  constexpr std::size_t kWidestLanes = 4 * sizeof(double);
  constexpr std::size_t kAlignment = 64;
  // Bins, and what belongs to the places of a tile's lines and a group's; a widened image of bytes.
  return (sums + (kLinesPerTile + 4) * (longest + 1)) * kWidestLanes +
         frame.pixels() * sizeof(std::uint32_t) + kAlignment;
}

void hough_forward(const HoughPlan& plan, const float* image, float* accumulator, void* scratch) {
  HWY_DYNAMIC_DISPATCH(forward_float)(plan, image, accumulator, scratch);
}
void hough_forward_wide(const HoughPlan& plan, const float* image, float* accumulator,
                        void* scratch) {
  HWY_DYNAMIC_DISPATCH(forward_float_wide)(plan, image, accumulator, scratch);
}
void hough_forward(const HoughPlan& plan, const double* image, double* accumulator, void* scratch) {
  HWY_DYNAMIC_DISPATCH(forward_double)(plan, image, accumulator, scratch);
}
void hough_forward(const HoughPlan& plan, const std::uint8_t* image, std::uint32_t* accumulator,
                   void* scratch) {
  HWY_DYNAMIC_DISPATCH(forward_bytes)(plan, image, accumulator, scratch);
}
void hough_adjoint(const HoughPlan& plan, const float* accumulator, float* image, void* scratch) {
  HWY_DYNAMIC_DISPATCH(adjoint_float)(plan, accumulator, image, scratch);
}
void hough_adjoint_wide(const HoughPlan& plan, const float* accumulator, float* image,
                        void* scratch) {
  HWY_DYNAMIC_DISPATCH(adjoint_float_wide)(plan, accumulator, image, scratch);
}
void hough_adjoint(const HoughPlan& plan, const double* accumulator, double* image, void* scratch) {
  HWY_DYNAMIC_DISPATCH(adjoint_double)(plan, accumulator, image, scratch);
}

}  // namespace vsmax
#endif
