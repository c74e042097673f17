// SPDX-License-Identifier: Apache-2.0
#include "vsmax/geometry/leading_line_cuda.h"

namespace vsmax {

namespace {

constexpr double kRoot2 = 1.41421356237309504880;

// values descending; vectors[k] belongs to values[k], its largest entry positive.
struct Eigen3 {
  double values[3];
  double vectors[3][3];
};

template <int P, int Q>
__device__ void rotate(double (&s)[3][3], double (&basis)[3][3]) {
  if (s[P][Q] == 0.0) return;
  const double tau = (s[Q][Q] - s[P][P]) / (2.0 * s[P][Q]);
  const double t = (tau >= 0.0 ? 1.0 : -1.0) / (fabs(tau) + sqrt(1.0 + tau * tau));
  const double c = 1.0 / sqrt(1.0 + t * t);
  const double d = t * c;
#pragma unroll
  for (int k = 0; k < 3; ++k) {
    const double a = s[k][P];
    const double b = s[k][Q];
    s[k][P] = c * a - d * b;
    s[k][Q] = d * a + c * b;
  }
#pragma unroll
  for (int k = 0; k < 3; ++k) {
    const double a = s[P][k];
    const double b = s[Q][k];
    s[P][k] = c * a - d * b;
    s[Q][k] = d * a + c * b;
    const double u = basis[P][k];
    const double v = basis[Q][k];
    basis[P][k] = c * u - d * v;
    basis[Q][k] = d * u + c * v;
  }
  s[P][Q] = 0.0;
  s[Q][P] = 0.0;
}

__device__ void order(Eigen3& eigen, int i, int j) {
  if (!(eigen.values[j] > eigen.values[i])) return;
  const double value = eigen.values[i];
  eigen.values[i] = eigen.values[j];
  eigen.values[j] = value;
  for (int k = 0; k < 3; ++k) {
    const double entry = eigen.vectors[i][k];
    eigen.vectors[i][k] = eigen.vectors[j][k];
    eigen.vectors[j][k] = entry;
  }
}

template <class Value>
__device__ Eigen3 eigen_of(const Value* v) {
  constexpr int kMaxSweeps = 16;  // ends an input with NaN; five do
  double s[3][3];
  double basis[3][3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
  for (int i = 0; i < 3; ++i) s[i][i] = static_cast<double>(v[i]);
  s[0][1] = s[1][0] = static_cast<double>(v[3]) / kRoot2;
  s[0][2] = s[2][0] = static_cast<double>(v[4]) / kRoot2;
  s[1][2] = s[2][1] = static_cast<double>(v[5]) / kRoot2;
  for (int sweep = 0; sweep < kMaxSweeps; ++sweep) {
    if (fabs(s[0][1]) + fabs(s[0][2]) + fabs(s[1][2]) == 0.0) break;
    rotate<0, 1>(s, basis);
    rotate<0, 2>(s, basis);
    rotate<1, 2>(s, basis);
  }
  Eigen3 eigen;
  for (int k = 0; k < 3; ++k) {
    eigen.values[k] = s[k][k];
    int largest = 0;
    for (int i = 1; i < 3; ++i)
      if (fabs(basis[k][i]) > fabs(basis[k][largest])) largest = i;
    const double sign = basis[k][largest] < 0.0 ? -1.0 : 1.0;
    for (int i = 0; i < 3; ++i) eigen.vectors[k][i] = sign * basis[k][i];
  }
  order(eigen, 0, 1);
  order(eigen, 1, 2);
  order(eigen, 0, 1);
  return eigen;
}

template <class Value>
__global__ void forward_kernel(const Value* embeddings, std::int64_t count, Value* lines) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const Eigen3 eigen = eigen_of(embeddings + i * 6);
  for (int k = 0; k < 3; ++k) lines[i * 3 + k] = static_cast<Value>(eigen.vectors[0][k]);
}

template <class Value>
__global__ void backward_kernel(const Value* grads, const Value* embeddings, double guard,
                                std::int64_t count, Value* grad_embeddings) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const Eigen3 eigen = eigen_of(embeddings + i * 6);
  double pulled[3] = {};
  for (int k = 1; k < 3; ++k) {
    const double gap = eigen.values[0] - eigen.values[k];
    double weight = 0.0;
    for (int m = 0; m < 3; ++m)
      weight += eigen.vectors[k][m] * static_cast<double>(grads[i * 3 + m]);
    weight *= gap / (gap * gap + guard * guard);
    for (int m = 0; m < 3; ++m) pulled[m] += weight * eigen.vectors[k][m];
  }
  const auto& u = eigen.vectors[0];
  Value* to = grad_embeddings + i * 6;
  for (int m = 0; m < 3; ++m) to[m] = static_cast<Value>(pulled[m] * u[m]);
  const auto across = [&](int p, int q) {
    return static_cast<Value>(kRoot2 * 0.5 * (pulled[p] * u[q] + u[p] * pulled[q]));
  };
  to[3] = across(0, 1);
  to[4] = across(0, 2);
  to[5] = across(1, 2);
}

constexpr int kThreads = 128;

unsigned blocks_for(std::int64_t count) {
  return static_cast<unsigned>((count + kThreads - 1) / kThreads);
}

}  // namespace

cudaError_t leading_line_cuda(const float* embeddings, std::int64_t count, float* lines,
                              cudaStream_t stream) {
  forward_kernel<<<blocks_for(count), kThreads, 0, stream>>>(embeddings, count, lines);
  return cudaGetLastError();
}

cudaError_t leading_line_cuda(const double* embeddings, std::int64_t count, double* lines,
                              cudaStream_t stream) {
  forward_kernel<<<blocks_for(count), kThreads, 0, stream>>>(embeddings, count, lines);
  return cudaGetLastError();
}

cudaError_t leading_line_backward_cuda(const float* grads, const float* embeddings, double guard,
                                       std::int64_t count, float* grad_embeddings,
                                       cudaStream_t stream) {
  backward_kernel<<<blocks_for(count), kThreads, 0, stream>>>(grads, embeddings, guard, count,
                                                              grad_embeddings);
  return cudaGetLastError();
}

cudaError_t leading_line_backward_cuda(const double* grads, const double* embeddings, double guard,
                                       std::int64_t count, double* grad_embeddings,
                                       cudaStream_t stream) {
  backward_kernel<<<blocks_for(count), kThreads, 0, stream>>>(grads, embeddings, guard, count,
                                                              grad_embeddings);
  return cudaGetLastError();
}

}  // namespace vsmax
