// SPDX-License-Identifier: Apache-2.0
// Weights out and in again, bit for bit; files that do not fit say why.
#include <filesystem>

#include "support/error_message.h"
#include "support/parameter_count.h"
#include "torch/ops/on_device.h"
#include "vsmax/recover/model.h"
#include "vsmax/refine/refine_net.h"
#include "vsmax/torch/models/line_model.h"

namespace vsmax::test {
namespace {

ModelSpec tiny_spec(const std::string& name) {
  ModelSpec spec = named_spec(name);
  spec.frame = {32, 24};
  spec.bins = {15, 17};
  spec.scale = 1.0 / 7.0;
  return spec;
}

bool same_tensors(const SafeTensors& a, const SafeTensors& b) {
  if (a.tensors.size() != b.tensors.size()) return false;
  for (const auto& [key, tensor] : a.tensors) {
    const auto found = b.tensors.find(key);
    if (found == b.tensors.end() || found->second.shape != tensor.shape ||
        found->second.values != tensor.values)
      return false;
  }
  return true;
}

TEST(ModelWeights, RoundTripBitForBit) {
  for (const ModelSpec& named : named_specs()) {
    // These run without LibTorch.
    if (named.refinement == Refinement::kWhitening || named.refinement == Refinement::kPosterior)
      continue;
    const std::string& name = named.name;
    SCOPED_TRACE(name);
    torch::manual_seed(1);
    const auto first = make_line_model(tiny_spec(name));
    // Moves the batch-norm statistics away from where they start.
    first->train_mode(true);
    if (named.learns()) first->loss(torch::rand({4, 24, 32}), torch::rand({4, 2}));
    const SafeTensors file = parse_safetensors(serialize_safetensors(first->weights()), "file");
    torch::manual_seed(2);
    const auto second = make_line_model(tiny_spec(name));
    EXPECT_EQ(same_tensors(second->weights(), file), !named.learns());
    second->load_weights(file, "file");
    EXPECT_TRUE(same_tensors(second->weights(), file));
    EXPECT_EQ(second->weights().metadata, file.metadata);
    const auto third = load_line_model(file, "file");
    EXPECT_EQ(metadata_from_spec(third->spec()), file.metadata);
    EXPECT_EQ(third->spec().scale, 1.0 / 7.0);
    EXPECT_TRUE(same_tensors(third->weights(), file));
  }
}

TEST(ModelWeights, EveryShippedFileLoads) {
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(VSMAX_MODELS)) {
    if (entry.path().extension() != ".safetensors") continue;
    const std::string path = entry.path().string();
    SCOPED_TRACE(path);
    const SafeTensors file = read_safetensors(path);
    const auto model = load_line_model(file, path);
    EXPECT_EQ(model->spec().name, file.metadata.at("model"));
    EXPECT_EQ(to_string(model->spec().readout), file.metadata.at("readout"));
    EXPECT_TRUE(same_tensors(model->weights(), file));
    ++files;
  }
  EXPECT_GT(files, 30);
}

TEST(ModelWeights, TheCoreRunsTheRefinementModels) {
  for (const std::string name : {"vsmax-vs", "vsmax-polar", "softargmax-vs", "softargmax-polar"}) {
    const auto file = make_line_model(tiny_spec(name))->weights();
    const Model model = model_from_safetensors(file, "file");
    EXPECT_EQ(metadata_from_spec(model.spec), metadata_from_spec(tiny_spec(name)));
    EXPECT_EQ(test::parameter_count(model.net->layers()), 37601U);
  }
}

TEST(ModelWeights, FilesThatDoNotFitSayWhy) {
  const auto model = make_line_model(tiny_spec("vsmax-vs"));
  const SafeTensors good = model->weights();
  const auto load = [&](const SafeTensors& file) { model->load_weights(file, "w.safetensors"); };
  SafeTensors bad = good;
  bad.tensors.erase("refine.3.bias");
  EXPECT_TRUE(
      throws_error_with({"w.safetensors", "'refine.3.bias'", "missing"}, [&] { load(bad); }));
  bad = good;
  bad.tensors["refine.2.weight"].shape = {32, 32, 9};
  EXPECT_TRUE(throws_error_with({"'refine.2.weight'", "32x32x9", "32x32x3x3"}, [&] { load(bad); }));
  bad = good;
  bad.tensors["extra"] = {};
  EXPECT_TRUE(throws_error_with({"'extra'"}, [&] { load(bad); }));
  bad = good;
  bad.metadata["model"] = "softargmax-vs";
  EXPECT_TRUE(throws_error_with({"'softargmax-vs'", "'vsmax-vs'"}, [&] { load(bad); }));
  bad = good;
  bad.metadata["T"] = "16";
  EXPECT_TRUE(throws_error_with({"16x17", "15x17"}, [&] { load(bad); }));
  bad = good;
  bad.metadata["scale"] = "0.5";
  EXPECT_TRUE(throws_error_with({"scale 0.5"}, [&] { load(bad); }));
  bad = good;
  bad.metadata.erase("R");
  EXPECT_TRUE(throws_error_with({"lacks 'R'"}, [&] { load(bad); }));
  bad = good;
  bad.metadata["R"] = "many";
  EXPECT_TRUE(throws_error_with({"'many'", "not a number"}, [&] { load(bad); }));
  EXPECT_TRUE(same_tensors(model->weights(), good));  // none of them changed anything
}

TEST(ModelWeights, TrunkHasTorchvisionNamesAndLoadsThem) {
  torch::manual_seed(1);
  const auto donor = make_line_model(tiny_spec("mlp-polar"));
  SafeTensors file = donor->weights();
  std::size_t trunk = 0;
  for (auto item = file.tensors.begin(); item != file.tensors.end();) {
    const bool statistics = item->first.find("running_") != std::string::npos;
    if (item->first.rfind("head.", 0) == 0) {
      item = file.tensors.erase(item);
      continue;
    }
    if (!statistics) trunk += item->second.values.size();
    ++item;
  }
  EXPECT_EQ(trunk, 11176512U);
  for (const char* name :
       {"conv1.weight", "bn1.running_var", "layer1.0.conv1.weight", "layer2.0.downsample.0.weight",
        "layer2.0.downsample.1.bias", "layer4.1.bn2.weight"})
    EXPECT_EQ(file.tensors.count(name), 1U) << name;
  file.tensors["fc.weight"] = {{1}, {0.0F}};  // the classifier is passed over

  torch::manual_seed(2);
  const auto model = make_line_model(tiny_spec("mlp-vs"));
  const SafeTensors before = model->weights();
  load_pretrained_trunk(*model, file, "resnet18.safetensors");
  const SafeTensors after = model->weights();
  EXPECT_EQ(after.tensors.at("layer3.1.conv2.weight").values,
            file.tensors.at("layer3.1.conv2.weight").values);
  EXPECT_EQ(after.tensors.at("head.0.weight").values, before.tensors.at("head.0.weight").values);
  EXPECT_EQ(after.tensors.at("head.2.bias").shape, (std::vector<int64_t>{6}));

  file.tensors.erase("layer3.1.conv2.weight");
  EXPECT_TRUE(throws_error_with({"resnet18", "'layer3.1.conv2.weight'"},
                                [&] { load_pretrained_trunk(*model, file, "resnet18"); }));
  const auto other = make_line_model(tiny_spec("vsmax-vs"));
  EXPECT_TRUE(throws_error_with({"'vsmax-vs'", "no ResNet"},
                                [&] { load_pretrained_trunk(*other, file, "resnet18"); }));
}

}  // namespace
}  // namespace vsmax::test
