// SPDX-License-Identifier: Apache-2.0
#include <cuda_bf16.h>

#include <algorithm>

#include "vsmax/conv/conv_layer.h"
#include "vsmax/refine/refine_first_layer.h"
#include "vsmax/refine/refine_net_cuda.h"
#include "vsmax/refine/refine_net_packing.h"
#include "vsmax/refine/refine_net_tiles.h"

namespace vsmax {
namespace {

using namespace refine_net;

// The positive parts of a lane's 8 channels: of cell g or, if k = 1, of cell g + 8.
__device__ uint4 positive_features(const float (&sums)[kMiddleTiles][4], int k) {
  return {positive_bfloat16s(sums[0][2 * k], sums[0][2 * k + 1]),
          positive_bfloat16s(sums[1][2 * k], sums[1][2 * k + 1]),
          positive_bfloat16s(sums[2][2 * k], sums[2][2 * k + 1]),
          positive_bfloat16s(sums[3][2 * k], sums[3][2 * k + 1])};
}

// Writes the positive parts of 16 cells of 32 channels.
struct StoreFeatures {
  const Batch& batch;
  uint4* output;

  __device__ void operator()(const Column& column, int t,
                             const float (&sums)[kMiddleTiles][4]) const {
    const int lane = static_cast<int>(threadIdx.x % kWarp);
#pragma unroll
    for (int k = 0; k < 2; ++k) {
      const int r = column.r + lane / 4 + 8 * k;
      if (r < batch.shape.rhos)
        output[packet_index(batch, column.image, {t, r}) + lane % 4] = positive_features(sums, k);
    }
  }
};

template <bool Keep>
__global__ void __launch_bounds__(kThreads, 1)
    first_layers_kernel(Batch batch, const float* accumulators, float scale,
                        const float* first_values, const std::uint32_t* fragments,
                        const float* biases, uint4* kept, uint4* output) {
  wait_for_previous();  // which may have written the weights, too
  let_next_start();
  __shared__ float bias[kChannels];
  __shared__ unsigned windows[kWarps][FirstLayerRows<Keep>::kWindow];
  __shared__ uint4 first[FirstWeights::kPackets];
  copy_to_shared(bias, biases);
  if (threadIdx.x < kWarp) FirstWeights::store(first_values, first);
  __syncthreads();
  const LaneWeights<kMiddleTiles> weights(fragments);
  FirstLayerRows<Keep> rows(batch, accumulators, scale, first, windows[threadIdx.x / kWarp],
                            ring_of_warp(FirstLayerRows<Keep>::kStages), kept);
  for_each_column(batch, [&](const Column& column) {
    convolve(column, weights, bias + threadIdx.x % 4 * 8, rows, StoreFeatures{batch, output});
  });
}

__global__ void __launch_bounds__(kThreads, 1)
    middle_layer_kernel(Batch batch, const uint4* input, const std::uint32_t* fragments,
                        const float* biases, uint4* output) {
  __shared__ float bias[kChannels];
  copy_to_shared(bias, biases);
  __syncthreads();
  const LaneWeights<kMiddleTiles> weights(fragments);
  CopiedRows rows(batch, input, ring_of_warp(CopiedRows::kStages));
  wait_for_previous();
  let_next_start();
  for_each_column(batch, [&](const Column& column) {
    convolve(column, weights, bias + threadIdx.x % 4 * 8, rows, StoreFeatures{batch, output});
  });
}

__global__ void __launch_bounds__(kThreads, 2)
    last_layer_kernel(Batch batch, const uint4* input, const std::uint32_t* fragments,
                      const float* biases, float* logits) {
  __shared__ float bias[2];
  if (threadIdx.x < 2) bias[threadIdx.x] = *biases;
  __syncthreads();
  const LaneWeights<kLastTiles> weights(fragments);
  CopiedRows rows(batch, input, ring_of_warp(CopiedRows::kStages));
  wait_for_previous();
  let_next_start();
  for_each_column(batch, [&](const Column& column) {
    convolve(column, weights, static_cast<const float*>(bias), rows, StoreLogits{batch, logits});
  });
}

// The last two layers fused, on the double cover only. Logits need the previous layer's rows on
// either side, and on the single cover a block would have to compute those past the seam with
// flipped weights. A block covers 128 rhos; what a cell contributes to the logits of its three
// neighbours along rho goes through shared memory.
struct WideTiles {
  static constexpr int kWidth = kWarps * kStrip;
  static constexpr int kStep = kWidth - 2;  // the cells at a tile's edges lack a neighbour

  const CellShape& shape;

  VSMAX_HOST_DEVICE int count() const {
    return 1 + (shape.rhos <= kWidth ? 0 : (shape.rhos - kWidth + kStep - 1) / kStep);
  }
  // Whether the logit of a tile's cell x is complete.
  VSMAX_HOST_DEVICE bool complete(int tile, int x) const {
    const int r = tile * kStep + x;
    return r < shape.rhos && (x > 0 || r == 0) && (x < kWidth - 1 || r == shape.rhos - 1);
  }
};

constexpr int kGroup = 8;                      // rows of logits between two barriers
constexpr int kPlane = WideTiles::kWidth + 8;  // a warp's three planes in different banks
constexpr int kGroupFloats = kGroup * 3 * kPlane;
constexpr int kTapFragments = 2 * 2 * kWarp;  // halves x tiles x lanes, of two registers each

// Adds the last layer along theta for one warp's cells, row by row. Columns 2c and 2c+1 of tile i
// are the taps 2i and 2i+1 along theta at tap c along rho.
class LastLayer {
 public:
  // Adds row t. `complete` is what cells g and g + 8 contribute, all taps of theta together, to the
  // logits of row t - 1 through tap c along rho. `inside` says which of the two cells exist.
  __device__ void add_row(const float (&sums)[kMiddleTiles][4], const bool (&inside)[2],
                          const uint2* taps, float (&complete)[2]) {
    float products[2][4] = {};
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      // The lanes hold the result of one product just as the next one needs its left factor.
      unsigned cells[4];
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const float(&pair)[4] = sums[2 * half + i / 2];
        cells[i] = inside[i % 2] ? positive_bfloat16s(pair[i % 2 * 2], pair[i % 2 * 2 + 1]) : 0U;
      }
#pragma unroll
      for (int tile = 0; tile < 2; ++tile) {
        const uint2 pair = taps[(half * 2 + tile) * kWarp];
        multiply_add(products[tile], cells, {pair.x, pair.y});
      }
    }
#pragma unroll
    for (int k = 0; k < 2; ++k) {
      complete[k] = last_[k] + products[1][2 * k];
      last_[k] = this_[k] + products[0][2 * k + 1];
      this_[k] = products[0][2 * k];
    }
  }

 private:
  float last_[2]{};  // partial sums of row t - 1 for the next add_row
  float this_[2]{};  // and of row t
};

// With Keep, the features between the two layers are written as well.
template <bool Keep>
__global__ void __launch_bounds__(kThreads, 1)
    last_layers_kernel(Batch batch, const uint4* input, const std::uint32_t* fragments,
                       const float* biases, const std::uint32_t* tap_fragments,
                       const float* last_bias, uint4* kept, float* logits) {
  __shared__ float bias[kChannels];
  __shared__ uint2 taps[kTapFragments];
  copy_to_shared(bias, biases);
  if (threadIdx.x < kTapFragments)
    taps[threadIdx.x] = reinterpret_cast<const uint2*>(tap_fragments)[threadIdx.x];
  __syncthreads();
  const LaneWeights<kMiddleTiles> weights(fragments);
  CopiedRows rows(batch, input, ring_of_warp(CopiedRows::kStages));
  // A double buffer: one group is written while the other is read.
  auto* planes = reinterpret_cast<float*>(dynamic_shared<std::byte>() +
                                          kWarps * CopiedRows::kStages * kRowBytes);
  const WideTiles tiles{batch.shape};
  const int lane = static_cast<int>(threadIdx.x % kWarp);

  wait_for_previous();
  let_next_start();
  for_each_share(
      batch.images * tiles.count(), batch.shape.rows(), blockIdx.x, gridDim.x,
      [&](std::int64_t wide_column, int begin, int end) {
        const std::int64_t image = wide_column / tiles.count();
        const int tile = static_cast<int>(wide_column - image * tiles.count());
        const int x = static_cast<int>(threadIdx.x / kWarp) * kStrip;
        const Column column{image, tile * WideTiles::kStep + x, begin - 1, end + 1};
        LastLayer last;
        __syncthreads();
        convolve(
            column, weights, bias + lane % 4 * 8, rows,
            [&](const Column&, int t, const float(&sums)[kMiddleTiles][4]) {
              const int r = column.r + lane / 4;
              float complete[2];
              last.add_row(sums, {r < batch.shape.rhos, r + 8 < batch.shape.rhos}, taps + lane,
                           complete);
              if constexpr (Keep) {
                const bool own = t >= begin && t < end;
#pragma unroll
                for (int k = 0; k < 2; ++k)
                  if (own && tiles.complete(tile, x + lane / 4 + 8 * k))
                    kept[packet_index(batch, image, {t, r + 8 * k}) + lane % 4] =
                        positive_features(sums, k);
              }
              const int row = t - 1 - begin;
              if (row < 0) return;
              float* group = planes + row / kGroup % 2 * kGroupFloats;
              if (lane % 4 < 3) {
                float* plane = group + (row % kGroup * 3 + lane % 4) * kPlane + x + lane / 4;
                plane[0] = complete[0];
                plane[8] = complete[1];
              }
              if (row % kGroup != kGroup - 1 && t != end) return;
              __syncthreads();
              for (int i = static_cast<int>(threadIdx.x);
                   i < (row % kGroup + 1) * WideTiles::kWidth; i += kThreads) {
                const int in_group = i / WideTiles::kWidth;
                const int in_row = i % WideTiles::kWidth;
                if (!tiles.complete(tile, in_row)) continue;
                const float* near = group + in_group * 3 * kPlane + in_row;
                float logit = __ldg(last_bias) + near[kPlane];
                if (in_row > 0) logit += near[-1];
                if (in_row < WideTiles::kWidth - 1) logit += near[2 * kPlane + 1];
                const Cell cell{t - 1 - row % kGroup + in_group, tile * WideTiles::kStep + in_row};
                logits[image * batch.shape.count() + batch.shape.index(cell)] = logit;
              }
            });
      });
}

// A layer by its definition, in float, with one thread per cell and output. If Inputs is 1, the
// input is the accumulator on the single cover, multiplied by `scale`.
template <int Inputs, int Outputs>
__global__ void __launch_bounds__(kThreads)
    plain_layer_kernel(Batch batch, const float* input, float scale, const float* weights,
                       const float* biases, float* output) {
  const auto cells = static_cast<std::int64_t>(batch.shape.count());
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (i >= batch.images * cells * Outputs) return;
  const int o = static_cast<int>(i % Outputs);
  const std::int64_t image = i / Outputs / cells;
  const int cell = static_cast<int>(i / Outputs - image * cells);
  const auto [thetas, rhos, cover] = batch.shape;
  const Cell middle{cell / rhos, cell % rhos};
  float sum = biases[o];
  for (int tap = 0; tap < kTaps; ++tap) {
    Cell near{middle.t + tap / 3 - 1, middle.r + tap % 3 - 1};
    if (near.r < 0 || near.r >= rhos) continue;
    near = batch.shape.across_seam(near);
    const float* w = weights + tap * Inputs * Outputs + o;
    if (Inputs == 1) {
      if (near.t >= thetas) near = {near.t - thetas, rhos - 1 - near.r};
      sum += w[0] * (scale * input[image * thetas * rhos + near.t * rhos + near.r]);
    } else {
      const float* x = input + (image * cells + near.t * rhos + near.r) * Inputs;
      for (int c = 0; c < Inputs; ++c) sum += w[c * Outputs] * x[c];
    }
  }
  output[i] = Outputs > 1 && sum < 0.0F ? 0.0F : sum;
}

// Images that go through the layers together, which bounds the scratch memory.
constexpr std::int64_t kImagesAtOnce = 64;

std::size_t map_bytes(RefinePrecision precision, const CellShape& shape, std::int64_t batch) {
  return static_cast<std::size_t>(std::min(batch, kImagesAtOnce)) * shape.count() * kChannels *
         (precision == RefinePrecision::kFloat ? sizeof(float) : sizeof(__nv_bfloat16));
}

struct Network {
  const RefineWeightsOnDevice& weights;
  Batch batch;
  const float* accumulators;
  float scale;
  void* maps[kLayers - 1];  // the outputs of all layers but the last
  float* logits;
  cudaStream_t stream;

  const float* values(int layer) const { return weights.values + values_of(layer); }
  const float* biases(int layer) const { return weights.values + biases_of(layer); }
  const std::uint32_t* fragments(int layer) const {
    return weights.fragments + fragments_of(layer);
  }

  // With Keep, for training, all maps are written and no two of them may share memory. Batches are
  // then large, and starting early would save next to nothing.
  template <bool Keep>
  cudaError_t on_tensor_cores() const {
    constexpr std::size_t kRing = kWarps * CopiedRows::kStages * kRowBytes;
    constexpr Start kStart = Keep ? Start::kAfterPrevious : Start::kEarly;
    const std::int64_t rows = batch.images * batch.shape.rows();
    const std::int64_t strip_rows = rows * batch.strips();
    const auto map = [&](int layer) { return static_cast<uint4*>(maps[layer]); };
    if (const auto status = launch_shares(
            stream,
            {strip_rows, kWarps, 1, kWarps * FirstLayerRows<Keep>::kStages * kRowBytes, kStart},
            first_layers_kernel<Keep>, batch, accumulators, scale, values(0), fragments(1),
            biases(1), map(0), map(1));
        status != cudaSuccess)
      return status;
    const bool together = batch.shape.cover == Cover::kDouble;
    for (int layer = 2; layer < (together ? 4 : 5); ++layer)
      if (const auto status =
              launch_shares(stream, {strip_rows, kWarps, 1, kRing, kStart}, middle_layer_kernel,
                            batch, map(layer - 1), fragments(layer), biases(layer), map(layer));
          status != cudaSuccess)
        return status;
    if (!together)
      return launch_shares(stream, {strip_rows, kWarps, 2, kRing, kStart}, last_layer_kernel, batch,
                           map(4), fragments(5), biases(5), logits);
    return launch_shares(stream,
                         {rows * WideTiles{batch.shape}.count(), 1, 1,
                          kRing + 2 * kGroupFloats * sizeof(float), kStart},
                         last_layers_kernel<Keep>, batch, map(3), fragments(4), biases(4),
                         weights.fragments + kTapFragmentsAt, biases(5), map(4), logits);
  }

  template <int Inputs, int Outputs>
  cudaError_t plain_layer(int layer, const void* input, void* output) const {
    const std::int64_t threads =
        batch.images * static_cast<std::int64_t>(batch.shape.count()) * Outputs;
    return launch({blocks_for<std::int64_t>(threads, kThreads), kThreads, stream},
                  plain_layer_kernel<Inputs, Outputs>, batch, static_cast<const float*>(input),
                  scale, values(layer), biases(layer), static_cast<float*>(output));
  }

  cudaError_t plain() const {
    if (const auto status = plain_layer<1, kChannels>(0, accumulators, maps[0]);
        status != cudaSuccess)
      return status;
    for (int layer = 1; layer < kLayers - 1; ++layer)
      if (const auto status =
              plain_layer<kChannels, kChannels>(layer, maps[layer - 1], maps[layer]);
          status != cudaSuccess)
        return status;
    return plain_layer<kChannels, 1>(kLayers - 1, maps[kLayers - 2], logits);
  }
};

std::uint32_t bfloat16_bits(float value) {
  const __nv_bfloat16 rounded = __float2bfloat16_rn(value);
  std::uint16_t bits;
  static_assert(sizeof(bits) == sizeof(rounded));
  std::copy_n(reinterpret_cast<const char*>(&rounded), sizeof(bits),
              reinterpret_cast<char*>(&bits));
  return bits;
}

}  // namespace

RefineWeights::RefineWeights(std::span<const ConvLayer> layers) {
  for (int l = 0; l < kLayers; ++l) {
    const ConvLayer& layer = layers[static_cast<std::size_t>(l)];
    const auto weight = [&](int tap, int input, int output) {
      return layer.weights[(static_cast<std::size_t>(output) * layer.inputs + input) * kTaps + tap];
    };
    const int inputs = static_cast<int>(layer.inputs);
    const int outputs = static_cast<int>(layer.outputs);
    for (int tap = 0; tap < kTaps; ++tap)
      for (int i = 0; i < inputs; ++i)
        for (int o = 0; o < outputs; ++o) values.push_back(weight(tap, i, o));
    values.insert(values.end(), layer.biases.begin(), layer.biases.end());
  }
  for (int i = 0; i < kFragments; ++i) {
    const FragmentSource source = fragment_source(i);
    const auto& weights = layers[static_cast<std::size_t>(source.layer)].weights;
    const auto bits = [&](int index) {
      return index < 0 ? 0U : bfloat16_bits(weights[static_cast<std::size_t>(index)]);
    };
    fragments.push_back(bits(source.first) | bits(source.second) << 16);
  }
}

std::size_t refine_net_cuda_scratch_bytes(RefinePrecision precision, const CellShape& shape,
                                          std::int64_t batch) {
  return 2 * map_bytes(precision, shape, batch);
}

cudaError_t refine_net_cuda(RefinePrecision precision, const RefineWeightsOnDevice& weights,
                            const CellShape& shape, const float* accumulators, float scale,
                            std::int64_t batch, void* scratch, float* logits, cudaStream_t stream) {
  auto* const maps = static_cast<std::byte*>(scratch);
  const std::size_t bytes = map_bytes(precision, shape, batch);
  for (std::int64_t first = 0; first < batch; first += kImagesAtOnce) {
    const Network network{
        weights,
        {shape, std::min(batch - first, kImagesAtOnce)},
        accumulators + first * static_cast<std::int64_t>(shape.on(Cover::kSingle).count()),
        scale,
        {maps, maps + bytes, maps, maps + bytes, maps},
        logits + first * static_cast<std::int64_t>(shape.count()),
        stream};
    const auto status =
        precision == RefinePrecision::kFloat ? network.plain() : network.on_tensor_cores<false>();
    if (status != cudaSuccess) return status;
  }
  return cudaSuccess;
}

std::size_t refine_net_maps_bytes(const CellShape& shape, std::int64_t batch) {
  return (kLayers - 1) * static_cast<std::size_t>(batch) * shape.count() * kCellBytes;
}

cudaError_t refine_net_with_maps_cuda(const RefineWeightsOnDevice& weights, const CellShape& shape,
                                      const float* accumulators, float scale, std::int64_t batch,
                                      void* maps, float* logits, cudaStream_t stream) {
  Network network{weights, {shape, batch}, accumulators, scale, {}, logits, stream};
  for (int layer = 0; layer < kLayers - 1; ++layer)
    network.maps[layer] = static_cast<std::byte*>(maps) +
                          layer * (refine_net_maps_bytes(shape, batch) / (kLayers - 1));
  return network.on_tensor_cores<true>();
}

}  // namespace vsmax
