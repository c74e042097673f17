// SPDX-License-Identifier: Apache-2.0
// The tables of a ReadoutTableOnDevice, as VeroneseSoftArgmax keeps them.
#pragma once

#include <vector>

#include "vsmax/hough/grid.h"
#include "vsmax/readout/moments.h"
#include "vsmax/readout/veronese_cuda.h"

namespace vsmax {

// Cosines, sines, rho and embedding_weight(rho), concatenated.
inline std::vector<double> readout_table_values(const CellShape& shape) {
  const std::vector<Normal> normals = mirrored_normals(shape.thetas);
  const auto sign = [&](int t) { return t < shape.thetas ? 1.0 : -1.0; };
  const auto normal = [&](int t) { return normals[static_cast<std::size_t>(t % shape.thetas)]; };
  std::vector<double> values;
  values.reserve(2 * static_cast<std::size_t>(shape.rows() + shape.rhos));
  for (int t = 0; t < shape.rows(); ++t) values.push_back(sign(t) * normal(t).cosine);
  for (int t = 0; t < shape.rows(); ++t) values.push_back(sign(t) * normal(t).sine);
  for (int r = 0; r < shape.rhos; ++r) values.push_back(shape.rho(r));
  for (int r = 0; r < shape.rhos; ++r) values.push_back(embedding_weight(shape.rho(r)));
  return values;
}

// `values`: the device's copy of readout_table_values().
inline ReadoutTableOnDevice readout_table_at(const CellShape& shape, const double* values) {
  const double* offsets = values + 2 * shape.rows();
  return {shape.rows(), shape.rhos, values, values + shape.rows(), offsets, offsets + shape.rhos};
}

}  // namespace vsmax
