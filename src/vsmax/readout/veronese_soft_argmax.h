// SPDX-License-Identifier: Apache-2.0
// VSmax (Eq. 17): the mean of the lines' Veronese embeddings under a distribution over the cells.
// Both signs of a line's vector have the same embedding, so mass on both sides of the seam averages
// correctly.
#pragma once

#include <array>
#include <vector>

#include "vsmax/hough/grid.h"
#include "vsmax/readout/moments.h"

namespace vsmax {

struct SoftReadout {
  LineEmbedding barycentre{};
  double log_sum = 0.0;  // log of the sum of exp(logit / temperature)
};

// Immutable and safe to share between threads.
class VeroneseSoftArgmax {
 public:
  explicit VeroneseSoftArgmax(CellShape shape);

  const CellShape& shape() const { return shape_; }

  // Softmax and barycentre in one pass over the logits (Eq. 15, 17); `probabilities` may alias the
  // logits. A logit of -infinity has no weight; if any logit is NaN or +infinity, or none has any
  // weight, the result is NaN. Doubles are summed in double, floats in float along rho. Throws
  // Error for a temperature that is not positive.
  SoftReadout read(Cells<const float> logits, double temperature) const;
  SoftReadout read(Cells<const double> logits, double temperature) const;
  SoftReadout read(Cells<const float> logits, double temperature, Cells<float> probabilities) const;

  // dL/dlogits from dL/dbarycentre through the softmax (Eq. 19), in place of the probabilities.
  void backward(Cells<double> probabilities, double temperature, const LineEmbedding& barycentre,
                const LineEmbedding& grad) const;

 private:
  template <class Value>
  SoftReadout read_rows(Cells<const Value> logits, double temperature, Value* probabilities) const;
  RowMoments weigh_row(const float* logits, float largest, double temperature,
                       float* weights) const;
  RowMoments weigh_row(const double* logits, double largest, double temperature,
                       double* weights) const;

  CellShape shape_;
  std::vector<Normal> normals_;  // of each row
  std::vector<double> rho_;      // in units of D
  std::vector<double> weight_;   // embedding_weight(rho)
  // weight_ times 1, rho and rho^2, as the vector kernel reads them.
  std::array<std::vector<float>, 3> moment_tables_;
};

}  // namespace vsmax
