// SPDX-License-Identifier: Apache-2.0
#include "vsmax/evidence/learned_evidence.h"

#include <algorithm>
#include <cmath>

#include "vsmax/base/finite.h"

namespace vsmax {

namespace {

// Scales to mean 0 and deviation 1 over all values; an image without contrast becomes 0. The
// constant keeps the noise of a nearly black image from being amplified.
void normalize(std::vector<float>& values) {
  constexpr double kLeastDeviation = 1e-3;
  double sum = 0.0;
  double squares = 0.0;
  for (const float value : values) sum += value;
  const double mean = sum / static_cast<double>(values.size());
  for (const float value : values) squares += (value - mean) * (value - mean);
  const double deviation = std::sqrt(squares / static_cast<double>(values.size() - 1));
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  const double factor = *least == *most ? 0.0 : 1.0 / (deviation + kLeastDeviation);
  for (float& value : values) value = static_cast<float>((value - mean) * factor);
}

// Throws the Error for a pixel that is not finite, which only an image of floats can have.
void report_pixel(const ImageView& image) {
  std::vector<float> pixels(image.frame().pixels());
  image.copy_to(pixels.data());
  require_finite(pixels, image.frame());
}

int side(double wanted) {
  constexpr int kGranule = FrontNet::kGranule;
  return std::max(2, static_cast<int>(std::lround(wanted / kGranule))) * kGranule;
}

}  // namespace

ImageFrame LearnedEvidence::working_frame(const ImageFrame& image, const ImageFrame& nominal) {
  const double scale =
      std::sqrt(static_cast<double>(nominal.pixels()) / static_cast<double>(image.pixels()));
  return {side(image.width * scale), side(image.height * scale)};
}

Evidence LearnedEvidence::operator()(const ImageView& image, const FrontNet& net,
                                     const ImageFrame& nominal, int threads) {
  const ImageFrame& size = image.frame();
  require_extent(size);
  const ImageFrame frame = working_frame(size, nominal);
  input_.resize(FrontNet::kInputs * frame.pixels());
  for (std::size_t c = 0; c < FrontNet::kInputs; ++c) {
    if (c < image.channels()) average_(image, c, frame, reduced_);  // grey: three equal channels
    for (std::size_t i = 0; i < reduced_.size(); ++i)
      input_[FrontNet::kInputs * i + c] = reduced_[i];
  }
  if (!all_finite(input_)) report_pixel(image);
  normalize(input_);
  evidence_.resize(frame.pixels());
  scratch_.threads = threads;
  net.forward(input_, frame, evidence_, scratch_);
  return {frame,
          evidence_,
          input_,
          {static_cast<double>(frame.width) / size.width,
           static_cast<double>(frame.height) / size.height, 0.0, 0.0},
          {}};
}

}  // namespace vsmax
