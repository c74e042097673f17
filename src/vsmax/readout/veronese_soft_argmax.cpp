// SPDX-License-Identifier: Apache-2.0
#include "vsmax/readout/veronese_soft_argmax.h"

#include <numbers>

namespace vsmax {

using std::numbers::sqrt2;

VeroneseSoftArgmax::VeroneseSoftArgmax(const HoughGrid& grid, Cover cover) {
  // theta + pi has the opposite normal; the sign cancels in the embedding once rho flips with it.
  for (const double sign : {1.0, -1.0}) {
    for (int t = 0; t < grid.thetas(); ++t) {
      cos_.push_back(sign * grid.cos_theta(t));
      sin_.push_back(sign * grid.sin_theta(t));
    }
    if (cover == Cover::kSingle) break;
  }
  for (int r = 0; r < grid.rhos(); ++r) {
    const double rho = grid.rho_unit(r);
    rho_.push_back(rho);
    weight_.push_back(1.0 / (1.0 + rho * rho));
  }
}

template <class Value>
LineEmbedding VeroneseSoftArgmax::barycentre(const Value* probabilities) const {
  LineEmbedding mean{};
  for (std::size_t t = 0; t < rows(); ++t) {
    double zeroth = 0.0;
    double first = 0.0;
    double second = 0.0;
    for (std::size_t r = 0; r < rhos(); ++r) {
      const double p = static_cast<double>(*probabilities++) * weight_[r];
      zeroth += p;
      first += p * rho_[r];
      second += p * rho_[r] * rho_[r];
    }
    mean[0] += zeroth * cos_[t] * cos_[t];
    mean[1] += zeroth * sin_[t] * sin_[t];
    mean[2] += second;
    mean[3] += zeroth * sqrt2 * cos_[t] * sin_[t];
    mean[4] -= first * sqrt2 * cos_[t];
    mean[5] -= first * sqrt2 * sin_[t];
  }
  return mean;
}

template <class Value>
void VeroneseSoftArgmax::backward(const Value* probabilities, double temperature,
                                  const LineEmbedding& barycentre, const LineEmbedding& grad,
                                  Value* grad_logits) const {
  const double center = dot(grad, barycentre);
  for (std::size_t t = 0; t < rows(); ++t) {
    // grad . v_2(theta, rho) as a polynomial of rho, up to the weight.
    const double constant = grad[0] * cos_[t] * cos_[t] + grad[1] * sin_[t] * sin_[t] +
                            sqrt2 * grad[3] * cos_[t] * sin_[t];
    const double linear = -sqrt2 * (grad[4] * cos_[t] + grad[5] * sin_[t]);
    for (std::size_t r = 0; r < rhos(); ++r) {
      const double along = weight_[r] * (constant + rho_[r] * (linear + rho_[r] * grad[2]));
      *grad_logits++ = static_cast<Value>(static_cast<double>(*probabilities++) * (along - center) /
                                          temperature);
    }
  }
}

template LineEmbedding VeroneseSoftArgmax::barycentre(const float*) const;
template LineEmbedding VeroneseSoftArgmax::barycentre(const double*) const;
template void VeroneseSoftArgmax::backward(const float*, double, const LineEmbedding&,
                                           const LineEmbedding&, float*) const;
template void VeroneseSoftArgmax::backward(const double*, double, const LineEmbedding&,
                                           const LineEmbedding&, double*) const;

}  // namespace vsmax
