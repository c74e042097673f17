// SPDX-License-Identifier: Apache-2.0
// The data-driven baseline: ResNet-18 (He et al., CVPR 2016) and a head 512-256-k straight to the
// line, k = 2 for (theta, rho / D), k = 6 for the embedding. The trunk has torchvision's names for
// its 11,176,512 parameters, so that its weights can be loaded. All layers compute in the type of
// their input, with weights cast to it; batch norm keeps its statistics in float32.
#include <ATen/Context.h>
#include <torch/nn/init.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/container/sequential.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/linear.h>
#include <torch/nn/pimpl.h>

#include "vsmax/base/error.h"
#include "vsmax/torch/functions/losses.h"
#include "vsmax/torch/models/max_pool.h"
#include "vsmax/torch/models/model_families.h"
#include "vsmax/torch/models/present_lines.h"

namespace vsmax {
namespace {

torch::nn::Conv2d convolution(int64_t inputs, int64_t outputs, int64_t size, int64_t stride) {
  return torch::nn::Conv2d(
      torch::nn::Conv2dOptions(inputs, outputs, size).stride(stride).padding(size / 2).bias(false));
}

// The weights get the layout of the input along with its type: cuDNN would bring them into it in
// the forward pass and again in the backward pass.
torch::Tensor convolve_layer(const torch::nn::Conv2dImpl& layer, const torch::Tensor& x) {
  const auto weight = layer.weight.to(x.scalar_type(), /*non_blocking=*/false, /*copy=*/false,
                                      x.suggest_memory_format());
  return torch::conv2d(x, weight, {}, layer.options.stride(),
                       torch::IntArrayRef(layer.weight.size(2) / 2));
}

// Without the module's count of batches, which nothing reads: with 20 layers, counting takes 20
// kernels a step.
torch::Tensor normalise(const torch::nn::BatchNorm2dImpl& layer, const torch::Tensor& x) {
  return torch::batch_norm(x, layer.weight, layer.bias, layer.running_mean, layer.running_var,
                           layer.is_training(), layer.options.momentum().value(),
                           layer.options.eps(), at::globalContext().userEnabledCuDNN());
}

// Two 3x3 convolutions beside a shortcut.
class BasicBlockImpl : public torch::nn::Module {
 public:
  BasicBlockImpl(int64_t inputs, int64_t outputs, int64_t stride)
      : conv1_(convolution(inputs, outputs, 3, stride)),
        conv2_(convolution(outputs, outputs, 3, 1)),
        bn1_(outputs),
        bn2_(outputs) {
    register_module("conv1", conv1_);
    register_module("bn1", bn1_);
    register_module("conv2", conv2_);
    register_module("bn2", bn2_);
    if (stride == 1 && inputs == outputs) return;
    downsample_ =
        register_module("downsample", torch::nn::Sequential(convolution(inputs, outputs, 1, stride),
                                                            torch::nn::BatchNorm2d(outputs)));
  }

  torch::Tensor forward(torch::Tensor x) {
    auto shortcut = x;
    if (!downsample_.is_empty()) {
      shortcut = convolve_layer(*downsample_[0]->as<torch::nn::Conv2dImpl>(), x);
      shortcut = normalise(*downsample_[1]->as<torch::nn::BatchNorm2dImpl>(), shortcut);
    }
    x = normalise(*bn1_, convolve_layer(*conv1_, x)).relu_();
    return normalise(*bn2_, convolve_layer(*conv2_, x)).add_(shortcut).relu_();
  }

 private:
  torch::nn::Conv2d conv1_, conv2_;
  torch::nn::BatchNorm2d bn1_, bn2_;
  torch::nn::Sequential downsample_{nullptr};
};
TORCH_MODULE(BasicBlock);

// [B, 3, H, W] -> [B, 512].
class ResNet18 : public torch::nn::Module {
 public:
  ResNet18() : conv1_(convolution(3, 64, 7, 2)), bn1_(64) {
    register_module("conv1", conv1_);
    register_module("bn1", bn1_);
    int64_t inputs = 64;
    for (int64_t stage = 1; stage <= 4; ++stage) {
      const int64_t outputs = int64_t{32} << stage;
      layers_.emplace_back(
          register_module("layer" + std::to_string(stage),
                          torch::nn::Sequential(BasicBlock(inputs, outputs, stage == 1 ? 1 : 2),
                                                BasicBlock(outputs, outputs, 1))));
      inputs = outputs;
    }
    for (const auto& module : modules(false))
      if (const auto* layer = module->as<torch::nn::Conv2d>())
        torch::nn::init::kaiming_normal_(layer->weight, 0.0, torch::kFanOut, torch::kReLU);
  }

  torch::Tensor forward(torch::Tensor x) {
    x = normalise(*bn1_, convolve_layer(*conv1_, x)).relu_();
    x = max_pool(x);
    for (auto& layer : layers_)
      for (auto& block : *layer) x = block.get<BasicBlockImpl>().forward(x);
    return x.mean({2, 3});
  }

 private:
  torch::nn::Conv2d conv1_;
  torch::nn::BatchNorm2d bn1_;
  std::vector<torch::nn::Sequential> layers_;
};

// The trunk's tensors carry no prefix, the head's are head.0 and head.2, as in a torch Sequential
// with the ReLU between.
class Mlp : public ResNet18 {
 public:
  Mlp(int64_t outputs, bool bfloat16)
      : bfloat16_(bfloat16), hidden_(512, 256), output_(256, outputs) {
    auto head = std::make_shared<torch::nn::Module>();
    head->register_module("0", hidden_);
    head->register_module("2", output_);
    register_module("head", head);
  }

  // [B, H, W], or [B, 3, H, W] in colour -> [B, k], float32.
  torch::Tensor forward(const torch::Tensor& images) {
    auto x = images.is_cuda() && bfloat16_ ? images.to(torch::kBFloat16) : images;
    if (x.dim() == 3) x = x.unsqueeze(1).expand({-1, 3, -1, -1});
    if (images.is_cuda()) x = x.contiguous(torch::MemoryFormat::ChannelsLast);
    const auto features = ResNet18::forward(x).to(torch::kFloat);
    return output_(torch::relu(hidden_(features)));
  }

 private:
  bool bfloat16_;
  torch::nn::Linear hidden_, output_;
};

class MlpModel final : public LineModel {
 public:
  MlpModel(const ModelSpec& spec, const std::shared_ptr<Mlp>& net)
      : LineModel(spec, net), net_(net) {}

 private:
  torch::Tensor loss_of(const torch::Tensor& images, const torch::Tensor& truth,
                        const torch::Tensor& whole) final {
    const auto output = net_->forward(images);
    if (spec().evidence == EvidenceKind::kIntensity)
      return share_of_mean(
          polar() ? nn::polar_loss(output, truth) : nn::veronese_loss(output, truth), truth, whole);
    const auto [lines, present] = split_truth(truth);
    return mean_where(
        polar() ? nn::polar_losses(output, lines) : nn::veronese_losses(output, lines), present,
        whole.is_same(truth) ? present : split_truth(whole).present);
  }

  PredictedLines lines_of(const torch::Tensor& images) final {
    const auto output = net_->forward(images);
    return polar() ? lines_from_polar(output) : lines_from_embedding(output);
  }

  bool polar() const { return spec().loss == Loss::kPolar; }

  std::shared_ptr<Mlp> net_;
};

}  // namespace

std::unique_ptr<LineModel> make_mlp_model(const ModelSpec& spec, bool bfloat16) {
  const int64_t outputs = spec.loss == Loss::kPolar ? 2 : 6;
  return std::make_unique<MlpModel>(spec, std::make_shared<Mlp>(outputs, bfloat16));
}

void load_pretrained_trunk(LineModel& model, const SafeTensors& file, const std::string& name) {
  if (model.spec().readout != Readout::kRegression)
    throw Error(name + ": the model '" + model.spec().name + "' has no ResNet trunk to load into");
  SafeTensors weights = model.weights();
  for (auto& [key, tensor] : weights.tensors) {
    if (key.starts_with("head.")) continue;
    const auto found = file.tensors.find(key);
    if (found == file.tensors.end()) throw Error(name + ": the tensor '" + key + "' is missing");
    tensor = found->second;
  }
  model.load_weights(weights, name);
}

}  // namespace vsmax
