// SPDX-License-Identifier: Apache-2.0
#include "vsmax/torch/ops/functions.h"

#include <array>
#include <numbers>

#include "vsmax/refine/whiten.h"
#include "vsmax/torch/ops/ops.h"

namespace vsmax::nn {

namespace {

void require_accumulator(const torch::Tensor& tensor, const char* what) {
  TORCH_CHECK(tensor.dim() >= 2, what, " needs at least the two dimensions [T, R], not ",
              tensor.dim());
}

// Channels-last on CUDA, where a lone channel would not show it by itself.
torch::Tensor laid_out(const torch::Tensor& features) {
  if (!features.is_cuda()) return features;
  return torch::empty_like(features, features.options(), torch::MemoryFormat::ChannelsLast)
      .copy_(features);
}

// rho continues with zeros; theta has been continued already. Bias apart.
torch::Tensor convolve(const torch::Tensor& features, const torch::Tensor& weight) {
  constexpr std::array<int64_t, 2> kPadding{0, 1};
  return torch::conv2d(features, weight.to(features.scalar_type()), {}, 1,
                       torch::IntArrayRef(kPadding));
}

int64_t extent(const torch::Tensor& tensor, int64_t dim) {
  return tensor.sym_size(dim).guard_int(__FILE__, __LINE__);
}

// 0, 1, ..., count - 1 on the device of `like`, in double.
torch::Tensor count_to(int64_t count, const torch::Tensor& like) {
  return torch::arange(count, like.options().dtype(torch::kDouble).requires_grad(false));
}

}  // namespace

torch::Tensor double_cover(const torch::Tensor& accumulator) {
  require_accumulator(accumulator, "the double cover");
  return torch::cat({accumulator, accumulator.flip({-1})}, -2);
}

torch::Tensor seam_pad(const torch::Tensor& accumulator, int64_t rows, bool moebius) {
  require_accumulator(accumulator, "padding across the seam");
  const int64_t height = extent(accumulator, -2);
  TORCH_CHECK(rows >= 1 && rows <= height, "padding across the seam by ", rows,
              " rows, where there are ", height);
  const auto edge = moebius ? accumulator.flip({-1}) : accumulator;
  return torch::cat({edge.slice(-2, height - rows), accumulator, edge.slice(-2, 0, rows)}, -2);
}

torch::Tensor refine_logits(const torch::Tensor& accumulator,
                            const std::vector<torch::Tensor>& weights,
                            const std::vector<torch::Tensor>& biases, Cover cover, double scale,
                            bool bfloat16) {
  require_accumulator(accumulator, "the refinement network");
  TORCH_CHECK(!weights.empty() && weights.size() == biases.size(), weights.size(),
              " layers' weights with ", biases.size(), " layers' biases");
  const bool moebius = cover == Cover::kSingle;
  const bool narrow = bfloat16 && accumulator.is_cuda();
  // Whatever the leading dimensions are, the convolutions get one.
  auto batch = accumulator.dim() == 2 ? accumulator.unsqueeze(0) : accumulator.flatten(0, -3);
  batch = batch * scale;
  if (!moebius) batch = double_cover(batch);
  auto features = laid_out(
      seam_pad(batch, 1, moebius).unsqueeze(1).to(narrow ? torch::kBFloat16 : batch.scalar_type()));
  for (std::size_t l = 0; l + 1 < weights.size(); ++l)
    features = ops::seam_relu(convolve(features, weights[l]), biases[l], moebius);
  const auto logits =
      convolve(features, weights.back()).squeeze(1).to(batch.scalar_type()) + biases.back();
  std::vector<c10::SymInt> shape = accumulator.sym_sizes().vec();
  shape[shape.size() - 2] = logits.sym_size(1);
  return logits.reshape_symint(shape);
}

torch::Tensor whitened_logits(const torch::Tensor& accumulator, const torch::Tensor& images) {
  require_accumulator(accumulator, "whitening");
  TORCH_CHECK(images.dim() == accumulator.dim(), "whitening needs the images of the accumulators");
  const auto blank = torch::ones_symint({images.sym_size(-2), images.sym_size(-1)},
                                        accumulator.options().requires_grad(false));
  const auto votes = ops::hough(blank, extent(accumulator, -2), extent(accumulator, -1));
  const auto pixels = images.to(accumulator.scalar_type()).flatten(-2);
  const auto mean = pixels.mean(-1, true).unsqueeze(-1);
  const auto variance = (pixels - pixels.mean(-1, true)).square().mean(-1, true).unsqueeze(-1);
  const auto sound =
      (votes >= static_cast<double>(Whitening::kLeastPixels)).logical_and(variance > 0);
  const auto spread = torch::where(sound, variance * votes, torch::ones_like(votes)).sqrt();
  const auto z = (accumulator - mean * votes) / spread;
  return torch::where(sound, 0.5 * z.clamp_min(0).square(), torch::zeros_like(z));
}

torch::Tensor soft_argmax(const torch::Tensor& logits, double temperature) {
  require_accumulator(logits, "soft-argmax");
  TORCH_CHECK(extent(logits, -1) >= 3 && extent(logits, -1) % 2 == 1,
              "soft-argmax: the number of offsets R must be odd and at least 3, not ",
              extent(logits, -1));
  TORCH_CHECK(temperature > 0.0, "the temperature must be positive, not ", temperature);
  const auto p = torch::softmax((logits / temperature).flatten(-2), -1).view_as(logits);
  // The grid's own theta and rho, to the last bit: computed in double, then rounded once.
  const int64_t rows = extent(logits, -2);
  const int64_t half = (extent(logits, -1) - 1) / 2;
  const auto thetas = (count_to(rows, p) * std::numbers::pi / rows).to(p.scalar_type());
  const auto rhos = ((count_to(2 * half + 1, p) - half) / half).to(p.scalar_type());
  return torch::stack({(p.sum(-1) * thetas).sum(-1), (p.sum(-2) * rhos).sum(-1)}, -1);
}

torch::Tensor polar_from_embedding(const torch::Tensor& embedding, double guard) {
  const auto line = ops::leading_line(embedding, guard);
  auto normal = line.narrow(-1, 0, 2);
  const auto squared = normal.detach().square().sum(-1, true);
  // Near the line at infinity the angle turns ever faster; its derivative is held back there as the
  // eigenvector's is, its value is not. At infinity itself any angle will do.
  const auto keep = squared / (squared + guard * guard);
  normal = torch::where(squared > 0, normal * keep + (normal * (1 - keep)).detach(),
                        torch::ones_like(normal));
  const auto angle = torch::atan2(normal.select(-1, 1), normal.select(-1, 0));
  const auto turn = (angle.detach() < 0).to(angle.scalar_type());
  const auto theta = angle + turn * std::numbers::pi;
  const auto rho = (2 * turn - 1) * line.select(-1, 2) / normal.square().sum(-1).sqrt();
  return torch::stack({theta, rho}, -1);
}

}  // namespace vsmax::nn
