// SPDX-License-Identifier: Apache-2.0
// VSmax (Eq. 17): the mean of the lines' Veronese embeddings under a distribution over the cells.
// Both signs of a line are one point there, so mass on either side of the seam meets again.
//
// The embedding of a cell factors into functions of theta and of rho (Eq. 18), so three moments
// per row of the accumulator replace six products per cell and no 6 x N table is kept.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "vsmax/geometry/veronese.h"
#include "vsmax/hough/grid.h"
#include "vsmax/refine/cover.h"

namespace vsmax {

using LineEmbedding = VeroneseVector<3>;

class VeroneseSoftArgmax {
 public:
  VeroneseSoftArgmax(const HoughGrid& grid, Cover cover);

  std::size_t rows() const { return cos_.size(); }  // T, or 2T on the double cover
  std::size_t rhos() const { return rho_.size(); }
  std::size_t cells() const { return rows() * rhos(); }

  // The barycentre of the embeddings under probabilities over rows() x rhos().
  template <class Value>
  LineEmbedding barycentre(const Value* probabilities) const;

  // dL/dlogits from dL/dbarycentre through the softmax (Eq. 19).
  template <class Value>
  void backward(const Value* probabilities, double temperature, const LineEmbedding& barycentre,
                const LineEmbedding& grad, Value* grad_logits) const;

 private:
  std::vector<double> cos_;
  std::vector<double> sin_;
  std::vector<double> rho_;     // in units of D
  std::vector<double> weight_;  // 1 / (1 + rho^2)
};

extern template LineEmbedding VeroneseSoftArgmax::barycentre(const float*) const;
extern template LineEmbedding VeroneseSoftArgmax::barycentre(const double*) const;
extern template void VeroneseSoftArgmax::backward(const float*, double, const LineEmbedding&,
                                                  const LineEmbedding&, float*) const;
extern template void VeroneseSoftArgmax::backward(const double*, double, const LineEmbedding&,
                                                  const LineEmbedding&, double*) const;

}  // namespace vsmax
