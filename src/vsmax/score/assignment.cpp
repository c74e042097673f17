// SPDX-License-Identifier: Apache-2.0
#include "vsmax/score/assignment.h"

#include <cassert>

namespace vsmax {
namespace {

class Matching {
 public:
  Matching(const ScoreMatrix& matrix, double threshold)
      : matrix_(matrix), threshold_(threshold), row_of_(matrix.columns, kFree) {}

  // Pairs the row, giving other rows new partners if necessary (Kuhn's algorithm).
  bool add(std::size_t row) {
    tried_.assign(matrix_.columns, false);
    return find_partner(row);
  }

 private:
  static constexpr std::size_t kFree = static_cast<std::size_t>(-1);

  bool find_partner(std::size_t row) {
    for (std::size_t column = 0; column < matrix_.columns; ++column) {
      if (tried_[column] || !(matrix_.at(row, column) >= threshold_)) continue;
      tried_[column] = true;
      if (row_of_[column] == kFree || find_partner(row_of_[column])) {
        row_of_[column] = row;
        return true;
      }
    }
    return false;
  }

  const ScoreMatrix& matrix_;
  double threshold_;
  std::vector<std::size_t> row_of_;  // the partner of each column
  std::vector<bool> tried_;
};

}  // namespace

std::size_t matched_pairs(const ScoreMatrix& matrix, double threshold) {
  assert(matrix.scores.size() == matrix.rows * matrix.columns);
  Matching matching(matrix, threshold);
  std::size_t pairs = 0;
  for (std::size_t row = 0; row < matrix.rows; ++row) pairs += matching.add(row) ? 1 : 0;
  return pairs;
}

}  // namespace vsmax
