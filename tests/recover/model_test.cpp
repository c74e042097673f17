// SPDX-License-Identifier: Apache-2.0
#include "vsmax/recover/model.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <string>

#include "support/error_message.h"
#include "support/models.h"
#include "support/parameter_count.h"
#include "support/random.h"
#include "vsmax/evidence/front_net.h"
#include "vsmax/recover/grid_choice.h"

namespace vsmax {
namespace {

using test::throws_error_with;

TEST(BuiltInModels, AreFoundByTheirNames) {
  for (const auto& description : builtin_models()) {
    EXPECT_EQ(load_model(description.name).name, description.name);
    EXPECT_FALSE(description.sentence.empty());
  }
  EXPECT_EQ(load_model("classic").spec.refinement, Refinement::kWhitening);
  EXPECT_EQ(load_model("classic").spec.readout, Readout::kVeronese);
  EXPECT_EQ(load_model("argmax").spec.refinement, Refinement::kNone);
  EXPECT_EQ(load_model("argmax").spec.readout, Readout::kArgmax);
  EXPECT_EQ(load_model("paper").spec.refinement, Refinement::kNetwork);
}

TEST(BuiltInModels, AreListedForAnUnknownName) {
  EXPECT_TRUE(throws_error_with({"'clasic'", "classic", "argmax"}, [] { load_model("clasic"); }));
}

TEST(ModelFile, ThatDoesNotExistIsNamed) {
  EXPECT_TRUE(
      throws_error_with({"no/such.safetensors"}, [] { load_model("no/such.safetensors"); }));
}

TEST(LearnedModel, IsWhatItsFileSays) {
  test::Random random;
  const Model model = test::learned_model(random);
  EXPECT_EQ(model.name, "learned");
  EXPECT_EQ(model.spec.name, "vsmax-vs");
  EXPECT_EQ(model.spec.refinement, Refinement::kNetwork);
  EXPECT_EQ(model.spec.readout, Readout::kVeronese);
  EXPECT_EQ(model.spec.cover, Cover::kDouble);
  EXPECT_EQ(model.spec.scale, 0.25);
  ASSERT_TRUE(model.net);
  EXPECT_EQ(test::parameter_count(model.net->layers()), 37601U);
  EXPECT_TRUE(grid_for(model.spec, {500, 400}) == HoughGrid({24, 20}, 11, 13));
  const ModelSpec soft = test::learned_model(random, "softargmax-vs").spec;
  EXPECT_EQ(soft.readout, Readout::kSoftArgmax);
  EXPECT_EQ(soft.cover, Cover::kSingle);
}

TEST(LearnedModel, IsRejectedWhereItNeedsLibTorch) {
  test::Random random;
  for (const std::string name : {"rht", "mlp-vs", "mlp-polar"}) {
    const auto file = test::model_file(random, name);
    EXPECT_TRUE(named_spec(name).needs_libtorch());
    EXPECT_TRUE(
        throws_error_with({"my", name, "LibTorch"}, [&] { model_from_safetensors(file, "my"); }));
  }
  EXPECT_FALSE(named_spec("vsmax-vs").needs_libtorch());
}

// The message is that of the metadata, with the file's name.
TEST(LearnedModel, RejectsInvalidMetadata) {
  test::Random random;
  auto file = test::model_file(random);
  file.metadata["R"] = "14";
  EXPECT_TRUE(throws_error_with({"my.safetensors", "R", "odd", "14"},
                                [&] { model_from_safetensors(file, "my.safetensors"); }));
  EXPECT_TRUE(throws_error_with({"my.safetensors", "'readout'"},
                                [&] { model_from_safetensors(SafeTensors{}, "my.safetensors"); }));
}

TEST(LearnedModel, NamesTheTensorThatIsMissing) {
  test::Random random;
  auto file = test::model_file(random);
  file.tensors.erase("refine.3.bias");
  EXPECT_TRUE(
      throws_error_with({"my", "refine.3.bias"}, [&] { model_from_safetensors(file, "my"); }));
}

TEST(LearnedModel, WarnsAboutAMissingChecksum) {
  test::Random random;
  auto file = test::model_file(random);
  EXPECT_NE(model_from_safetensors(file, "my").warning.find("my"), std::string::npos);
  file.checksum_verified = true;
  EXPECT_EQ(model_from_safetensors(file, "my").warning, "");
}

TEST(LearnedModel, SurvivesTheRoundTripThroughAFile) {
  test::Random random;
  const auto path =
      std::filesystem::temp_directory_path() /
      ("vsmax_model_test_" + std::to_string(test::seed_from_test_name()) + ".safetensors");
  const auto file = test::model_file(random);
  write_safetensors(path.string(), file);
  const Model model = load_model(path.string());
  std::filesystem::remove(path);
  EXPECT_EQ(model.warning, "");
  EXPECT_EQ(model.name, path.string());
  EXPECT_EQ(model.net->layers()[2].weights, file.tensors.at("refine.2.weight").values);
}

TEST(FrontedModel, IsWhatItsFileSays) {
  test::Random random;
  auto file = test::front_model_file(random);
  const Model model = model_from_safetensors(file, "my");
  ASSERT_TRUE(model.front);
  EXPECT_EQ(test::parameter_count(model.front->layers()), 93665U);
  EXPECT_EQ(model.front->layers()[3].weights, file.tensors.at("front.3.weight").values);
  EXPECT_EQ(model.spec.evidence, EvidenceKind::kLearned);
  EXPECT_TRUE(grid_for(model.spec, {40, 24}) == HoughGrid({40, 24}, 11, 13));

  file.tensors.erase("front.0.bias");
  EXPECT_TRUE(
      throws_error_with({"my", "front.0.bias"}, [&] { model_from_safetensors(file, "my"); }));
}

TEST(LearnedModel, NamesTheTensorThatDoesNotBelongToIt) {
  test::Random random;
  for (const char* key : {"head.bias", "absent", "front.0.weight", "refine.6.bias"}) {
    auto file = test::model_file(random);
    file.tensors[key] = {{1}, {0.0F}};
    EXPECT_TRUE(throws_error_with({"my", key}, [&] { model_from_safetensors(file, "my"); }));
  }
}

}  // namespace
}  // namespace vsmax
