// SPDX-License-Identifier: Apache-2.0
#include "vsmax/base/cuda_launch.h"
#include "vsmax/readout/concentration.h"
#include "vsmax/readout/concentration_cuda.h"

namespace vsmax {
namespace {

constexpr std::int64_t kThreads = 32;  // spreads even a small batch over the multiprocessors

template <class Value>
__global__ void kernel(CellShape shape, double temperature, const Value* logits,
                       const double* log_sums, const Value* barycentres, const Value* lines,
                       std::int64_t batch, Value* results) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (i >= batch) return;
  const UnitLine line{static_cast<double>(lines[2 * i]), static_cast<double>(lines[2 * i + 1])};
  const Value* cells = logits + static_cast<std::size_t>(i) * shape.count();
  results[i] = static_cast<Value>(
      softmax_concentration(shape, cells, temperature, log_sums[i], barycentres + 6 * i, line));
}

}  // namespace

template <class Value>
cudaError_t concentration_cuda(const CellShape& shape, double temperature, const Value* logits,
                               const double* log_sums, const Value* barycentres, const Value* lines,
                               std::int64_t batch, Value* results, cudaStream_t stream) {
  return launch({blocks_for(batch, kThreads), kThreads, stream}, kernel<Value>, shape, temperature,
                logits, log_sums, barycentres, lines, batch, results);
}

template cudaError_t concentration_cuda(const CellShape&, double, const float*, const double*,
                                        const float*, const float*, std::int64_t, float*,
                                        cudaStream_t);
template cudaError_t concentration_cuda(const CellShape&, double, const double*, const double*,
                                        const double*, const double*, std::int64_t, double*,
                                        cudaStream_t);

}  // namespace vsmax
