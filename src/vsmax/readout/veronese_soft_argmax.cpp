// SPDX-License-Identifier: Apache-2.0
#include "vsmax/readout/veronese_soft_argmax.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <string>

#include "vsmax/base/error.h"
#include "vsmax/readout/exp_kernels.h"

namespace vsmax {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// As in exp_kernels.h, for doubles.
double largest_logit(const double* values, std::size_t count) {
  double largest = values[0];
  for (std::size_t i = 0; i < count; ++i)
    largest =
        values[i] < std::numeric_limits<double>::infinity() ? std::max(largest, values[i]) : kNaN;
  return largest;
}

}  // namespace

VeroneseSoftArgmax::VeroneseSoftArgmax(CellShape shape)
    : shape_(shape), normals_(mirrored_normals(shape.thetas)) {
  // theta + pi has the opposite normal; the sign cancels in the embedding because rho flips too.
  if (shape.cover == Cover::kDouble)
    for (int t = 0; t < shape.thetas; ++t) {
      const Normal normal = normals_[static_cast<std::size_t>(t)];
      normals_.push_back({-normal.cosine, -normal.sine});
    }
  for (int r = 0; r < shape.rhos; ++r) {
    rho_.push_back(shape.rho(r));
    weight_.push_back(embedding_weight(rho_.back()));
  }
  for (std::size_t power = 0; power < moment_tables_.size(); ++power) {
    moment_tables_[power].resize(padded_size(rho_.size()));
    for (std::size_t r = 0; r < rho_.size(); ++r)
      moment_tables_[power][r] =
          static_cast<float>(weight_[r] * std::pow(rho_[r], static_cast<double>(power)));
  }
}

RowMoments VeroneseSoftArgmax::weigh_row(const float* logits, float largest, double temperature,
                                         float* weights) const {
  // Clamped to a float's range, because infinity times zero would be NaN.
  using Limits = std::numeric_limits<float>;
  const double inverse = std::clamp<double>(1.0 / temperature, Limits::min(), Limits::max());
  const float* const tables[3] = {moment_tables_[0].data(), moment_tables_[1].data(),
                                  moment_tables_[2].data()};
  const ExpSums sums =
      exp_row(logits, rho_.size(), largest, static_cast<float>(inverse), tables, weights);
  return {sums.plain, sums.moments[0], sums.moments[1], sums.moments[2]};
}

RowMoments VeroneseSoftArgmax::weigh_row(const double* logits, double largest, double temperature,
                                         double* weights) const {
  RowMoments moments;
  for (std::size_t r = 0; r < rho_.size(); ++r) {
    const double mass = std::exp((logits[r] - largest) / temperature);
    moments.add(mass, rho_[r], weight_[r]);
    if (weights != nullptr) weights[r] = mass;
  }
  return moments;
}

template <class Value>
SoftReadout VeroneseSoftArgmax::read_rows(Cells<const Value> logits, double temperature,
                                          Value* probabilities) const {
  if (!(temperature > 0.0))
    throw Error("the temperature must be positive, not " + std::to_string(temperature));
  assert(logits.shape() == shape_);
  const Value largest = largest_logit(logits.data(), logits.size());
  SoftReadout result;
  if (!std::isfinite(largest)) {
    result.barycentre.fill(kNaN);
    result.log_sum = kNaN;
    if (probabilities != nullptr)
      std::fill_n(probabilities, logits.size(), static_cast<Value>(kNaN));
    return result;
  }
  double sum = 0.0;
  for (int t = 0; t < shape_.rows(); ++t) {
    Value* weights = probabilities == nullptr ? nullptr : probabilities + shape_.index({t, 0});
    const RowMoments moments = weigh_row(logits.row(t), largest, temperature, weights);
    const Normal normal = normals_[static_cast<std::size_t>(t)];
    sum += moments.mass;
    moments.add_to(result.barycentre, normal.cosine, normal.sine);
  }
  for (double& coordinate : result.barycentre) coordinate /= sum;
  result.log_sum = static_cast<double>(largest) / temperature + std::log(sum);
  if (probabilities != nullptr) {
    const auto scale = static_cast<Value>(1.0 / sum);
    for (std::size_t i = 0; i < logits.size(); ++i) probabilities[i] *= scale;
  }
  return result;
}

SoftReadout VeroneseSoftArgmax::read(Cells<const float> logits, double temperature) const {
  return read_rows<float>(logits, temperature, nullptr);
}

SoftReadout VeroneseSoftArgmax::read(Cells<const double> logits, double temperature) const {
  return read_rows<double>(logits, temperature, nullptr);
}

SoftReadout VeroneseSoftArgmax::read(Cells<const float> logits, double temperature,
                                     Cells<float> probabilities) const {
  assert(probabilities.shape() == shape_);
  return read_rows<float>(logits, temperature, probabilities.data());
}

void VeroneseSoftArgmax::backward(Cells<double> probabilities, double temperature,
                                  const LineEmbedding& barycentre,
                                  const LineEmbedding& grad) const {
  const double center = dot(grad, barycentre);
  for (int t = 0; t < shape_.rows(); ++t) {
    const Normal normal = normals_[static_cast<std::size_t>(t)];
    const RowGradient along(grad, normal.cosine, normal.sine);
    double* row = probabilities.row(t);
    for (std::size_t r = 0; r < rho_.size(); ++r)
      row[r] = row[r] * (along.at(rho_[r], weight_[r]) - center) / temperature;
  }
}

}  // namespace vsmax
