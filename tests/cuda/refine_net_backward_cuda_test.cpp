// SPDX-License-Identifier: Apache-2.0
// The refinement network's training on CUDA, against a slow network that rounds in the same places.
#include "vsmax/refine/refine_net_backward_cuda.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "bfloat16_rounding.h"
#include "cuda_test.h"
#include "support/reference_net.h"

namespace vsmax {
namespace {

using Map = std::vector<std::vector<double>>;  // channels of cells

// The parameters' gradients as the kernels write them, and the accumulators'.
struct Gradients {
  std::vector<double> parameters;
  std::vector<double> accumulators;
};

// One image forwards and back, in double.
struct RoundingNet {
  const test::Layers& layers;
  CellShape shape;
  std::vector<std::vector<double>> rounded_weights;
  std::vector<Map> maps;

  RoundingNet(const test::Layers& all, const CellShape& on, const float* accumulator, double scale)
      : layers(all), shape(on) {
    std::vector<float> input(accumulator, accumulator + shape.on(Cover::kSingle).count());
    if (shape.cover == Cover::kDouble) {
      input.resize(shape.count());
      double_cover<float>({accumulator, shape.on(Cover::kSingle)},
                          Cells<float>(input.data(), shape));
    }
    for (const auto& layer : layers) {
      auto& weights = rounded_weights.emplace_back();
      for (const float weight : layer.weights) weights.push_back(test::to_bfloat16(weight));
    }
    maps.emplace_back(1);
    for (const float x : input) maps[0][0].push_back(test::to_two_bfloat16s(scale * x));
    for (std::size_t l = 0; l < layers.size(); ++l) {
      Map next(layers[l].outputs);
      for (std::size_t o = 0; o < next.size(); ++o) {
        const double bias = layers[l].biases[o];
        next[o].assign(shape.count(), l == 0 ? test::to_two_bfloat16s(bias) : bias);
        for_each_product(l, o, [&](std::size_t i, std::size_t w, std::size_t from, std::size_t to) {
          const double weight =
              l == 0 ? test::to_two_bfloat16s(layers[l].weights[w]) : rounded_weights[l][w];
          next[o][to] += weight * maps[l][i][from];
        });
        if (l + 1 < layers.size())
          for (double& x : next[o]) x = test::to_bfloat16(std::max(x, 0.0));
      }
      maps.push_back(std::move(next));
    }
  }

  // Adds the parameters' gradients and appends the accumulator's.
  void backward(const float* grad_logits, double scale, Gradients& to) const {
    to.parameters.resize(kRefineParameters);
    Map gradients(1, std::vector<double>(grad_logits, grad_logits + shape.count()));
    std::vector<double> input;  // rounded; only the network's own is not so already
    for (const double x : maps[0][0]) input.push_back(test::to_bfloat16(x));
    for (std::size_t l = layers.size(); l-- > 0;) {
      double* weights = to.parameters.data() + refine_weights_at(static_cast<int>(l));
      double* biases = to.parameters.data() + refine_biases_at(static_cast<int>(l));
      Map inputs(layers[l].inputs, std::vector<double>(shape.count()));
      for (std::size_t o = 0; o < layers[l].outputs; ++o) {
        for (double& gradient : gradients[o]) {
          biases[o] += gradient;
          gradient = test::to_bfloat16(gradient);
        }
        for_each_product(l, o, [&](std::size_t i, std::size_t w, std::size_t from, std::size_t at) {
          weights[w] += (l == 0 ? input : maps[l][i])[from] * gradients[o][at];
          inputs[i][from] += rounded_weights[l][w] * gradients[o][at];
        });
      }
      if (l > 0)
        for (std::size_t i = 0; i < inputs.size(); ++i)
          for (std::size_t cell = 0; cell < shape.count(); ++cell)
            inputs[i][cell] = maps[l][i][cell] > 0.0 ? test::to_bfloat16(inputs[i][cell]) : 0.0;
      gradients = std::move(inputs);
    }
    std::vector<double> folded = gradients[0];
    if (shape.cover == Cover::kDouble) {
      folded.resize(shape.count() / 2);
      fold_double_cover<double>({gradients[0].data(), shape},
                                Cells<double>(folded.data(), shape.on(Cover::kSingle)));
    }
    for (const double gradient : folded) to.accumulators.push_back(scale * gradient);
  }

 private:
  // Calls body(input, weight's index, cell of the input, cell) for all products of an output.
  template <class Body>
  void for_each_product(std::size_t l, std::size_t o, const Body& body) const {
    for (std::size_t tap = 0; tap < 9; ++tap)
      for (std::size_t at = 0; at < shape.count(); ++at) {
        const auto [t, r] = shape.cell(at);
        const Cell near{t + static_cast<int>(tap) / 3 - 1, r + static_cast<int>(tap) % 3 - 1};
        if (near.r < 0 || near.r >= shape.rhos) continue;
        const std::size_t from = shape.index(shape.across_seam(near));
        for (std::size_t i = 0; i < layers[l].inputs; ++i)
          body(i, (o * layers[l].inputs + i) * 9 + tap, from, at);
      }
  }
};

struct BatchOf {
  CellShape shape;
  int images = 1;

  std::size_t inputs() const { return images * shape.on(Cover::kSingle).count(); }
  std::size_t logits() const { return images * shape.count(); }
};

// Rhos below, at and above the strips of 16; walks along theta that are short, and that go round
// the rings of rows, from one column to the next.
std::vector<BatchOf> batches() {
  std::vector<BatchOf> all{
      {{1, 1, Cover::kDouble}},   {{1, 3, Cover::kDouble}, 3}, {{5, 16, Cover::kDouble}, 3},
      {{150, 1, Cover::kDouble}}, {{3, 35, Cover::kDouble}},   {{1, 129, Cover::kDouble}},
      {{24, 17, Cover::kDouble}},
  };
#if !defined(VSMAX_CUDA_ON_HOST)
  all.push_back({{127, 127, Cover::kDouble}, 2});
#endif
  for (std::size_t i = 0, count = all.size(); i < count; ++i)
    all.push_back({all[i].shape.on(Cover::kSingle), all[i].images});
  return all;
}

class RefineNetBackwardCuda : public test::CudaTest {
 protected:
  // Parameters on the device, packed.
  struct OnDevice {
    std::vector<DeviceArray<float>> arrays;
    DeviceArray<std::uint32_t> packed{refine_packed_bytes() / sizeof(std::uint32_t)};

    explicit OnDevice(const test::Layers& layers) {
      RefineParameters parameters{};
      for (std::size_t l = 0; l < layers.size(); ++l) {
        parameters.weights[l] = arrays.emplace_back(layers[l].weights).data();
        parameters.biases[l] = arrays.emplace_back(layers[l].biases).data();
      }
      check_cuda(pack_refine_weights_cuda(parameters, packed.data(), nullptr));
    }
    PackedRefineWeights weights() const { return PackedRefineWeights(packed.data()); }
    // What one of the pointers in weights() points to.
    template <class Value>
    std::vector<Value> copy(const Value* from, std::size_t count) const {
      std::vector<Value> values(count);
      check_cuda(cudaMemcpy(values.data(), from, count * sizeof(Value), cudaMemcpyDeviceToHost));
      return values;
    }
  };

  struct Found {
    std::vector<float> logits, maps, parameters, accumulators;
    bool operator==(const Found&) const = default;
  };

  static Found train(const test::Layers& layers, const BatchOf& batch,
                     const std::vector<float>& accumulators, float scale,
                     const std::vector<float>& grad_logits, bool want_accumulators = true) {
    const OnDevice net(layers);
    const DeviceArray<float> input(accumulators);
    const DeviceArray<float> pull(grad_logits);
    return test::in_any_order([&] {
      DeviceArray<std::uint16_t> maps(refine_net_maps_bytes(batch.shape, batch.images) / 2);
      DeviceArray<float> logits(batch.logits());
      check_cuda(refine_net_with_maps_cuda(net.weights().forward, batch.shape, input.data(), scale,
                                           batch.images, maps.data(), logits.data(), nullptr));
      DeviceArray<std::byte> scratch(refine_net_backward_scratch_bytes(batch.shape, batch.images));
      DeviceArray<float> parameters(kRefineParameters);
      DeviceArray<float> inputs(want_accumulators ? batch.inputs() : 0);
      check_cuda(refine_net_backward_cuda(net.weights(), batch.shape, input.data(), scale,
                                          batch.images, maps.data(), pull.data(), scratch.data(),
                                          parameters.data(), inputs.data(), nullptr));
      std::vector<float> kept;
      for (const std::uint16_t bits : maps.to_host()) {
        const std::uint32_t wide = static_cast<std::uint32_t>(bits) << 16;
        std::memcpy(&kept.emplace_back(), &wide, sizeof(wide));
      }
      return Found{logits.to_host(), kept, parameters.to_host(), inputs.to_host()};
    });
  }

  struct Truth {
    std::vector<double> logits;
    std::vector<double> maps;
    Gradients gradients;
  };
  // The gradients are those at `maps`, if given.
  static Truth slowly(const test::Layers& layers, const BatchOf& batch,
                      const std::vector<float>& accumulators, double scale,
                      const std::vector<float>& grad_logits,
                      const std::vector<float>* maps = nullptr) {
    Truth truth;
    const std::size_t cells = batch.shape.count();
    truth.maps.resize(5 * batch.logits() * 32);
    for (std::size_t image = 0; image < static_cast<std::size_t>(batch.images); ++image) {
      RoundingNet net(layers, batch.shape,
                      accumulators.data() + image * batch.shape.on(Cover::kSingle).count(), scale);
      truth.logits.insert(truth.logits.end(), net.maps[6][0].begin(), net.maps[6][0].end());
      for (std::size_t l = 0; l < 5; ++l)
        for (std::size_t c = 0; c < 32; ++c)
          for (std::size_t i = 0; i < cells; ++i) {
            const std::size_t at = ((l * batch.images + image) * cells + i) * 32 + c;
            truth.maps[at] = net.maps[l + 1][c][i];
            if (maps != nullptr) net.maps[l + 1][c][i] = (*maps)[at];
          }
      net.backward(grad_logits.data() + image * cells, scale, truth.gradients);
    }
    return truth;
  }

  static std::vector<double> wide(const std::vector<float>& values) {
    return {values.begin(), values.end()};
  }

  test::Random random_;
};

// With weights of -1, 0 and 1 so few that no sum needs more than 24 bits.
TEST_F(RefineNetBackwardCuda, RoundsOnlyBetweenLayers) {
  test::Layers layers = test::empty_layers();
  for (auto& layer : layers) {
    const int rarity = layer.inputs == 1 || layer.outputs == 1 ? 2 : 16;
    for (float& weight : layer.weights)
      weight = random_.integer(0, rarity - 1) == 0
                   ? static_cast<float>(2 * random_.integer(0, 1) - 1)
                   : 0.0F;
    layer.biases = random_.integers<float>(layer.biases.size(), -2, 3);
  }
  for (const BatchOf& batch : batches()) {
    const auto input = random_.integers<float>(batch.inputs(), -6, 12);
    const auto pull = random_.integers<float>(batch.logits(), -2, 2);
    const Found found = train(layers, batch, input, 0.5F, pull);
    const Truth truth = slowly(layers, batch, input, 0.5, pull);
    const auto name = ::testing::Message()
                      << batch.shape.rows() << " x " << batch.shape.rhos
                      << (batch.shape.cover == Cover::kDouble ? "" : " on the single cover");
    EXPECT_EQ(wide(found.logits), truth.logits) << name;
    EXPECT_EQ(wide(found.maps), truth.maps) << name;
    EXPECT_EQ(wide(found.accumulators), truth.gradients.accumulators) << name;
    for (int layer = 0; layer < 6; ++layer) {
      const auto begin = refine_weights_at(layer);
      const auto end = layer == 5 ? kRefineParameters : refine_weights_at(layer + 1);
      int wrong = 0;
      double largest = 0.0;
      for (auto i = begin; i < end; ++i) {
        const double expected = truth.gradients.parameters[static_cast<std::size_t>(i)];
        wrong += found.parameters[static_cast<std::size_t>(i)] != expected;
        largest = std::max(largest, std::abs(expected));
      }
      EXPECT_EQ(wrong, 0) << name << ", layer " << layer << ", up to " << largest;
    }
  }
}

TEST_F(RefineNetBackwardCuda, IsNearInRealNumbers) {
  const auto layers = test::random_layers(random_);
  for (const BatchOf& batch :
       {BatchOf{{6, 17, Cover::kDouble}, 3}, BatchOf{{3, 40, Cover::kDouble}},
        BatchOf{{12, 17, Cover::kSingle}, 3}}) {
    const auto input = random_.uniforms<float>(batch.inputs(), -2.0, 4.0);
    const auto pull = random_.normals<float>(batch.logits(), 0.0, 1e-3);
    const Found found = train(layers, batch, input, 0.25F, pull);
    // Where a sum in float is rounded to the other side than in double, a ReLU may open that should
    // not: the gradients are compared at the same maps.
    const Truth truth = slowly(layers, batch, input, 0.25, pull, &found.maps);
    const auto distance = [](const float* values, const double* expected, std::int64_t count) {
      double error = 0.0;
      double size = 0.0;
      for (std::int64_t i = 0; i < count; ++i) {
        error += std::pow(values[i] - expected[i], 2);
        size += std::pow(expected[i], 2);
      }
      return std::sqrt(error / size);
    };
    EXPECT_LE(distance(found.maps.data(), truth.maps.data(),
                       static_cast<std::int64_t>(truth.maps.size())),
              1e-3);
    EXPECT_LE(distance(found.accumulators.data(), truth.gradients.accumulators.data(),
                       static_cast<std::int64_t>(batch.inputs())),
              1e-2);
    for (int layer = 0; layer < 6; ++layer) {
      const auto weights = refine_weights_at(layer);
      const auto biases = refine_biases_at(layer);
      const float* ours = found.parameters.data();
      const double* theirs = truth.gradients.parameters.data();
      EXPECT_LE(distance(ours + weights, theirs + weights, biases - weights), 5e-3) << layer;
      EXPECT_LE(distance(ours + biases, theirs + biases, layer == 5 ? 1 : 32), 5e-3) << layer;
    }
  }
}

TEST_F(RefineNetBackwardCuda, TheAccumulatorsGradientsNeedNotBeWanted) {
  const auto layers = test::random_layers(random_);
  const BatchOf batch{{4, 9, Cover::kDouble}, 2};
  const auto input = random_.uniforms<float>(batch.inputs(), -2.0, 4.0);
  const auto pull = random_.normals<float>(batch.logits());
  EXPECT_EQ(train(layers, batch, input, 1.0F, pull, false).parameters,
            train(layers, batch, input, 1.0F, pull).parameters);
}

TEST_F(RefineNetBackwardCuda, PacksAsTheHost) {
  const auto layers = test::random_layers(random_);
  const OnDevice net(layers);
  const RefineWeights host(layers);
  EXPECT_EQ(net.copy(net.weights().forward.values, host.values.size()), host.values);
  EXPECT_EQ(net.copy(net.weights().forward.fragments, host.fragments.size()), host.fragments);
}

// The middle layers' transposes are layers.
TEST_F(RefineNetBackwardCuda, PacksTransposes) {
  const auto layers = test::random_layers(random_);
  test::Layers transposed = layers;
  for (std::size_t l = 1; l < 5; ++l)
    for (std::size_t o = 0; o < 32; ++o)
      for (std::size_t i = 0; i < 32; ++i)
        for (std::size_t tap = 0; tap < 9; ++tap)
          transposed[l].weights[(i * 32 + o) * 9 + 8 - tap] =
              layers[l].weights[(o * 32 + i) * 9 + tap];
  auto expected = RefineWeights(transposed).fragments;
  expected.resize(4 * 32 * 32 * 9 / 2);
  const OnDevice net(layers);
  EXPECT_EQ(net.copy(net.weights().transposed, expected.size()), expected);
}

}  // namespace
}  // namespace vsmax
