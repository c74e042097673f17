// SPDX-License-Identifier: Apache-2.0
// A block processes one row of theta (several in turn in the backward pass), a thread 16 bytes of
// channels at a time if their number and the addresses allow it.
#include <algorithm>

#include "vsmax/base/cuda_launch.h"
#include "vsmax/geometry/cover.h"
#include "vsmax/refine/seam_relu_cuda.h"

namespace vsmax {
namespace {

constexpr int kThreads = 256;
constexpr int kMostBlocks = 1056;  // fixed, so that sums do not depend on the device

template <class Value>
__device__ Wide<Value> widen(Value x) {
  return x;
}
template <>
__device__ float widen<__nv_bfloat16>(__nv_bfloat16 x) {
  return __bfloat162float(x);
}
template <class Value>
__device__ Value narrow(Wide<Value> x) {
  return x;
}
template <>
__device__ __nv_bfloat16 narrow<__nv_bfloat16>(float x) {
  return __float2bfloat16_rn(x);
}

template <class Value, int Size>
struct alignas(sizeof(Value) * Size) Packet {
  Value value[Size];
};

// The position of packet i of a row that is read from past the seam.
__device__ int seam_packet(const SeamShape& shape, int packets, int i) {
  if (!shape.moebius) return i;
  const int r = i / packets;
  return (shape.rhos - 1 - r) * packets + (i - r * packets);
}

template <class Value, int Size>
__global__ void __launch_bounds__(kThreads)
    forward_kernel(SeamShape shape, const Packet<Value, Size>* input, const Wide<Value>* bias,
                   Packet<Value, Size>* output) {
  const int packets = shape.channels / Size;
  const int row_packets = shape.rhos * packets;
  const std::int64_t out_row = blockIdx.x;
  const std::int64_t image = out_row / (shape.rows + 2);
  const int t = static_cast<int>(out_row - image * (shape.rows + 2)) - 1;
  const SeamRow source =
      row_across_seam(shape.moebius ? Cover::kSingle : Cover::kDouble, shape.rows, t);
  const Packet<Value, Size>* from = input + (image * shape.rows + source.row) * row_packets;
  Packet<Value, Size>* to = output + out_row * row_packets;
  for (int i = static_cast<int>(threadIdx.x); i < row_packets; i += kThreads) {
    Packet<Value, Size> x = from[source.flipped ? seam_packet(shape, packets, i) : i];
    const Wide<Value>* add = bias + i % packets * Size;
#pragma unroll
    for (int k = 0; k < Size; ++k) {
      const Wide<Value> sum = widen(x.value[k]) + add[k];
      x.value[k] = narrow<Value>(sum > 0 ? sum : (sum == sum ? Wide<Value>(0) : sum));
    }
    to[i] = x;
  }
}

// A thread always handles the same channels, so that it can add up the gradients of their biases;
// `threads` is a multiple of the packets per cell.
template <class Value, int Size>
__global__ void __launch_bounds__(kThreads)
    backward_kernel(SeamShape shape, int threads, const Packet<Value, Size>* grad,
                    const Packet<Value, Size>* output, Packet<Value, Size>* grad_input,
                    Wide<Value>* partial) {
  __shared__ Wide<Value> block_sums[kThreads][Size];
  const int packets = shape.channels / Size;
  const int row_packets = shape.rhos * packets;
  Wide<Value> sums[Size] = {};
  for (std::int64_t row = blockIdx.x; row < shape.batch * shape.rows; row += gridDim.x) {
    const std::int64_t image = row / shape.rows;
    const int t = static_cast<int>(row - image * shape.rows);
    const std::int64_t padded = image * (shape.rows + 2);
    for (int i = static_cast<int>(threadIdx.x); i < row_packets; i += threads) {
      const std::int64_t here = (padded + t + 1) * row_packets + i;
      const Packet<Value, Size> pull = grad[here];
      const Packet<Value, Size> value = output[here];
      Wide<Value> g[Size];
#pragma unroll
      for (int k = 0; k < Size; ++k) g[k] = widen(pull.value[k]);
      const auto fold = [&](int padded_row) {
        const Packet<Value, Size> more =
            grad[(padded + padded_row) * row_packets + seam_packet(shape, packets, i)];
#pragma unroll
        for (int k = 0; k < Size; ++k) g[k] += widen(more.value[k]);
      };
      if (t == shape.rows - 1) fold(0);
      if (t == 0) fold(shape.rows + 1);
      Packet<Value, Size> result;
#pragma unroll
      for (int k = 0; k < Size; ++k) {
        g[k] = widen(value.value[k]) > 0 ? g[k] : Wide<Value>(0);
        sums[k] += g[k];
        result.value[k] = narrow<Value>(g[k]);
      }
      grad_input[row * row_packets + i] = result;
    }
  }
#pragma unroll
  for (int k = 0; k < Size; ++k) block_sums[threadIdx.x][k] = sums[k];
  __syncthreads();
  for (int c = static_cast<int>(threadIdx.x); c < shape.channels; c += threads) {
    Wide<Value> sum = 0;
    for (int i = c / Size; i < threads; i += packets) sum += block_sums[i][c % Size];
    partial[static_cast<std::int64_t>(blockIdx.x) * shape.channels + c] = sum;
  }
}

constexpr int kSumSlices = 32;

// grad_bias[c] = the sum of partial[.][c], one warp per channel.
template <class Sum>
__global__ void bias_kernel(int channels, int count, const Sum* partial, Sum* grad_bias) {
  const int c = static_cast<int>(blockIdx.x);
  Sum sum = 0;
  for (int i = static_cast<int>(threadIdx.x); i < count; i += kSumSlices)
    sum += partial[static_cast<std::int64_t>(i) * channels + c];
  for (int step = kSumSlices / 2; step > 0; step /= 2)
    sum += __shfl_xor_sync(0xFFFFFFFFU, sum, step);
  if (threadIdx.x == 0) grad_bias[c] = sum;
}

template <class Value, int Size>
cudaError_t launch_forward(const SeamShape& shape, const Value* input, const Wide<Value>* bias,
                           Value* output, cudaStream_t stream) {
  using P = Packet<Value, Size>;
  const auto blocks = static_cast<unsigned>(shape.batch * (shape.rows + 2));
  return launch({blocks, kThreads, stream}, forward_kernel<Value, Size>, shape,
                reinterpret_cast<const P*>(input), bias, reinterpret_cast<P*>(output));
}

template <class Value, int Size>
cudaError_t launch_backward(const SeamShape& shape, const Value* grad, const Value* output,
                            Value* grad_input, Wide<Value>* grad_bias, Wide<Value>* partial,
                            cudaStream_t stream) {
  using P = Packet<Value, Size>;
  const int packets = shape.channels / Size;
  if (packets > kThreads) return cudaErrorInvalidValue;
  const int threads = kThreads / packets * packets;
  const int blocks = seam_relu_partial_sums(shape);
  const cudaError_t status =
      launch({static_cast<unsigned>(blocks), static_cast<unsigned>(threads), stream},
             backward_kernel<Value, Size>, shape, threads, reinterpret_cast<const P*>(grad),
             reinterpret_cast<const P*>(output), reinterpret_cast<P*>(grad_input), partial);
  if (status != cudaSuccess) return status;
  return launch({static_cast<unsigned>(shape.channels), kSumSlices, stream},
                bias_kernel<Wide<Value>>, shape.channels, blocks, partial, grad_bias);
}

template <class Value>
constexpr int kPacket = 16 / static_cast<int>(sizeof(Value));

template <class Value, class... Pointers>
bool fits_packets(const SeamShape& shape, const Pointers*... pointers) {
  return shape.channels % kPacket<Value> == 0 &&
         ((reinterpret_cast<std::uintptr_t>(pointers) % 16 == 0) && ...);
}

}  // namespace

int seam_relu_partial_sums(const SeamShape& shape) {
  return static_cast<int>(std::min<std::int64_t>(shape.batch * shape.rows, kMostBlocks));
}

template <class Value>
cudaError_t seam_relu_cuda(const SeamShape& shape, const Value* input, const Wide<Value>* bias,
                           Value* output, cudaStream_t stream) {
  return fits_packets<Value>(shape, input, output)
             ? launch_forward<Value, kPacket<Value>>(shape, input, bias, output, stream)
             : launch_forward<Value, 1>(shape, input, bias, output, stream);
}

template <class Value>
cudaError_t seam_relu_backward_cuda(const SeamShape& shape, const Value* grad, const Value* output,
                                    Value* grad_input, Wide<Value>* grad_bias, Wide<Value>* partial,
                                    cudaStream_t stream) {
  return fits_packets<Value>(shape, grad, output, grad_input)
             ? launch_backward<Value, kPacket<Value>>(shape, grad, output, grad_input, grad_bias,
                                                      partial, stream)
             : launch_backward<Value, 1>(shape, grad, output, grad_input, grad_bias, partial,
                                         stream);
}

template cudaError_t seam_relu_cuda(const SeamShape&, const __nv_bfloat16*, const float*,
                                    __nv_bfloat16*, cudaStream_t);
template cudaError_t seam_relu_cuda(const SeamShape&, const float*, const float*, float*,
                                    cudaStream_t);
template cudaError_t seam_relu_cuda(const SeamShape&, const double*, const double*, double*,
                                    cudaStream_t);
template cudaError_t seam_relu_backward_cuda(const SeamShape&, const __nv_bfloat16*,
                                             const __nv_bfloat16*, __nv_bfloat16*, float*, float*,
                                             cudaStream_t);
template cudaError_t seam_relu_backward_cuda(const SeamShape&, const float*, const float*, float*,
                                             float*, float*, cudaStream_t);
template cudaError_t seam_relu_backward_cuda(const SeamShape&, const double*, const double*,
                                             double*, double*, double*, cudaStream_t);

}  // namespace vsmax
