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
#include "vsmax/hough/cover.h"
#include "vsmax/hough/grid.h"

namespace vsmax {

using LineEmbedding = VeroneseVector<3>;

struct SoftReadout {
  LineEmbedding barycentre{};
  double log_sum = 0.0;  // log of the sum of exp(logit / temperature)
};

class VeroneseSoftArgmax {
 public:
  VeroneseSoftArgmax(const HoughGrid& grid, Cover cover);

  std::size_t rows() const { return cos_.size(); }  // T, or 2T on the double cover
  std::size_t rhos() const { return rho_.size(); }
  std::size_t cells() const { return rows() * rhos(); }

  // The barycentre of the embeddings under probabilities over rows() x rhos().
  template <class Value>
  LineEmbedding barycentre(const Value* probabilities) const;

  // Softmax and barycentre in one pass over the logits (Eq. 15, 17). probabilities may be null, or
  // the logits' memory. A logit of -infinity has no weight; NaN or +infinity anywhere, or no weight
  // at all, give NaN. The sums of doubles are double, those of floats float along rho. Throws Error
  // for a temperature that is not positive.
  template <class Value>
  SoftReadout read(const Value* logits, double temperature, Value* probabilities) const;

  // dL/dlogits from dL/dbarycentre through the softmax (Eq. 19).
  template <class Value>
  void backward(const Value* probabilities, double temperature, const LineEmbedding& barycentre,
                const LineEmbedding& grad, Value* grad_logits) const;

 private:
  // Sums over the cells of a row: of their weights, and of those times 1, rho and rho^2 over
  // 1 + rho^2.
  struct RowSums {
    double plain = 0.0;
    double zeroth = 0.0;
    double first = 0.0;
    double second = 0.0;
  };
  RowSums weigh_row(const float* logits, float largest, double temperature, float* weights) const;
  RowSums weigh_row(const double* logits, double largest, double temperature,
                    double* weights) const;
  void add_row(std::size_t t, const RowSums& sums, LineEmbedding& total) const;

  std::vector<double> cos_;
  std::vector<double> sin_;
  std::vector<double> rho_;     // in units of D
  std::vector<double> weight_;  // 1 / (1 + rho^2)
  // weight_ times 1, rho and rho^2 once more, as the vector kernel reads them.
  std::array<std::vector<float>, 3> moment_tables_;
};

extern template LineEmbedding VeroneseSoftArgmax::barycentre(const float*) const;
extern template LineEmbedding VeroneseSoftArgmax::barycentre(const double*) const;
extern template SoftReadout VeroneseSoftArgmax::read(const float*, double, float*) const;
extern template SoftReadout VeroneseSoftArgmax::read(const double*, double, double*) const;
extern template void VeroneseSoftArgmax::backward(const float*, double, const LineEmbedding&,
                                                  const LineEmbedding&, float*) const;
extern template void VeroneseSoftArgmax::backward(const double*, double, const LineEmbedding&,
                                                  const LineEmbedding&, double*) const;

}  // namespace vsmax
