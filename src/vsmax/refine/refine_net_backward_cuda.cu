// SPDX-License-Identifier: Apache-2.0
// The gradient of a layer's input is a convolution with the transposed weights and uses the forward
// pass's code; for the gradients of its weights, see refine_weight_gradients.h. A "sum" of a layer
// is its output before ReLU.
#include <algorithm>

#include "vsmax/refine/refine_net_backward_cuda.h"
#include "vsmax/refine/refine_net_packing.h"
#include "vsmax/refine/refine_net_tiles.h"
#include "vsmax/refine/refine_weight_gradients.h"

namespace vsmax {
namespace {

using namespace refine_net;

// Packing

constexpr int kPaddedValues = (kValues + 3) / 4 * 4;

__global__ void __launch_bounds__(kThreads)
    pack_kernel(RefineParameters parameters, float* values, std::uint32_t* fragments,
                std::uint32_t* transposed) {
  int i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  if (i < kValues) {
    int layer = 0;
    while (layer < kLayers - 1 && i >= values_of(layer + 1)) ++layer;
    if (i >= biases_of(layer)) {
      values[i] = parameters.biases[layer][i - biases_of(layer)];
      return;
    }
    const int k = i - values_of(layer);
    const int output = k % outputs_of(layer);
    const int input = k / outputs_of(layer) % inputs_of(layer);
    const int tap = k / (outputs_of(layer) * inputs_of(layer));
    values[i] = parameters.weights[layer][weight_index(layer, tap, input, output)];
    return;
  }
  i -= kValues;
  const bool forward = i < kFragments;
  if (!forward) i -= kFragments;
  if (i >= kTransposedFragments) return;
  const FragmentSource source = forward ? fragment_source(i) : transposed_fragment_source(i);
  const float* weights = parameters.weights[source.layer];
  (forward ? fragments : transposed)[i] =
      bfloat16s(source.first < 0 ? 0.0F : weights[source.first],
                source.second < 0 ? 0.0F : weights[source.second]);
}

// Gradients of a layer's inputs

// Rows of a map for convolve(), together with the features at the cells of the output row that each
// of them completes. A lane copies only the features that it uses itself.
class MaskedRows {
 public:
  static constexpr int kStages = 4;  // 8 would need more memory than smaller GPUs have
  static constexpr bool kBetweenProducts = true;
  static constexpr int kBytes = kStages * (kRowBytes + kStrip * kCellBytes);  // of a warp

  __device__ MaskedRows(const Batch& batch, const uint4* input, const uint4* features,
                        std::byte* ring)
      : rows_(batch, input, ring),
        batch_(batch),
        features_(features),
        ring_(reinterpret_cast<uint4*>(ring + kStages * kRowBytes) + threadIdx.x % kWarp) {}

  __device__ void start(const Column& column) {
    const int lane = static_cast<int>(threadIdx.x % kWarp);
    r_ = column.r + lane / 4;
    rows_of_column_ = column.end - column.begin;
    from_ = features_ + packet_index(batch_, column.image, {column.begin, r_}) + lane % 4;
#pragma unroll 1
    for (int i = 2; i < kStages - 1; ++i) copy_features(i);
    rows_.start(column);
  }
  __device__ const std::byte* row(int i) { return rows_.row(i); }
  __device__ void prepare_after(int i) {
    copy_features(i + kStages - 1);
    rows_.prepare_after(i);
  }
  // At cell g or, if k = 1, at cell g + 8 of the row that row i completes: row i - 2 of the column.
  __device__ const uint4& features(int i, int k) const {
    return ring_[static_cast<unsigned>(i) % kStages * (2 * kWarp) + k * kWarp];
  }

 private:
  __device__ void copy_features(int i) {
    const int rhos = batch_.shape.rhos;
#pragma unroll
    for (int k = 0; k < 2; ++k)
      if (i - 2 < rows_of_column_)
        copy_async(ring_ + static_cast<unsigned>(i) % kStages * (2 * kWarp) + k * kWarp,
                   from_ + ((i - 2) * rhos + 8 * k) * 4, r_ + 8 * k < rhos);
  }

  RowRing<kStages> rows_;
  const Batch& batch_;
  const uint4* features_;
  uint4* ring_;
  const uint4* from_ = nullptr;  // the lane's 16 bytes of its first cell
  int r_ = 0;
  int rows_of_column_ = 0;
};

// From the gradients of a layer's sums to those of the previous layer's, whose output is
// `features`.
__global__ void __launch_bounds__(kThreads, 1)
    input_gradient_kernel(Batch batch, const uint4* gradients, const std::uint32_t* fragments,
                          const uint4* features, uint4* output) {
  const LaneWeights<kMiddleTiles> weights(fragments);
  MaskedRows rows(batch, gradients, features,
                  dynamic_shared<std::byte>() + threadIdx.x / kWarp * MaskedRows::kBytes);
  for_each_column(batch, [&](const Column& column) {
    convolve(
        column, weights, NoBias{}, rows,
        [&](const Column&, int t, const float(&sums)[kMiddleTiles][4]) {
          const int lane = static_cast<int>(threadIdx.x % kWarp);
#pragma unroll
          for (int k = 0; k < 2; ++k) {
            const int r = column.r + lane / 4 + 8 * k;
            if (r < batch.shape.rhos)
              output[packet_index(batch, column.image, {t, r}) + lane % 4] =
                  masked_gradients(rows.features(t - column.begin + 2, k), sums, k);
          }
        },
        PastTheSeam{batch.shape});
  });
}

// Gradients of the network's input, still on the cover of `batch`.
__global__ void __launch_bounds__(kThreads, 2)
    first_input_gradient_kernel(Batch batch, const uint4* gradients, const std::uint32_t* fragments,
                                float* output) {
  const LaneWeights<kLastTiles> weights(fragments);
  CopiedRows rows(batch, gradients, ring_of_warp(CopiedRows::kStages));
  for_each_column(batch, [&](const Column& column) {
    convolve(column, weights, NoBias{}, rows, StoreLogits{batch, output}, PastTheSeam{batch.shape});
  });
}

// Folds them onto the single cover and multiplies them by the scale.
__global__ void __launch_bounds__(kThreads)
    fold_kernel(Batch batch, const float* on_cover, float scale, float* output) {
  const auto [thetas, rhos, cover] = batch.shape;
  const auto cells = static_cast<std::int64_t>(thetas) * rhos;
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (i >= batch.images * cells) return;
  const std::int64_t image = i / cells;
  const int cell = static_cast<int>(i - image * cells);
  const float* sheets = on_cover + image * static_cast<std::int64_t>(batch.shape.count());
  float sum = sheets[cell];
  if (cover == Cover::kDouble) {
    const int flipped = cell / rhos * rhos + rhos - 1 - cell % rhos;
    sum += sheets[cells + flipped];
  }
  output[i] = scale * sum;
}

// The whole pass

struct BlockCounts {
  unsigned middle = 0;
  unsigned edge = 0;

  cudaError_t find(const Batch& batch) {
    const std::int64_t rows = batch.images * batch.strips() * batch.shape.rows();
    if (const auto status = share_blocks(rows, 1, kTriosPerProcessor, middle);
        status != cudaSuccess)
      return status;
    return share_blocks(rows, kWarps, kEdgeBlocksPerProcessor, edge);
  }
  std::size_t sums() const {
    return std::max<std::size_t>(std::size_t{middle} * kMiddleSums, std::size_t{edge} * kEdgeSums);
  }
};

std::size_t map_packets(const Batch& batch) {
  return static_cast<std::size_t>(batch.images) * batch.shape.count() * (kCellBytes / 16);
}

struct Backward {
  const PackedRefineWeights& weights;
  Batch batch;
  const uint4* maps;
  uint4* gradients[2];
  float* sums_of_blocks;
  BlockCounts blocks;
  float* grad_parameters;
  cudaStream_t stream;

  static constexpr std::size_t kRing = kWarps * CopiedRows::kStages * kRowBytes;

  const uint4* map(int layer) const {
    return maps + static_cast<std::size_t>(layer) * map_packets(batch);
  }
  std::int64_t strip_rows() const { return batch.images * batch.strips() * batch.shape.rows(); }

  template <class Sums>
  cudaError_t add_blocks(int layer, unsigned count) const {
    return launch({blocks_for(Sums::kCount, 4 * kWarp), kThreads, stream}, add_blocks_kernel<Sums>,
                  static_cast<const float*>(sums_of_blocks), static_cast<int>(count),
                  grad_parameters + values_of(layer));
  }

  // Gradients of weights and biases and, with Last, of the previous layer's sums.
  template <bool Last, class Scalars>
  cudaError_t edge_layer(int layer, const uint4* features, const Scalars& scalars,
                         uint4* output) const {
    if (const auto status = launch_large(
            {blocks.edge, kThreads, stream, kRing}, edge_gradient_kernel<Last, Scalars>, batch,
            features, scalars, weights.transposed + kLastTransposedAt, output, sums_of_blocks);
        status != cudaSuccess)
      return status;
    return add_blocks<EdgeSums<Last>>(layer, blocks.edge);
  }

  cudaError_t middle_layer(int layer, const uint4* from, uint4* to) const {
    const uint4* features = map(layer - 1);
    if (const auto status =
            launch_large({blocks.middle, kTrio, stream, kGroups * kGroupBytes},
                         weight_gradient_kernel, batch, features, from, sums_of_blocks);
        status != cudaSuccess)
      return status;
    if (const auto status = add_blocks<MiddleSums>(layer, blocks.middle); status != cudaSuccess)
      return status;
    return launch_shares(stream, {strip_rows(), kWarps, 1, kWarps * MaskedRows::kBytes},
                         input_gradient_kernel, batch, from,
                         weights.transposed + fragments_of(layer), features, to);
  }

  cudaError_t accumulators(const uint4* from, float scale, float* on_cover, float* output) const {
    if (const auto status =
            launch_shares(stream, {strip_rows(), kWarps, 2, kRing}, first_input_gradient_kernel,
                          batch, from, weights.transposed + kFirstTransposedAt, on_cover);
        status != cudaSuccess)
      return status;
    const std::int64_t cells =
        batch.images * static_cast<std::int64_t>(batch.shape.on(Cover::kSingle).count());
    return launch({blocks_for<std::int64_t>(cells, kThreads), kThreads, stream}, fold_kernel, batch,
                  static_cast<const float*>(on_cover), scale, output);
  }
};

}  // namespace

static_assert(kRefineParameters == kValues);
std::int64_t refine_weights_at(int layer) { return values_of(layer); }
std::int64_t refine_biases_at(int layer) { return biases_of(layer); }

PackedRefineWeights::PackedRefineWeights(const void* memory)
    : forward{static_cast<const float*>(memory),
              static_cast<const std::uint32_t*>(memory) + kPaddedValues},
      transposed(forward.fragments + kFragments) {}

std::size_t refine_packed_bytes() {
  return (kPaddedValues + kFragments + kTransposedFragments) * sizeof(std::uint32_t);
}

cudaError_t pack_refine_weights_cuda(const RefineParameters& parameters, void* memory,
                                     cudaStream_t stream) {
  auto* const values = static_cast<float*>(memory);
  auto* const fragments = static_cast<std::uint32_t*>(memory) + kPaddedValues;
  return launch(
      {blocks_for(kValues + kFragments + kTransposedFragments, kThreads), kThreads, stream},
      pack_kernel, parameters, values, fragments, fragments + kFragments);
}

std::size_t refine_net_backward_scratch_bytes(const CellShape& shape, std::int64_t batch) {
  BlockCounts blocks;
  if (blocks.find({shape, batch}) != cudaSuccess) return 0;
  return 2 * map_packets({shape, batch}) * sizeof(uint4) + blocks.sums() * sizeof(float);
}

cudaError_t refine_net_backward_cuda(const PackedRefineWeights& weights, const CellShape& shape,
                                     const float* accumulators, float scale, std::int64_t batch,
                                     const void* maps, const float* grad_logits, void* scratch,
                                     float* grad_parameters, float* grad_accumulators,
                                     cudaStream_t stream) {
  const Batch images{shape, batch};
  BlockCounts blocks;
  if (const auto status = blocks.find(images); status != cudaSuccess) return status;
  auto* const first = static_cast<uint4*>(scratch);
  uint4* const second = first + map_packets(images);
  const Backward backward{weights,
                          images,
                          static_cast<const uint4*>(maps),
                          {first, second},
                          reinterpret_cast<float*>(second + map_packets(images)),
                          blocks,
                          grad_parameters,
                          stream};
  // The gradients of layer l's sums are in gradients[l % 2].
  constexpr int kLast = kLayers - 1;
  if (const auto status = backward.edge_layer<true>(
          kLast, backward.map(kLast - 1), LogitGradients{grad_logits}, backward.gradients[0]);
      status != cudaSuccess)
    return status;
  for (int layer = kLast - 1; layer > 0; --layer)
    if (const auto status = backward.middle_layer(layer, backward.gradients[layer % 2],
                                                  backward.gradients[(layer - 1) % 2]);
        status != cudaSuccess)
      return status;
  const uint4* sums = backward.gradients[0];
  if (const auto status = backward.edge_layer<false>(0, sums, Inputs{accumulators, scale}, nullptr);
      status != cudaSuccess || grad_accumulators == nullptr)
    return status;
  // The other buffer is free by now.
  return backward.accumulators(sums, scale, reinterpret_cast<float*>(backward.gradients[1]),
                               grad_accumulators);
}

}  // namespace vsmax
