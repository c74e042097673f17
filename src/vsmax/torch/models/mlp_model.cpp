// SPDX-License-Identifier: Apache-2.0
// The data-driven baseline: ResNet-18 and a head 512-256-k straight to the line, k = 2 for
// (theta, rho / D), k = 6 for the embedding.
#include <torch/nn/modules/linear.h>

#include "vsmax/base/error.h"
#include "vsmax/torch/models/module_model.h"
#include "vsmax/torch/models/module_weights.h"
#include "vsmax/torch/models/predicted_lines.h"
#include "vsmax/torch/models/pretrained_trunk.h"
#include "vsmax/torch/models/resnet.h"
#include "vsmax/torch/ops/losses.h"

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

class MlpModel final : public ModuleModel {
 public:
  explicit MlpModel(const LineModelSpec& spec)
      : MlpModel(spec, std::make_shared<MlpImpl>(spec.name == "mlp-polar" ? 2 : 6, spec.bfloat16)) {
  }

  torch::Tensor loss(const torch::Tensor& images, const torch::Tensor& truth) final {
    const auto output = net_->forward(checked(images));
    return polar_ ? nn::polar_loss(output, truth) : nn::veronese_loss(output, truth);
  }

 private:
  MlpModel(const LineModelSpec& spec, const std::shared_ptr<MlpImpl>& net)
      : ModuleModel(spec, "mlp", net), net_(net), polar_(spec.name == "mlp-polar") {}

  PredictedLines lines(const torch::Tensor& images) final {
    const auto output = net_->forward(checked(images));
    return polar_ ? lines_from_polar(output) : lines_from_embedding(output);
  }

  const torch::Tensor& checked(const torch::Tensor& images) const {
    const auto& frame = spec_.grid.frame();
    TORCH_CHECK(
        images.dim() == 3 && images.size(1) == frame.height && images.size(2) == frame.width,
        "the model is for images of ", frame.width, "x", frame.height,
        " pixels, not for the shape ", images.sizes());
    return images;
  }

  std::shared_ptr<MlpImpl> net_;
  bool polar_;
};

}  // namespace

std::unique_ptr<LineModel> make_mlp_model(const LineModelSpec& spec) {
  return std::make_unique<MlpModel>(spec);
}

void load_pretrained_trunk(LineModel& model, const SafeTensors& file, const std::string& name) {
  auto* mlp = dynamic_cast<MlpModel*>(&model);
  if (mlp == nullptr)
    throw Error(name + ": the model '" + model.spec().name + "' has no ResNet trunk to load into");
  const SafeTensors own = mlp->weights();
  SafeTensors whole = file;
  for (const auto& [key, tensor] : own.tensors)
    if (key.rfind("head.", 0) == 0) whole.tensors[key] = tensor;  // the head keeps what it has
  restore_weights(mlp->module(), whole, name);
}

}  // namespace vsmax
