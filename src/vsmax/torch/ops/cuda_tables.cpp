// SPDX-License-Identifier: Apache-2.0
#include "vsmax/torch/ops/cuda_tables.h"

#include <cstring>
#include <map>
#include <mutex>
#include <tuple>
#include <utility>
#include <vector>

#include "vsmax/hough/bin_edges.h"
#include "vsmax/readout/moments.h"

namespace vsmax::ops {
namespace {

template <class Value>
torch::Tensor upload(const std::vector<Value>& values, torch::Device device) {
  const auto bytes = static_cast<int64_t>(values.size() * sizeof(Value));
  auto staged = torch::empty({bytes}, torch::kUInt8);
  std::memcpy(staged.data_ptr<uint8_t>(), values.data(), static_cast<std::size_t>(bytes));
  return staged.to(device);
}

template <class Value>
const Value* pointer(const torch::Tensor& bytes) {
  return reinterpret_cast<const Value*>(bytes.data_ptr<uint8_t>());
}

HoughTable make_hough_table(const HoughGrid& grid, torch::Device device) {
  const auto [width, height] = grid.frame();
  TORCH_CHECK(width <= 0xFFFF, "vsmax::hough: on CUDA an image may have 65535 columns, not ",
              width);
  std::vector<RowRunsOnDevice> rows;
  std::vector<std::uint16_t> edges;
  std::vector<std::uint16_t> row_edges;
  for (int t = 0; t < half_thetas(grid); ++t)
    for (int row = 0; row < half_lines(grid, Scan::kRows); ++row) {
      const int first = find_row_runs(grid, t, row, row_edges);
      TORCH_CHECK(edges.size() + row_edges.size() <= UINT32_MAX, "vsmax::hough: the table of a ",
                  grid.thetas(), "x", grid.rhos(), " grid for ", width, "x", height,
                  " pixels is too large");
      rows.push_back({static_cast<std::uint32_t>(edges.size()),
                      static_cast<std::uint16_t>(row_edges.size() - 1),
                      static_cast<std::uint16_t>(first)});
      edges.insert(edges.end(), row_edges.begin(), row_edges.end());
    }
  std::vector<double> cosines;
  std::vector<double> sines;
  for (int t = 0; t < grid.thetas(); ++t) {
    cosines.push_back(grid.cos_theta(t));
    sines.push_back(grid.sin_theta(t));
  }
  HoughTable table{{},
                   upload(rows, device),
                   upload(edges, device),
                   upload(cosines, device),
                   upload(sines, device)};
  table.view = {width,
                height,
                grid.thetas(),
                grid.rhos(),
                grid.bin_width(),
                pointer<RowRunsOnDevice>(table.rows),
                pointer<std::uint16_t>(table.edges),
                pointer<double>(table.cosines),
                pointer<double>(table.sines)};
  return table;
}

// As VeroneseSoftArgmax keeps them: cosines, sines, rho, embedding_weight(rho), one after the
// other.
ReadoutTable make_readout_table(const CellShape& shape, torch::Device device) {
  const std::vector<Normal> normals = mirrored_normals(shape.thetas);
  std::vector<double> cosines;
  std::vector<double> sines;
  for (int t = 0; t < shape.rows(); ++t) {
    const double sign = t < shape.thetas ? 1.0 : -1.0;
    const Normal& normal = normals[static_cast<std::size_t>(t % shape.thetas)];
    cosines.push_back(sign * normal.cosine);
    sines.push_back(sign * normal.sine);
  }
  std::vector<double> values = std::move(cosines);
  values.insert(values.end(), sines.begin(), sines.end());
  for (int r = 0; r < shape.rhos; ++r) values.push_back(shape.rho(r));
  for (int r = 0; r < shape.rhos; ++r) values.push_back(embedding_weight(shape.rho(r)));
  ReadoutTable table{{}, upload(values, device)};
  const auto* first = pointer<double>(table.coordinates);
  const auto* offsets = first + 2 * shape.rows();
  table.view = {shape.rows(),         shape.rhos, first,
                first + shape.rows(), offsets,    offsets + shape.rhos};
  return table;
}

// The table of a key, made when it is first asked for. Tables are never destroyed: at the end of
// the program the CUDA driver may be gone before a tensor is freed.
template <class Table, class Key, class Make>
const Table& kept_table(const Key& key, const Make& make) {
  static auto* tables = new std::map<Key, Table>;
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  const auto found = tables->find(key);
  return found != tables->end() ? found->second : tables->emplace(key, make()).first->second;
}

}  // namespace

const HoughTable& hough_table(const HoughGrid& grid, torch::Device device) {
  const auto [width, height] = grid.frame();
  return kept_table<HoughTable>(
      std::tuple(width, height, grid.thetas(), grid.rhos(), device.index()),
      [&] { return make_hough_table(grid, device); });
}

const ReadoutTable& readout_table(const CellShape& shape, torch::Device device) {
  return kept_table<ReadoutTable>(std::tuple(shape.thetas, shape.rhos, shape.cover, device.index()),
                                  [&] { return make_readout_table(shape, device); });
}

}  // namespace vsmax::ops
