// SPDX-License-Identifier: Apache-2.0
#include "torch_pipeline.h"

#include <ATen/Parallel.h>
#include <malloc.h>
#include <torch/torch.h>

#include <cmath>

#include "naive_hough.h"

namespace vsmax::bench {

struct TorchPipeline::Tensors {
  std::vector<torch::Tensor> weights, biases;
  torch::Tensor votes;       // the cell of every pixel and angle
  torch::Tensor embeddings;  // cells x 6
  std::int64_t thetas = 0, rhos = 0;
  float scale = 1.0F;

  torch::Tensor logits(torch::Tensor x) const {
    for (std::size_t layer = 0; layer < weights.size(); ++layer) {
      x = torch::cat({x.narrow(2, x.size(2) - 1, 1), x, x.narrow(2, 0, 1)}, 2);  // theta goes round
      x = torch::conv2d(x, weights[layer], biases[layer], 1, torch::IntArrayRef({0, 1}));
      if (layer + 1 < weights.size()) x = torch::relu_(x);
    }
    return x;
  }

  torch::Tensor barycentre(const torch::Tensor& logits) const {
    return torch::softmax(logits.flatten(), 0).unsqueeze(0).matmul(embeddings).flatten();
  }
};

TorchPipeline::TorchPipeline(const HoughGrid& grid, const RefineNet& net, float scale)
    : tensors_(std::make_shared<Tensors>()) {
  tensors_->thetas = grid.thetas();
  tensors_->rhos = grid.rhos();
  tensors_->scale = scale;
  for (const auto& layer : net.layers()) {
    const auto outputs = static_cast<std::int64_t>(layer.outputs);
    const auto inputs = static_cast<std::int64_t>(layer.inputs);
    tensors_->weights.push_back(torch::tensor(layer.weights).reshape({outputs, inputs, 3, 3}));
    tensors_->biases.push_back(torch::tensor(layer.biases));
  }
  const auto bins = torch::tensor(bin_table()).to(torch::kLong).view({grid.thetas(), -1});
  const auto first_cells = grid.rhos() * torch::arange(grid.thetas());
  tensors_->votes = (bins + first_cells.unsqueeze(1)).flatten();
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
  const auto pixels =
      torch::from_blob(const_cast<float*>(image.data()), {static_cast<std::int64_t>(image.size())});
  const auto cells = tensors_->thetas * tensors_->rhos;
  auto single =
      torch::zeros({cells}).index_add(0, tensors_->votes, pixels.repeat({tensors_->thetas}));
  single = single.reshape({tensors_->thetas, tensors_->rhos});
  const auto twice = torch::cat({single, single.flip({1})}, 0).unsqueeze(0).unsqueeze(0);
  const auto mean = tensors_->barycentre(tensors_->logits(twice * tensors_->scale));
  const auto* v = mean.data_ptr<float>();
  const auto matrix =
      torch::tensor({v[0], v[1], v[2], v[1], v[3], v[4], v[2], v[4], v[5]}).reshape({3, 3});
  const auto vectors = std::get<1>(torch::linalg_eigh(matrix));
  return std::atan2(vectors[1][2].item<double>(), vectors[0][2].item<double>());
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
