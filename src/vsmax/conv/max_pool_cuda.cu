// SPDX-License-Identifier: Apache-2.0
// A block processes one row, of the output or in the backward pass of the input, and a thread 16
// bytes of channels at a time if their number and the addresses allow it.
#include "vsmax/base/cuda_launch.h"
#include "vsmax/conv/max_pool_cuda.h"

namespace vsmax {
namespace {

constexpr int kThreads = 256;

__device__ float widen(float x) { return x; }
__device__ float widen(__nv_bfloat16 x) { return __bfloat162float(x); }
template <class Value>
__device__ Value narrow(float x) {
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

template <class Value, int Size>
__global__ void __launch_bounds__(kThreads)
    forward_kernel(PoolShape shape, const Packet<Value, Size>* input, Packet<Value, Size>* output,
                   Packet<std::uint8_t, Size>* places) {
  const int packets = shape.channels / Size;
  const std::int64_t image = blockIdx.x / shape.pooled_rows();
  const int top = 2 * static_cast<int>(blockIdx.x % shape.pooled_rows()) - 1;
  const std::int64_t out = std::int64_t{blockIdx.x} * shape.pooled_columns() * packets;
  for (int i = static_cast<int>(threadIdx.x); i < shape.pooled_columns() * packets; i += kThreads) {
    const int left = 2 * (i / packets) - 1;
    Packet<Value, Size> best{};
    Packet<std::uint8_t, Size> place{};
    bool first = true;
    for (int row = max(top, 0); row < min(top + 3, shape.rows); ++row)
      for (int column = max(left, 0); column < min(left + 3, shape.columns); ++column) {
        const Packet<Value, Size> x =
            input[((image * shape.rows + row) * shape.columns + column) * packets + i % packets];
        const auto here = static_cast<std::uint8_t>(3 * (row - top) + column - left);
#pragma unroll
        for (int k = 0; k < Size; ++k) {
          const float value = widen(x.value[k]);
          if (!first && !(value > widen(best.value[k])) && value == value) continue;
          best.value[k] = x.value[k];
          place.value[k] = here;
        }
        first = false;
      }
    output[out + i] = best;
    places[out + i] = place;
  }
}

template <class Value, int Size>
__global__ void __launch_bounds__(kThreads)
    backward_kernel(PoolShape shape, const Packet<Value, Size>* grad,
                    const Packet<std::uint8_t, Size>* places, Packet<Value, Size>* grad_input) {
  const int packets = shape.channels / Size;
  const std::int64_t image = blockIdx.x / shape.rows;
  const int y = static_cast<int>(blockIdx.x % shape.rows);
  const std::int64_t in = std::int64_t{blockIdx.x} * shape.columns * packets;
  for (int i = static_cast<int>(threadIdx.x); i < shape.columns * packets; i += kThreads) {
    const int x = i / packets;
    float sum[Size] = {};
    // An even row lies in one row of windows, an odd one in two; so do columns.
    for (int row = y / 2; row <= min((y + 1) / 2, shape.pooled_rows() - 1); ++row)
      for (int column = x / 2; column <= min((x + 1) / 2, shape.pooled_columns() - 1); ++column) {
        const std::int64_t window =
            ((image * shape.pooled_rows() + row) * shape.pooled_columns() + column) * packets +
            i % packets;
        const Packet<Value, Size> pull = grad[window];
        const Packet<std::uint8_t, Size> place = places[window];
        const int here = 3 * (y - 2 * row + 1) + x - 2 * column + 1;
#pragma unroll
        for (int k = 0; k < Size; ++k)
          if (place.value[k] == here) sum[k] += widen(pull.value[k]);
      }
    Packet<Value, Size> result;
#pragma unroll
    for (int k = 0; k < Size; ++k) result.value[k] = narrow<Value>(sum[k]);
    grad_input[in + i] = result;
  }
}

template <class Value>
constexpr int kPacket = 16 / static_cast<int>(sizeof(Value));

template <class Value, class... Pointers>
bool fits_packets(const PoolShape& shape, const Pointers*... pointers) {
  return shape.channels % kPacket<Value> == 0 &&
         ((reinterpret_cast<std::uintptr_t>(pointers) % 16 == 0) && ...);
}

template <class Value, int Size>
cudaError_t launch_forward(const PoolShape& shape, const Value* input, Value* output,
                           std::uint8_t* places, cudaStream_t stream) {
  using P = Packet<Value, Size>;
  const auto blocks = static_cast<unsigned>(shape.batch * shape.pooled_rows());
  if (blocks == 0) return cudaSuccess;
  return launch({blocks, kThreads, stream}, forward_kernel<Value, Size>, shape,
                reinterpret_cast<const P*>(input), reinterpret_cast<P*>(output),
                reinterpret_cast<Packet<std::uint8_t, Size>*>(places));
}

template <class Value, int Size>
cudaError_t launch_backward(const PoolShape& shape, const Value* grad, const std::uint8_t* places,
                            Value* grad_input, cudaStream_t stream) {
  using P = Packet<Value, Size>;
  const auto blocks = static_cast<unsigned>(shape.batch * shape.rows);
  if (blocks == 0) return cudaSuccess;
  return launch({blocks, kThreads, stream}, backward_kernel<Value, Size>, shape,
                reinterpret_cast<const P*>(grad),
                reinterpret_cast<const Packet<std::uint8_t, Size>*>(places),
                reinterpret_cast<P*>(grad_input));
}

}  // namespace

template <class Value>
cudaError_t max_pool_cuda(const PoolShape& shape, const Value* input, Value* output,
                          std::uint8_t* places, cudaStream_t stream) {
  return fits_packets<Value>(shape, input, output, places)
             ? launch_forward<Value, kPacket<Value>>(shape, input, output, places, stream)
             : launch_forward<Value, 1>(shape, input, output, places, stream);
}

template <class Value>
cudaError_t max_pool_backward_cuda(const PoolShape& shape, const Value* grad,
                                   const std::uint8_t* places, Value* grad_input,
                                   cudaStream_t stream) {
  return fits_packets<Value>(shape, grad, places, grad_input)
             ? launch_backward<Value, kPacket<Value>>(shape, grad, places, grad_input, stream)
             : launch_backward<Value, 1>(shape, grad, places, grad_input, stream);
}

template cudaError_t max_pool_cuda(const PoolShape&, const __nv_bfloat16*, __nv_bfloat16*,
                                   std::uint8_t*, cudaStream_t);
template cudaError_t max_pool_cuda(const PoolShape&, const float*, float*, std::uint8_t*,
                                   cudaStream_t);
template cudaError_t max_pool_backward_cuda(const PoolShape&, const __nv_bfloat16*,
                                            const std::uint8_t*, __nv_bfloat16*, cudaStream_t);
template cudaError_t max_pool_backward_cuda(const PoolShape&, const float*, const std::uint8_t*,
                                            float*, cudaStream_t);

}  // namespace vsmax
