// SPDX-License-Identifier: Apache-2.0
#include "vsmax/torch/models/line_model_file.h"

#include <array>
#include <charconv>

#include "vsmax/recover/model_metadata.h"

namespace vsmax {

namespace {

// The shortest decimal that reads back as the same number.
std::string decimal(double value) {
  std::array<char, 32> text{};
  const auto [end, status] = std::to_chars(text.data(), text.data() + text.size(), value);
  static_cast<void>(status);  // 32 characters hold any double
  return {text.data(), end};
}

}  // namespace

std::map<std::string, std::string> metadata_from_spec(const LineModelSpec& spec) {
  std::map<std::string, std::string> metadata{{"model", spec.name},
                                              {"T", std::to_string(spec.grid.thetas())},
                                              {"R", std::to_string(spec.grid.rhos())},
                                              {"W", std::to_string(spec.grid.frame().width)},
                                              {"H", std::to_string(spec.grid.frame().height)},
                                              {"scale", decimal(spec.scale)}};
  if (spec.temperature != 1.0) metadata["temperature"] = decimal(spec.temperature);
  if (spec.name == "rht") metadata["target_width"] = decimal(spec.target_width);
  return metadata;
}

LineModelSpec spec_from_metadata(const SafeTensors& file, const std::string& name) {
  const ModelMetadata metadata(file, name);
  LineModelSpec spec;
  spec.name = metadata.text("model");
  spec.grid = metadata.grid();
  spec.scale = metadata.number("scale");
  if (metadata.has("temperature")) spec.temperature = metadata.number("temperature");
  if (metadata.has("target_width")) spec.target_width = metadata.number("target_width");
  return spec;
}

std::unique_ptr<LineModel> load_line_model(const SafeTensors& file, const std::string& name,
                                           bool bfloat16) {
  LineModelSpec spec = spec_from_metadata(file, name);
  spec.bfloat16 = bfloat16;
  auto model = make_line_model(spec);
  model->load_weights(file, name);
  return model;
}

}  // namespace vsmax
