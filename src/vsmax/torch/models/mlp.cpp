// SPDX-License-Identifier: Apache-2.0
// The data-driven baseline: ResNet-18 and a head 512-256-k straight to the line, k = 2 for
// (theta, rho / D), k = 6 for the embedding.
#include <torch/nn/modules/linear.h>

#include "vsmax/base/error.h"
#include "vsmax/torch/functions/losses.h"
#include "vsmax/torch/models/model_families.h"
#include "vsmax/torch/models/resnet.h"

namespace vsmax {

namespace {

// The trunk's tensors carry no prefix, the head's are head.0 and head.2, as in a torch Sequential
// with the ReLU between.
class MlpImpl : public nn::ResNet18Impl {
 public:
  MlpImpl(int64_t outputs, bool bfloat16)
      : bfloat16_(bfloat16), hidden_(512, 256), output_(256, outputs) {
    auto head = std::make_shared<torch::nn::Module>();
    head->register_module("0", hidden_);
    head->register_module("2", output_);
    register_module("head", head);
  }

  // [B, H, W] -> [B, k], float32.
  torch::Tensor forward(const torch::Tensor& images) {
    auto x = images.unsqueeze(1).expand({-1, 3, -1, -1});
    if (images.is_cuda())
      x = x.to(bfloat16_ ? torch::kBFloat16 : torch::kFloat)
              .contiguous(torch::MemoryFormat::ChannelsLast);
    const auto features = nn::ResNet18Impl::forward(x).to(torch::kFloat);
    return output_(torch::relu(hidden_(features)));
  }

 private:
  bool bfloat16_;
  torch::nn::Linear hidden_, output_;
};

class MlpModel final : public LineModel {
 public:
  MlpModel(const ModelSpec& spec, const std::shared_ptr<MlpImpl>& net)
      : LineModel(spec, net), net_(net) {}

 private:
  torch::Tensor loss_of(const torch::Tensor& images, const torch::Tensor& truth) final {
    const auto output = net_->forward(images);
    return polar() ? nn::polar_loss(output, truth) : nn::veronese_loss(output, truth);
  }

  PredictedLines lines_of(const torch::Tensor& images) final {
    const auto output = net_->forward(images);
    return polar() ? lines_from_polar(output) : lines_from_embedding(output);
  }

  bool polar() const { return spec().loss == Loss::kPolar; }

  std::shared_ptr<MlpImpl> net_;
};

}  // namespace

std::unique_ptr<LineModel> make_mlp_model(const ModelSpec& spec, bool bfloat16) {
  const int64_t outputs = spec.loss == Loss::kPolar ? 2 : 6;
  return std::make_unique<MlpModel>(spec, std::make_shared<MlpImpl>(outputs, bfloat16));
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
