// SPDX-License-Identifier: Apache-2.0
// The models that are a part of the library.
#include "vsmax/recover/builtin_weights.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <numbers>
#include <span>
#include <string>
#include <vector>

#include "support/lines.h"
#include "support/parameter_count.h"
#include "vsmax/evidence/front_net.h"
#include "vsmax/geometry/ea_score.h"
#include "vsmax/io/file.h"
#include "vsmax/recover/grid_choice.h"
#include "vsmax/recover/line_recoverer.h"
#include "vsmax/refine/refine_net.h"

namespace vsmax {
namespace {

using std::numbers::pi;

const std::string kFile = VSMAX_MODELS "/vsmax-vs-s42.safetensors";

TEST(PaperModel, IsItsFileByteForByte) {
  const auto bytes = paper_model_bytes();
  EXPECT_EQ(std::vector<std::uint8_t>(bytes.begin(), bytes.end()), read_file(kFile));
}

TEST(PhotoModels, AreTheirFilesByteForByte) {
  const auto expect_model = [](const std::string& name, std::span<const std::uint8_t> bytes) {
    EXPECT_EQ(std::vector<std::uint8_t>(bytes.begin(), bytes.end()),
              read_file(VSMAX_MODELS "/" + name + ".safetensors"));
    const Model model = load_model(name);
    EXPECT_EQ(model.warning, "");
    EXPECT_EQ(model.spec.evidence, EvidenceKind::kLearned);
    EXPECT_LE(
        test::parameter_count(model.front->layers()) + test::parameter_count(model.net->layers()),
        300000U);
  };
  expect_model("horizon", horizon_model_bytes());
  expect_model("photo-lines", photo_lines_model_bytes());
  EXPECT_TRUE(load_model("horizon").spec.background.has_value());
  EXPECT_TRUE(load_model("photo-lines").spec.several);
}

TEST(PaperModel, IsThePapersWithItsChecksumVerified) {
  const Model model = load_model("paper");
  EXPECT_EQ(model.name, "paper");
  EXPECT_EQ(model.spec.name, "vsmax-vs");
  EXPECT_EQ(model.warning, "");
  EXPECT_EQ(model.spec.readout, Readout::kVeronese);
  EXPECT_TRUE(grid_for(model.spec, {640, 480}) == HoughGrid::paper());
  const Model from_file = load_model(kFile);
  for (std::size_t l = 0; l < RefineNet::kLayers; ++l) {
    EXPECT_EQ(model.net->layers()[l].weights, from_file.net->layers()[l].weights);
    EXPECT_EQ(model.net->layers()[l].biases, from_file.net->layers()[l].biases);
  }
}

// The pictures of `make demo`; the last is brought to the size the model was trained on.
TEST(PaperModel, FindsTheLinesOfTheDemo) {
  struct Example {
    ImageFrame frame;
    PixelLine line;
    double sigma;
    double least_ea;
  };
  LineRecoverer recover(load_model("paper"));
  std::uint32_t index = 0;
  for (const auto& [frame, line, sigma, least_ea] :
       {Example{{256, 256}, {0.7, 20.0}, 0.0, 0.95}, Example{{256, 256}, {2.2, -35.0}, 0.6, 0.95},
        Example{{256, 256}, {pi - 0.004, 60.0}, 0.4, 0.95},
        Example{{256, 256}, {pi / 4, 160.0}, 0.2, 0.95},
        Example{{400, 180}, {1.35, 25.0}, 0.5, 0.8}}) {
    const auto found = recover(test::image_of(frame, line, sigma, index)).lines;
    ASSERT_EQ(found.size(), 1U);
    EXPECT_GT(ea_score(found[0].line, line, frame), least_ea) << "picture " << index;
    ++index;
  }
}

}  // namespace
}  // namespace vsmax
