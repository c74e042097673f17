// SPDX-License-Identifier: Apache-2.0
#include "vsmax/readout/veronese_soft_argmax.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>

#include "vsmax/base/error.h"
#include "vsmax/readout/exp_kernels.h"

namespace vsmax {

using std::numbers::sqrt2;

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// As the one for floats.
double largest_logit(const double* values, std::size_t count) {
  double largest = values[0];
  for (std::size_t i = 0; i < count; ++i)
    largest =
        values[i] < std::numeric_limits<double>::infinity() ? std::max(largest, values[i]) : kNaN;
  return largest;
}

}  // namespace

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
  for (std::size_t power = 0; power < moment_tables_.size(); ++power) {
    moment_tables_[power].resize(padded_size(rhos()));
    for (std::size_t r = 0; r < rhos(); ++r)
      moment_tables_[power][r] =
          static_cast<float>(weight_[r] * std::pow(rho_[r], static_cast<double>(power)));
  }
}

void VeroneseSoftArgmax::add_row(std::size_t t, const RowSums& sums, LineEmbedding& total) const {
  total[0] += sums.zeroth * cos_[t] * cos_[t];
  total[1] += sums.zeroth * sin_[t] * sin_[t];
  total[2] += sums.second;
  total[3] += sums.zeroth * sqrt2 * cos_[t] * sin_[t];
  total[4] -= sums.first * sqrt2 * cos_[t];
  total[5] -= sums.first * sqrt2 * sin_[t];
}

template <class Value>
LineEmbedding VeroneseSoftArgmax::barycentre(const Value* probabilities) const {
  LineEmbedding mean{};
  for (std::size_t t = 0; t < rows(); ++t) {
    RowSums sums;
    for (std::size_t r = 0; r < rhos(); ++r) {
      const double p = static_cast<double>(*probabilities++) * weight_[r];
      sums.zeroth += p;
      sums.first += p * rho_[r];
      sums.second += p * rho_[r] * rho_[r];
    }
    add_row(t, sums, mean);
  }
  return mean;
}

VeroneseSoftArgmax::RowSums VeroneseSoftArgmax::weigh_row(const float* logits, float largest,
                                                          double temperature,
                                                          float* weights) const {
  // Within what a float holds, lest 0 meets infinity.
  using Limits = std::numeric_limits<float>;
  const double inverse = std::clamp<double>(1.0 / temperature, Limits::min(), Limits::max());
  const float* const tables[3] = {moment_tables_[0].data(), moment_tables_[1].data(),
                                  moment_tables_[2].data()};
  const ExpSums sums =
      exp_row(logits, rhos(), largest, static_cast<float>(inverse), tables, weights);
  return {sums.plain, sums.moments[0], sums.moments[1], sums.moments[2]};
}

VeroneseSoftArgmax::RowSums VeroneseSoftArgmax::weigh_row(const double* logits, double largest,
                                                          double temperature,
                                                          double* weights) const {
  RowSums sums;
  for (std::size_t r = 0; r < rhos(); ++r) {
    const double weight = std::exp((logits[r] - largest) / temperature);
    const double p = weight * weight_[r];
    sums.plain += weight;
    sums.zeroth += p;
    sums.first += p * rho_[r];
    sums.second += p * rho_[r] * rho_[r];
    if (weights != nullptr) weights[r] = weight;
  }
  return sums;
}

template <class Value>
SoftReadout VeroneseSoftArgmax::read(const Value* logits, double temperature,
                                     Value* probabilities) const {
  if (!(temperature > 0.0))
    throw Error("the temperature must be positive, not " + std::to_string(temperature));
  const Value largest = largest_logit(logits, cells());
  SoftReadout result;
  if (!std::isfinite(largest)) {
    result.barycentre.fill(kNaN);
    result.log_sum = kNaN;
    if (probabilities != nullptr) std::fill_n(probabilities, cells(), static_cast<Value>(kNaN));
    return result;
  }
  double sum = 0.0;
  for (std::size_t t = 0; t < rows(); ++t) {
    Value* weights = probabilities == nullptr ? nullptr : probabilities + t * rhos();
    const RowSums sums = weigh_row(logits + t * rhos(), largest, temperature, weights);
    sum += sums.plain;
    add_row(t, sums, result.barycentre);
  }
  for (double& coordinate : result.barycentre) coordinate /= sum;
  result.log_sum = static_cast<double>(largest) / temperature + std::log(sum);
  if (probabilities != nullptr) {
    const auto scale = static_cast<Value>(1.0 / sum);
    for (std::size_t i = 0; i < cells(); ++i) probabilities[i] *= scale;
  }
  return result;
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
template SoftReadout VeroneseSoftArgmax::read(const float*, double, float*) const;
template SoftReadout VeroneseSoftArgmax::read(const double*, double, double*) const;
template void VeroneseSoftArgmax::backward(const float*, double, const LineEmbedding&,
                                           const LineEmbedding&, float*) const;
template void VeroneseSoftArgmax::backward(const double*, double, const LineEmbedding&,
                                           const LineEmbedding&, double*) const;

}  // namespace vsmax
