// SPDX-License-Identifier: Apache-2.0
// The layout of the refinement network's weights for its kernels: as plain values, and as
// fragments, the registers in which the lanes of a warp hold them. A fragment is a pair of
// bfloat16s.
#pragma once

#include "vsmax/base/host_device.h"

namespace vsmax::refine_net {

constexpr int kLayers = 6;
constexpr int kChannels = 32;
constexpr int kTaps = 9;
constexpr int kWarp = 32;

VSMAX_HOST_DEVICE constexpr int inputs_of(int layer) { return layer == 0 ? 1 : kChannels; }
VSMAX_HOST_DEVICE constexpr int outputs_of(int layer) {
  return layer == kLayers - 1 ? 1 : kChannels;
}

// Where a layer's weights and biases begin among the values.
VSMAX_HOST_DEVICE constexpr int values_of(int layer) {
  constexpr int kFirst = kTaps * kChannels + kChannels;
  constexpr int kMiddle = kTaps * kChannels * kChannels + kChannels;
  return layer == 0 ? 0 : kFirst + (layer - 1) * kMiddle;
}
VSMAX_HOST_DEVICE constexpr int biases_of(int layer) {
  return values_of(layer) + kTaps * inputs_of(layer) * outputs_of(layer);
}
constexpr int kValues = biases_of(kLayers - 1) + 1;

// A tile is 8 outputs. For each tile, a lane holds two registers per step of 16 inputs of one tap.
constexpr int kSteps = kTaps * kChannels / 16;
constexpr int kMiddleTiles = kChannels / 8;
constexpr int kLastTiles = 1;
constexpr int kTileFragments = kSteps * kWarp * 2;
VSMAX_HOST_DEVICE constexpr int fragments_of(int layer) {
  return (layer - 1) * kTileFragments * kMiddleTiles;
}
// The last layer's once more, for the kernel that fuses it with the one before.
constexpr int kTapFragmentsAt = fragments_of(kLayers - 1) + kTileFragments * kLastTiles;
constexpr int kFragments = kTapFragmentsAt + 2 * 2 * kWarp * 2;

// Transposed weights, for the gradients of the layers' inputs: layers 1 to 4 at
// fragments_of(layer), then the first, whose input has one channel, and the last, whose output has
// one.
constexpr int kFirstTransposedAt = fragments_of(kLayers - 1);
constexpr int kLastTransposedAt = kFirstTransposedAt + kTileFragments * kLastTiles;
constexpr int kTransposedFragments = kLastTransposedAt + kMiddleTiles * kWarp * 2;

// The output in column n of a tile, chosen so that a lane's columns 2c and 2c+1 of all tiles are
// the 8 outputs from 8c on, 16 consecutive bytes of a feature map.
VSMAX_HOST_DEVICE constexpr int output_of(int tile, int n) { return n / 2 * 8 + tile * 2 + n % 2; }

// Indices into a layer's weights, outputs x inputs x 3 x 3; negative for a zero.
struct FragmentSource {
  int layer;
  int first, second;
};

VSMAX_HOST_DEVICE constexpr int weight_index(int layer, int tap, int input, int output) {
  const bool inside =
      tap >= 0 && tap < kTaps && input < inputs_of(layer) && output < outputs_of(layer);
  return inside ? (output * inputs_of(layer) + input) * kTaps + tap : -1;
}

// Fragment i of a convolution with 8 outputs per tile, or of its transpose, in which inputs and
// outputs are exchanged and the taps run backwards.
VSMAX_HOST_DEVICE constexpr FragmentSource tile_fragment(int layer, int tiles, bool transposed,
                                                         int i) {
  const int lane = i / (2 * tiles) % kWarp;
  const int step = i / (2 * tiles * kWarp);
  const int output = output_of(i / 2 % tiles, lane / 4);
  const int input = step % 2 * 16 + lane % 4 * 2 + i % 2 * 8;
  const int tap = step / 2;
  if (transposed)
    return {layer, weight_index(layer, kTaps - 1 - tap, output, input),
            weight_index(layer, kTaps - 1 - tap, output, input + 1)};
  return {layer, weight_index(layer, tap, input, output),
          weight_index(layer, tap, input + 1, output)};
}

VSMAX_HOST_DEVICE constexpr FragmentSource fragment_source(int i) {
  if (i < kTapFragmentsAt) {
    const int layer = i < fragments_of(kLayers - 1) ? 1 + i / fragments_of(2) : kLayers - 1;
    return tile_fragment(layer, layer < kLayers - 1 ? kMiddleTiles : kLastTiles, false,
                         i - fragments_of(layer));
  }
  i -= kTapFragmentsAt;
  const int lane = i / 2 % kWarp;
  const int tile = i / (2 * kWarp) % 2;
  const int half = i / (2 * kWarp * 2);
  const int dt = 2 * tile + lane / 4 % 2;
  const int dr = lane / 8;
  const int tap = dt < 3 && dr < 3 ? dt * 3 + dr : -1;
  const int input = output_of(2 * half + i % 2, lane % 4 * 2);
  return {kLayers - 1, weight_index(kLayers - 1, tap, input, 0),
          weight_index(kLayers - 1, tap, input + 1, 0)};
}

VSMAX_HOST_DEVICE constexpr FragmentSource transposed_fragment_source(int i) {
  if (i < kFirstTransposedAt)
    return tile_fragment(1 + i / fragments_of(2), kMiddleTiles, true, i % fragments_of(2));
  if (i < kLastTransposedAt) return tile_fragment(0, kLastTiles, true, i - kFirstTransposedAt);
  i -= kLastTransposedAt;
  // Rows are the 9 taps, backwards.
  const int lane = i / 2 % kWarp;
  const int tap = kTaps - 1 - (lane % 4 * 2 + i % 2 * 8);
  const int input = output_of(i / (2 * kWarp), lane / 4);
  return {kLayers - 1, weight_index(kLayers - 1, tap, input, 0),
          weight_index(kLayers - 1, tap - 1, input, 0)};
}

}  // namespace vsmax::refine_net
