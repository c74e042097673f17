// SPDX-License-Identifier: Apache-2.0
#include "vsmax/base/cuda_launch.h"
#include "vsmax/geometry/leading_line_cuda.h"
#include "vsmax/geometry/symmetric_eigen.h"

namespace vsmax {
namespace {

constexpr std::int64_t kThreads = 128;
constexpr int kCoordinates = 6;

template <class Value>
__device__ SymmetricEigen<3> eigen_of(const Value* embedding) {
  VeroneseVector<3> v{};
  for (int i = 0; i < kCoordinates; ++i) v[i] = static_cast<double>(embedding[i]);
  return symmetric_eigen(symmetric_from_veronese<3>(v));
}

template <class Value>
__global__ void forward_kernel(const Value* embeddings, std::int64_t count, Value* lines) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const SymmetricEigen<3> eigen = eigen_of(embeddings + i * kCoordinates);
  for (int k = 0; k < 3; ++k) lines[i * 3 + k] = static_cast<Value>(eigen.leading()[k]);
}

template <class Value>
__global__ void backward_kernel(const Value* grads, const Value* embeddings, double guard,
                                std::int64_t count, Value* grad_embeddings) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= count) return;
  std::array<double, 3> grad{};
  for (int k = 0; k < 3; ++k) grad[k] = static_cast<double>(grads[i * 3 + k]);
  const VeroneseVector<3> pulled = veronese_from_symmetric<3>(
      leading_eigenvector_backward(eigen_of(embeddings + i * kCoordinates), grad, guard));
  for (int k = 0; k < kCoordinates; ++k)
    grad_embeddings[i * kCoordinates + k] = static_cast<Value>(pulled[k]);
}

}  // namespace

template <class Value>
cudaError_t leading_line_cuda(const Value* embeddings, std::int64_t count, Value* lines,
                              cudaStream_t stream) {
  return launch({blocks_for(count, kThreads), kThreads, stream}, forward_kernel<Value>, embeddings,
                count, lines);
}

template <class Value>
cudaError_t leading_line_backward_cuda(const Value* grads, const Value* embeddings, double guard,
                                       std::int64_t count, Value* grad_embeddings,
                                       cudaStream_t stream) {
  return launch({blocks_for(count, kThreads), kThreads, stream}, backward_kernel<Value>, grads,
                embeddings, guard, count, grad_embeddings);
}

template cudaError_t leading_line_cuda(const float*, std::int64_t, float*, cudaStream_t);
template cudaError_t leading_line_cuda(const double*, std::int64_t, double*, cudaStream_t);
template cudaError_t leading_line_backward_cuda(const float*, const float*, double, std::int64_t,
                                                float*, cudaStream_t);
template cudaError_t leading_line_backward_cuda(const double*, const double*, double, std::int64_t,
                                                double*, cudaStream_t);

}  // namespace vsmax
