// SPDX-License-Identifier: Apache-2.0
#include "vsmax/hough/hough_cuda_table.h"

#include <algorithm>
#include <span>

#include "vsmax/hough/bin_edges.h"

namespace vsmax {
namespace {

constexpr std::size_t kMostEntries = std::size_t{1} << 25;  // 64 MB
constexpr int kMostPlaces = 0x10000 / kEdgeUnitsPerPlace;
constexpr int kMostSums = 3072;  // per pass, unless a single pack has more

constexpr std::size_t kChunkEntries = kPairsPerGroup * kBinsPerChunk;

int ceil_div(int count, int size) { return (count + size - 1) / size; }

class ForwardTable {
 public:
  ForwardTable(const HoughGrid& grid, HoughCudaTable& table)
      : grid_(grid), table_(table), first_row_angle_(turn(grid)) {
    table.first_row_angle = first_row_angle_;
    for (int t = 0; t < half_thetas(grid); ++t)
      for (int begin = 0; begin < half_lines(grid, scan(t)); begin += kPairsPerGroup)
        add_group(t, begin);
  }

  static bool fits(const HoughGrid& grid) {
    if (grid.frame().height + 2 > kMostPlaces) return false;
    const int first_row_angle = turn(grid);
    double entries = 0.0;
    for (int t = 0; t < half_thetas(grid); ++t) {
      const Scan scan = t < first_row_angle ? Scan::kColumns : Scan::kRows;
      const double across = scan == Scan::kColumns ? grid.cos_theta(t) : grid.sin_theta(t);
      const double bins = std::min<double>(
          grid.rhos(), runs_of_line(grid, scan, t) + kPairsPerGroup * across / grid.bin_width());
      entries += (bins + kBinsPerChunk) * kPairsPerGroup *
                 ceil_div(half_lines(grid, scan), kPairsPerGroup);
    }
    return entries <= static_cast<double>(kMostEntries);
  }

 private:
  // If rows are too long for 16-bit edges, all angles are scanned along columns.
  static int turn(const HoughGrid& grid) {
    return grid.frame().width + 2 > kMostPlaces ? half_thetas(grid) : vsmax::first_row_angle(grid);
  }
  Scan scan(int t) const { return t < first_row_angle_ ? Scan::kColumns : Scan::kRows; }

  void add_group(int t, int begin) {
    const int end = std::min(begin + kPairsPerGroup, half_lines(grid_, scan(t)));
    int first = grid_.rhos();
    int last = 0;
    for (int line = begin; line < end; ++line) {
      const auto pair = static_cast<std::size_t>(line - begin);
      first_bins_[pair] = scan(t) == Scan::kColumns ? find_column_runs(grid_, t, line, edges_[pair])
                                                    : find_row_runs(grid_, t, line, edges_[pair]);
      first = std::min(first, first_bins_[pair]);
      last = std::max(last, first_bins_[pair] + static_cast<int>(edges_[pair].size()) - 2);
    }
    const int length = scan_length(grid_, scan(t));
    const int chunks = ceil_div(last - first + 1, kBinsPerChunk);
    table_.groups.push_back({static_cast<std::uint32_t>(table_.edges.size() / kChunkEntries),
                             static_cast<std::uint16_t>(first),
                             static_cast<std::uint16_t>(chunks)});
    for (int chunk = 0; chunk < chunks; ++chunk)
      for (int pair = 0; pair < kPairsPerGroup; ++pair)
        for (int i = 0; i < kBinsPerChunk; ++i)
          table_.edges.push_back(begin + pair < end
                                     ? end_of_bin(static_cast<std::size_t>(pair),
                                                  first + chunk * kBinsPerChunk + i, length)
                                     : std::uint16_t{0});
  }

  // The edge is 0 below a line's bins and its length above them, so that runs outside are empty.
  std::uint16_t end_of_bin(std::size_t pair, int bin, int length) const {
    const int runs = static_cast<int>(edges_[pair].size()) - 1;
    const int run = std::clamp(bin - first_bins_[pair] + 1, 0, runs);
    const auto end = static_cast<int>(edges_[pair][static_cast<std::size_t>(run)]);
    return static_cast<std::uint16_t>(prefix_place(end, length) * kEdgeUnitsPerPlace);
  }

  const HoughGrid& grid_;
  HoughCudaTable& table_;
  int first_row_angle_;
  std::array<std::vector<std::uint32_t>, kPairsPerGroup> edges_;
  std::array<int, kPairsPerGroup> first_bins_{};
};

class AdjointTable {
 public:
  AdjointTable(const HoughGrid& grid, HoughCudaTable& table) : grid_(grid), table_(table) {
    const auto [columns, rows] = patches(grid);
    const int packs = pack_count(grid);
    table.pixel_sums.resize(entries(grid));
    for (int patch = 0; patch < columns * rows; ++patch)
      for (int pack = 0; pack < packs; ++pack)
        add_pack(patch % columns * kPatchColumns, patch / columns * kPatchRows,
                 patch * packs + pack);
    first_of_pack_.push_back(table.sums.size());
    group_packs(columns * rows, packs);
  }

  static bool fits(const HoughGrid& grid) { return entries(grid) <= kMostEntries; }

 private:
  static std::array<int, 2> patches(const HoughGrid& grid) {
    return {ceil_div(half_lines(grid, Scan::kColumns), kPatchColumns),
            ceil_div(half_lines(grid, Scan::kRows), kPatchRows)};
  }
  static int pack_count(const HoughGrid& grid) {
    return ceil_div(half_thetas(grid), kAnglesPerPack);
  }
  static constexpr std::size_t kEntriesPerPack = std::size_t{2} * kSumsPerPack * kPatchPixels;
  static std::size_t entries(const HoughGrid& grid) {
    const auto [columns, rows] = patches(grid);
    return static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows) *
           static_cast<std::size_t>(pack_count(grid)) * kEntriesPerPack;
  }

  // The bins of a pixel at four angles, the first one's in the highest bits.
  std::uint64_t bins(int angle, int column, int row) const {
    std::uint64_t key = 0;
    for (int t = angle; t < angle + kAnglesPerSum; ++t)
      key = key << 16U |
            (t < half_thetas(grid_) ? static_cast<std::uint64_t>(grid_.bin(t, column, row))
                                    : HoughBinSum::kNone);
    return key;
  }

  void add_pack(int first_column, int first_row, int pack_of_patch) {
    first_of_pack_.push_back(table_.sums.size());
    const auto [width, height] = grid_.frame();
    const int pack = pack_of_patch % pack_count(grid_);
    std::uint16_t* entry =
        table_.pixel_sums.data() + static_cast<std::size_t>(pack_of_patch) * kEntriesPerPack;
    for (int sum = 0; sum < kSumsPerPack; ++sum) {
      const int angle = pack * kAnglesPerPack + sum * kAnglesPerSum;
      keys_.clear();
      for (int i = 0; i < kPatchPixels; ++i) {
        // Positions beyond the quarter repeat its last pixel.
        const PatchPixel at = patch_pixel(i);
        const int column = std::min(first_column + at.column, (width - 1) / 2);
        const int row = std::min(first_row + at.row, (height - 1) / 2);
        keys_.push_back(bins(angle, column, row));
        keys_.push_back(bins(angle, width - 1 - column, row));
      }
      sorted_ = keys_;
      std::sort(sorted_.begin(), sorted_.end());
      sorted_.erase(std::unique(sorted_.begin(), sorted_.end()), sorted_.end());
      const std::size_t before = table_.sums.size() - first_of_pack_.back();
      for (std::size_t i = 0; i < keys_.size(); ++i) {
        const auto found = std::lower_bound(sorted_.begin(), sorted_.end(), keys_[i]);
        const std::size_t side = i % 2;
        entry[i / 2 * 2 * kSumsPerPack + side * kSumsPerPack + static_cast<std::size_t>(sum)] =
            static_cast<std::uint16_t>(before + static_cast<std::size_t>(found - sorted_.begin()));
      }
      for (const std::uint64_t key : sorted_) {
        HoughBinSum result{static_cast<std::uint32_t>(angle), {}};
        for (std::size_t i = 0; i < kAnglesPerSum; ++i)
          result.bins[i] = static_cast<std::uint16_t>(key >> 16U * (kAnglesPerSum - 1 - i));
        table_.sums.push_back(result);
      }
    }
  }

  std::size_t sums_of(int patch, int packs, int begin, int end) const {
    const auto first = static_cast<std::size_t>(patch) * static_cast<std::size_t>(packs);
    return first_of_pack_[first + static_cast<std::size_t>(end)] -
           first_of_pack_[first + static_cast<std::size_t>(begin)];
  }

  std::size_t most_sums(int patch_count, int packs, int packs_per_pass) const {
    std::size_t most = 0;
    for (int patch = 0; patch < patch_count; ++patch)
      for (int pack = 0; pack < packs; pack += packs_per_pass)
        most = std::max(most, sums_of(patch, packs, pack, std::min(pack + packs_per_pass, packs)));
    return most;
  }

  // Groups the packs into passes, and makes the sums' indices relative to the pass, not the pack.
  void group_packs(int patch_count, int packs) {
    int size = packs;
    while (size > 1 && most_sums(patch_count, packs, size) > kMostSums) --size;
    table_.packs_per_pass = size;
    table_.most_sums = static_cast<int>(most_sums(patch_count, packs, size));
    for (int patch = 0; patch < patch_count; ++patch)
      for (int pack = 0; pack < packs; ++pack) {
        const auto index = static_cast<std::size_t>(patch) * static_cast<std::size_t>(packs) +
                           static_cast<std::size_t>(pack);
        const int first = pack / size * size;
        if (pack == first)
          table_.first_sum.push_back(static_cast<std::uint32_t>(first_of_pack_[index]));
        const auto offset = static_cast<std::uint16_t>(sums_of(patch, packs, first, pack));
        for (std::uint16_t& entry :
             std::span(table_.pixel_sums).subspan(index * kEntriesPerPack, kEntriesPerPack))
          entry = static_cast<std::uint16_t>(entry + offset);
      }
    table_.first_sum.push_back(static_cast<std::uint32_t>(table_.sums.size()));
  }

  const HoughGrid& grid_;
  HoughCudaTable& table_;
  std::vector<std::size_t> first_of_pack_;
  std::vector<std::uint64_t> keys_;
  std::vector<std::uint64_t> sorted_;
};

}  // namespace

HoughCudaTable make_hough_cuda_table(const HoughGrid& grid) {
  HoughCudaTable table;
  for (int t = 0; t < grid.thetas(); ++t) table.normals.push_back(grid.cos_theta(t));
  for (int t = 0; t < grid.thetas(); ++t) table.normals.push_back(grid.sin_theta(t));
  if (ForwardTable::fits(grid)) ForwardTable(grid, table);
  if (AdjointTable::fits(grid)) AdjointTable(grid, table);
  return table;
}

}  // namespace vsmax
