// SPDX-License-Identifier: Apache-2.0
// The functions that the page calls, all on one image: set its pixels, add noise, compute the
// stages from image to line, and find the lines that `vsmax detect` would print. Text is JSON; a
// failure is {"error": sentence}. Returned pointers are valid until the next call.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "result_json.h"
#include "vsmax/data/sample_key.h"
#include "vsmax/data/synthetic.h"
#include "vsmax/data/synthetic_line.h"
#include "vsmax/readout/soft_argmax.h"
#include "vsmax/recover/builtin_weights.h"
#include "vsmax/recover/trace.h"
#include "vsmax/vsmax.h"

// The page has no room for the paper's network.
std::span<const std::uint8_t> vsmax::paper_model_bytes() { return {}; }

namespace vsmax::web {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kSamples = 4;  // red, green, blue and opacity, as a canvas has them

struct Session {
  ImageFrame frame{};
  std::vector<std::uint8_t> original;
  std::vector<std::uint8_t> noisy;
  std::optional<PixelLine> truth;  // of an image that was drawn here

  std::optional<LineRecoverer> explained;
  RecoveryTrace trace;
  std::map<std::string, LineRecoverer> detectors;
  std::string text;

  ImageView view() const {
    return ImageView::rgb(noisy.data(), frame.width, frame.height, 0, kSamples);
  }
};

Session& session() {
  static Session only;
  return only;
}

void resize(Session& state, ImageFrame frame) {
  state.frame = frame;
  state.original.assign(kSamples * frame.pixels(), 255);
  state.noisy = state.original;
  state.truth.reset();
}

std::uint8_t byte_from(float value) {
  const float clipped = std::clamp(value, 0.0F, 1.0F);
  return static_cast<std::uint8_t>(std::lround(static_cast<double>(clipped) * 255.0));
}

template <class Body>
const char* guarded(const Body& body) {
  Session& state = session();
  try {
    state.text = body(state);
  } catch (const std::exception& error) {
    state.text = Json{{"error", error.what()}}.dump();
  }
  return state.text.c_str();
}

Json described(PixelLine line, const Session& state) {
  const auto visible = visible_segment(line, state.frame);
  Json ends;  // null outside the image
  if (visible)
    ends = {app::pixel(visible->begin, state.frame), app::pixel(visible->end, state.frame)};
  Json result{{"theta", line.theta}, {"rho", line.rho}, {"endpoints", ends}};
  if (state.truth) result["ea"] = ea_score(line, *state.truth, state.frame);
  return result;
}

// The stages of a model at this temperature, and what both readouts make of the same probabilities.
std::string explain(Session& state, const std::string& name, double temperature) {
  if (!state.explained || state.explained->model().name != name ||
      state.explained->model().spec.temperature != temperature) {
    Model model = load_model(name);
    model.spec.temperature = temperature;
    state.explained.emplace(std::move(model));
  }
  const Recovery recovery = (*state.explained)(state.view(), &state.trace);
  const HoughGrid& grid = *state.trace.grid;
  Json result{{"thetas", grid.thetas()},
              {"rhos", grid.rhos()},
              {"reach", state.frame.half_diagonal()},  // rho of the last bin, in the image's pixels
              {"vsmax", nullptr},
              {"softargmax", nullptr}};
  if (recovery.lines.empty()) return result.dump();
  const Cells<const float> cells(state.trace.probabilities.data(), grid.shape());
  result["vsmax"] = described(recovery.lines.front().line, state);
  result["softargmax"] = described(pixel_from_unit(soft_argmax(cells), state.frame), state);
  return result.dump();
}

}  // namespace
}  // namespace vsmax::web

extern "C" {

// Where to write the pixels of a new image.
std::uint8_t* web_image(int width, int height) {
  auto& state = vsmax::web::session();
  vsmax::web::resize(state, {width, height});
  return state.original.data();
}

// A new image with one white line on black, as `vsmax synth` draws it without noise.
void web_draw(int width, int height, double theta, double rho) {
  auto& state = vsmax::web::session();
  vsmax::web::resize(state, {width, height});
  state.truth = vsmax::PixelLine{theta, rho};
  std::vector<float> pixels(state.frame.pixels());
  vsmax::render_line(state.frame, *state.truth, 0.0, {}, pixels);
  for (std::size_t i = 0; i < pixels.size(); ++i)
    std::fill_n(state.original.data() + vsmax::web::kSamples * i, 3,
                vsmax::web::byte_from(pixels[i]));
}

// The image with the noise of `vsmax synth --sigma SIGMA --seed SEED`, the same in all colours.
const std::uint8_t* web_noise(double sigma, int seed) {
  auto& state = vsmax::web::session();
  state.noisy = state.original;
  if (sigma > 0.0) {
    const vsmax::SampleKey key{static_cast<std::uint64_t>(seed)};
    const auto deviation = static_cast<float>(sigma);
    vsmax::NormalBlock normal{};
    for (std::size_t i = 0; i < state.frame.pixels(); ++i) {
      if (i % 4 == 0)
        normal = vsmax::normal_block(
            draw(key, vsmax::Stream::kNoise, static_cast<std::uint32_t>(i / 4)));
      for (std::size_t c = 0; c < 3; ++c) {
        std::uint8_t& sample = state.noisy[vsmax::web::kSamples * i + c];
        sample = vsmax::web::byte_from(static_cast<float>(sample) / 255.0F +
                                       deviation * normal.value[i % 4]);
      }
    }
  }
  return state.noisy.data();
}

const char* web_explain(const char* model, double temperature) {
  return vsmax::web::guarded(
      [&](auto& state) { return vsmax::web::explain(state, model, temperature); });
}

// From the last web_explain: thetas x rhos values.
const float* web_accumulator() { return vsmax::web::session().trace.accumulator.data(); }
const float* web_probabilities() { return vsmax::web::session().trace.probabilities.data(); }

// `vsmax detect --json --model MODEL`.
const char* web_detect(const char* model) {
  return vsmax::web::guarded([&](auto& state) {
    auto found = state.detectors.find(model);
    if (found == state.detectors.end())
      found = state.detectors.emplace(model, vsmax::LineRecoverer(vsmax::load_model(model))).first;
    const vsmax::LinesWanted wanted{vsmax::LinesWanted::kAuto, 0.5};
    return vsmax::app::json_text("image", state.frame, found->second(state.view(), wanted));
  });
}
}
