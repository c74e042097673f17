// SPDX-License-Identifier: Apache-2.0
#include "torch_pipeline.h"

#include <ATen/Parallel.h>
#include <malloc.h>
#include <torch/torch.h>

#include <cmath>

namespace vsmax::bench {
namespace {

struct Layers {
  std::vector<torch::Tensor> weights, biases;

  Layers() = default;
  explicit Layers(const std::vector<ConvLayer>& layers) {
    for (const auto& layer : layers) {
      const auto outputs = static_cast<std::int64_t>(layer.outputs);
      const auto inputs = static_cast<std::int64_t>(layer.inputs);
      weights.push_back(torch::tensor(layer.weights).reshape({outputs, inputs, 3, 3}));
      biases.push_back(torch::tensor(layer.biases));
    }
  }
};

// The cell of every pixel and angle.
torch::Tensor cells_of_pixels(const HoughGrid& grid) {
  std::vector<std::int64_t> cells;
  for (int t = 0; t < grid.thetas(); ++t)
    for (int row = 0; row < grid.frame().height; ++row)
      for (int column = 0; column < grid.frame().width; ++column)
        cells.push_back(std::int64_t{t} * grid.rhos() + grid.bin(t, column, row));
  return torch::tensor(cells);
}

torch::Tensor resized(const torch::Tensor& maps, std::vector<std::int64_t> size) {
  return torch::upsample_bilinear2d(maps, size, /*align_corners=*/false);
}

}  // namespace

struct TorchPipeline::Tensors {
  Layers front, net;
  torch::Tensor votes;       // the cell of every pixel and angle
  torch::Tensor embeddings;  // cells x 6
  std::int64_t thetas = 0, rhos = 0, width = 0, height = 0;
  float scale = 1.0F;

  torch::Tensor logits(torch::Tensor x) const {
    for (std::size_t layer = 0; layer < net.weights.size(); ++layer) {
      x = torch::cat({x.narrow(2, x.size(2) - 1, 1), x, x.narrow(2, 0, 1)}, 2);  // theta wraps
      x = torch::conv2d(x, net.weights[layer], net.biases[layer], 1, torch::IntArrayRef({0, 1}));
      if (layer + 1 < net.weights.size()) x = torch::relu_(x);
    }
    return x;
  }

  // [1, 3, H, W] -> [H W].
  torch::Tensor evidence(torch::Tensor x) const {
    std::size_t layer = 0;
    const auto convolve = [&](const torch::Tensor& maps) {
      auto y = torch::conv2d(maps, front.weights[layer], front.biases[layer], 1, 1);
      ++layer;
      return torch::relu_(y);
    };
    std::vector<torch::Tensor> scales;
    for (std::size_t s = 0; s < FrontNet::kScales; ++s) {
      x = convolve(s == 0 ? x : torch::avg_pool2d(x, 2));
      x = convolve(x);
      scales.push_back(x);
    }
    for (std::size_t s = FrontNet::kScales - 1; s-- > 0;)
      x = convolve(resized(x, {scales[s].size(2), scales[s].size(3)}).add_(scales[s]));
    return torch::softplus(torch::conv2d(x, front.weights[layer], front.biases[layer], 1, 1))
        .flatten();
  }

  // The angle of the line that the pixels vote for.
  double line(const torch::Tensor& pixels) const {
    auto single = torch::zeros({thetas * rhos}).index_add(0, votes, pixels.repeat({thetas}));
    single = single.reshape({thetas, rhos});
    const auto twice = torch::cat({single, single.flip({1})}, 0).unsqueeze(0).unsqueeze(0);
    const auto mean = barycentre(logits(twice * scale));
    const auto* v = mean.data_ptr<float>();
    const auto matrix =
        torch::tensor({v[0], v[1], v[2], v[1], v[3], v[4], v[2], v[4], v[5]}).reshape({3, 3});
    const auto vectors = std::get<1>(torch::linalg_eigh(matrix));
    return std::atan2(vectors[1][2].item<double>(), vectors[0][2].item<double>());
  }

  torch::Tensor barycentre(const torch::Tensor& logits) const {
    return torch::softmax(logits.flatten(), 0).unsqueeze(0).matmul(embeddings).flatten();
  }
};

TorchPipeline::TorchPipeline(const HoughGrid& grid, const RefineNet& net, float scale,
                             const FrontNet* front)
    : tensors_(std::make_shared<Tensors>()) {
  tensors_->thetas = grid.thetas();
  tensors_->rhos = grid.rhos();
  tensors_->width = grid.frame().width;
  tensors_->height = grid.frame().height;
  tensors_->scale = scale;
  tensors_->net = Layers(net.layers());
  if (front != nullptr) tensors_->front = Layers(front->layers());
  tensors_->votes = cells_of_pixels(grid);
  std::vector<float> embeddings;
  const CellShape shape = grid.shape(Cover::kDouble);
  for (std::size_t i = 0; i < shape.count(); ++i) {
    const LineVector line = vector_from_line(shape.line(shape.cell(i)));
    for (std::size_t row = 0; row < 3; ++row)
      for (std::size_t column = row; column < 3; ++column)
        embeddings.push_back(static_cast<float>(line[row] * line[column]));
  }
  tensors_->embeddings = torch::tensor(embeddings).reshape({-1, 6});
}

float TorchPipeline::refine(const std::vector<float>& accumulator) const {
  const torch::NoGradGuard no_grad;
  const auto x = torch::from_blob(const_cast<float*>(accumulator.data()),
                                  {1, 1, 2 * tensors_->thetas, tensors_->rhos});
  return tensors_->logits(x * tensors_->scale).data_ptr<float>()[0];
}

float TorchPipeline::read_out(const std::vector<float>& logits) const {
  const torch::NoGradGuard no_grad;
  const auto x = torch::from_blob(const_cast<float*>(logits.data()),
                                  {static_cast<std::int64_t>(logits.size())});
  return tensors_->barycentre(x).data_ptr<float>()[0];
}

double TorchPipeline::recover(const std::vector<float>& image) const {
  const torch::NoGradGuard no_grad;
  return tensors_->line(torch::from_blob(const_cast<float*>(image.data()),
                                         {static_cast<std::int64_t>(image.size())}));
}

double TorchPipeline::recover(const std::vector<std::uint8_t>& photo, int width, int height) const {
  const torch::NoGradGuard no_grad;
  const auto bytes =
      torch::from_blob(const_cast<std::uint8_t*>(photo.data()), {height, width, 3}, torch::kByte);
  auto pixels = bytes.permute({2, 0, 1}).unsqueeze(0).to(torch::kFloat);
  pixels = torch::adaptive_avg_pool2d(pixels, {tensors_->height, tensors_->width});
  pixels = (pixels - pixels.mean()) / pixels.std();
  return tensors_->line(tensors_->evidence(pixels));
}

void TorchPipeline::use_threads(int threads) { at::set_num_threads(threads); }

void TorchPipeline::keep_freed_memory(bool keep) {
  constexpr int kUsualMaps = 65536;
  constexpr int kUsualTrim = 128 << 10;
  constexpr int kGrowBy = 256 << 20;
  mallopt(M_MMAP_MAX, keep ? 0 : kUsualMaps);
  mallopt(M_TRIM_THRESHOLD, keep ? -1 : kUsualTrim);
  mallopt(M_TOP_PAD, keep ? kGrowBy : 0);
}

}  // namespace vsmax::bench
