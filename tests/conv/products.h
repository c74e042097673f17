// SPDX-License-Identifier: Apache-2.0
// Shapes to test the layers with, and the products that a convolution adds up, by the definition.
#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "vsmax/conv/conv_kernels.h"

namespace vsmax::test {

inline std::vector<FeatureShape> feature_shapes() {
  std::vector<FeatureShape> list;
  for (const std::optional<Cover> cover :
       {std::optional<Cover>{}, std::optional(Cover::kSingle), std::optional(Cover::kDouble)})
    for (const auto& [rows, columns] : {std::pair<std::size_t, std::size_t>{1, 1},
                                        {1, 3},
                                        {2, 5},
                                        {3, 1},
                                        {4, 4},
                                        {5, 17},
                                        {9, 31},
                                        {14, 33},
                                        {6, 64}})
      list.push_back({rows, columns, cover});
  return list;
}

// Calls visit(output cell, tap, input cell) for every product of a 3x3 convolution.
template <class Visit>
void for_each_product(const FeatureShape& shape, const Visit& visit) {
  const auto rows = static_cast<int>(shape.rows);
  const auto columns = static_cast<int>(shape.columns);
  for (int t = 0; t < rows; ++t)
    for (int r = 0; r < columns; ++r)
      for (int tap = 0; tap < 9; ++tap) {
        const int row = t + tap / 3 - 1;
        const int place = r + tap % 3 - 1;
        if (place < 0 || place >= columns) continue;
        if (!shape.cover && (row < 0 || row >= rows)) continue;
        const SeamRow source = row_across_seam(shape.cover.value_or(Cover::kSingle), rows, row);
        const int column = source.flipped ? columns - 1 - place : place;
        visit(static_cast<std::size_t>(t * columns + r), static_cast<std::size_t>(tap),
              static_cast<std::size_t>(source.row * columns + column));
      }
}

}  // namespace vsmax::test
