// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "vsmax/base/error.h"
#include "vsmax/c/arguments.h"
#include "vsmax/c/status.h"
#include "vsmax/c/vsmax.h"
#include "vsmax/geometry/ea_score.h"
#include "vsmax/image/image_file.h"
#include "vsmax/io/file.h"
#include "vsmax/recover/line_recoverer.h"

using vsmax::c_interface::ArgumentError;
using vsmax::c_interface::guarded;
using vsmax::c_interface::required;

struct vsmax_recoverer {  // NOLINT(readability-identifier-naming): its name in C
  vsmax::LineRecoverer recover;
  std::string model{};              // of the last result
  std::vector<vsmax_line> lines{};  // of the last result
};

namespace vsmax::c_interface {
namespace {

// NULL beyond the last model.
const char* text_of_model(std::size_t index, std::string ModelDescription::*text) {
  const char* found = nullptr;
  static_cast<void>(guarded([&] {
    static const auto models = builtin_models();
    if (index < models.size()) found = (models[index].*text).c_str();
  }));
  return found;
}

vsmax_recoverer* make_recoverer(Model model) {
  return std::make_unique<vsmax_recoverer>(vsmax_recoverer{LineRecoverer(std::move(model))})
      .release();
}

vsmax_line plain_line(const RecoveredLine& found, const ImageFrame& frame) {
  vsmax_line line{};
  line.theta = found.line.theta;
  line.rho = found.line.rho;
  line.confidence = found.confidence;
  if (found.visible) {
    line.is_visible = 1;
    line.x1 = found.visible->begin[0] + frame.half_width();
    line.y1 = found.visible->begin[1] + frame.half_height();
    line.x2 = found.visible->end[0] + frame.half_width();
    line.y2 = found.visible->end[1] + frame.half_height();
  }
  if (found.spread) {
    const LineSpread& spread = *found.spread;
    line.has_spread = 1;
    line.theta_sd = spread.theta_sd;
    line.rho_sd = spread.rho_sd;
    line.correlation = spread.correlation;
    std::copy(spread.theta_68.begin(), spread.theta_68.end(), std::begin(line.theta_68));
    std::copy(spread.theta_95.begin(), spread.theta_95.end(), std::begin(line.theta_95));
    std::copy(spread.rho_68.begin(), spread.rho_68.end(), std::begin(line.rho_68));
    std::copy(spread.rho_95.begin(), spread.rho_95.end(), std::begin(line.rho_95));
  }
  return line;
}

void recover_view(vsmax_recoverer& recoverer, const ImageView& image, const LinesWanted& wanted,
                  vsmax_result& to) {
  Recovery recovery = recoverer.recover(image, wanted);
  std::vector<vsmax_line> lines;
  lines.reserve(recovery.lines.size());
  for (const RecoveredLine& found : recovery.lines)
    lines.push_back(plain_line(found, image.frame()));
  recoverer.model = recovery.model;
  recoverer.lines = std::move(lines);
  vsmax_result result{};
  result.lines = recoverer.lines.empty() ? nullptr : recoverer.lines.data();
  result.line_count = recoverer.lines.size();
  result.model = recoverer.model.c_str();
  result.width = image.frame().width;
  result.height = image.frame().height;
  hand_over(result, to);
}

// `read` returns the bytes of the image; arguments are checked first.
template <class Read>
void recover_decoded(vsmax_recoverer& recoverer, const vsmax_options* options,
                     vsmax_result* given_result, const std::string& name, const Read& read) {
  vsmax_result& result = required(given_result, "result");
  require_size(result);
  const LinesWanted wanted = wanted_by(options);
  const auto recover = [&](const auto& image) {
    try {
      recover_view(recoverer, image, wanted, result);
    } catch (const Error& error) {
      throw Error(name + ": " + error.what());
    }
  };
  use_decoded(read(), name, recoverer.recover.model().sees_colour(), recover);
}

}  // namespace
}  // namespace vsmax::c_interface

const char* vsmax_version(void) { return VSMAX_VERSION; }

int vsmax_abi_version(void) { return VSMAX_ABI_VERSION; }

const char* vsmax_builtin_model(size_t index) {
  return vsmax::c_interface::text_of_model(index, &vsmax::ModelDescription::name);
}

const char* vsmax_builtin_description(size_t index) {
  return vsmax::c_interface::text_of_model(index, &vsmax::ModelDescription::sentence);
}

vsmax_status vsmax_recoverer_create(const char* model, vsmax_recoverer** recoverer) {
  return guarded([&] {
    vsmax_recoverer*& result = required(recoverer, "recoverer");
    result = vsmax::c_interface::make_recoverer(vsmax::load_model(&required(model, "model")));
  });
}

vsmax_status vsmax_recoverer_create_dark(const char* model, vsmax_recoverer** recoverer) {
  return guarded([&] {
    vsmax_recoverer*& result = required(recoverer, "recoverer");
    const std::string name(&required(model, "model"));
    vsmax::Model loaded = vsmax::load_model(name == "auto" ? "default" : name);
    if (loaded.spec.evidence != vsmax::EvidenceKind::kIntensity)
      throw ArgumentError("dark lines need a model of thin lines, which " + name + " is not");
    loaded.spec.polarity = vsmax::Polarity::kDark;
    result = vsmax::c_interface::make_recoverer(std::move(loaded));
  });
}

vsmax_status vsmax_recoverer_copy(const vsmax_recoverer* original, vsmax_recoverer** copy) {
  return guarded([&] {
    vsmax_recoverer*& result = required(copy, "copy");
    auto made = std::make_unique<vsmax_recoverer>(
        vsmax_recoverer{vsmax::LineRecoverer(required(original, "original").recover)});
    result = made.release();
  });
}

void vsmax_recoverer_destroy(vsmax_recoverer* recoverer) {
  const std::unique_ptr<vsmax_recoverer> owned(recoverer);
}

vsmax_status vsmax_recoverer_set_threads(vsmax_recoverer* recoverer, int threads) {
  return guarded([&] {
    auto& recover = required(recoverer, "recoverer").recover;
    vsmax::c_interface::require_threads(threads);
    recover.use_threads(threads);
  });
}

const char* vsmax_recoverer_warning(const vsmax_recoverer* recoverer) {
  return recoverer == nullptr ? "" : recoverer->recover.model().warning.c_str();
}

vsmax_status vsmax_recover(vsmax_recoverer* recoverer, const vsmax_image* image,
                           const vsmax_options* options, vsmax_result* result) {
  return guarded([&] {
    using namespace vsmax::c_interface;
    auto& used = required(recoverer, "recoverer");
    const vsmax::ImageView view = view_of(image);
    const vsmax::LinesWanted wanted = wanted_by(options);
    require_size(required(result, "result"));
    recover_view(used, view, wanted, *result);
  });
}

vsmax_status vsmax_recover_file(vsmax_recoverer* recoverer, const char* path,
                                const vsmax_options* options, vsmax_result* result) {
  return guarded([&] {
    auto& used = required(recoverer, "recoverer");
    const std::string name(&required(path, "path"));
    vsmax::c_interface::recover_decoded(used, options, result, vsmax::name_of_file(name),
                                        [&] { return vsmax::read_file(name); });
  });
}

vsmax_status vsmax_recover_encoded(vsmax_recoverer* recoverer, const void* bytes, size_t size,
                                   const vsmax_options* options, vsmax_result* result) {
  return guarded([&] {
    auto& used = required(recoverer, "recoverer");
    const std::string name = "encoded image";
    const std::span content(&required(static_cast<const std::uint8_t*>(bytes), "bytes"), size);
    vsmax::c_interface::recover_decoded(used, options, result, name, [&] { return content; });
  });
}

vsmax_status vsmax_ea_score(const vsmax_line* a, const vsmax_line* b, int width, int height,
                            double* score) {
  return guarded([&] {
    const vsmax_line& first = required(a, "a");
    const vsmax_line& second = required(b, "b");
    const vsmax::ImageFrame frame = vsmax::c_interface::frame_of(width, height);
    for (const double value : {first.theta, first.rho, second.theta, second.rho})
      if (!std::isfinite(value))
        throw ArgumentError("theta and rho of a line must be finite, but one is " +
                            std::to_string(value));
    required(score, "score") =
        vsmax::ea_score({first.theta, first.rho}, {second.theta, second.rho}, frame);
  });
}
