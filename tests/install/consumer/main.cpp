// SPDX-License-Identifier: Apache-2.0
// Exits with 0 if the installed library finds a line in an 8-bit image with padded rows, alone and
// in a batch, with every model that needs no file. Sees only the public header.
#include <vsmax/vsmax.h>

#include <cmath>
#include <cstdint>
#include <vector>

namespace {

constexpr int kWidth = 128;
constexpr int kHeight = 96;
constexpr int kRowBytes = 160;
const vsmax::PixelLine kTruth{0.9, 11.0};

// A line one pixel wide, as bytes.
std::vector<std::uint8_t> drawn_line() {
  const vsmax::ImageFrame frame{kWidth, kHeight};
  std::vector<std::uint8_t> pixels(kRowBytes * kHeight, 0);
  for (int row = 0; row < kHeight; ++row)
    for (int column = 0; column < kWidth; ++column) {
      const double distance = frame.x(column) * std::cos(kTruth.theta) +
                              frame.y(row) * std::sin(kTruth.theta) - kTruth.rho;
      if (std::abs(distance) < 0.5) pixels[row * kRowBytes + column] = 255;
    }
  return pixels;
}

bool is_the_line(const vsmax::Recovery& recovery) {
  return recovery.lines.size() == 1 &&
         vsmax::ea_score(recovery.lines[0].line, kTruth, {kWidth, kHeight}) > 0.95;
}

bool finds_the_line(const char* name) {
  const std::vector<std::uint8_t> pixels = drawn_line();
  const vsmax::ImageView image(pixels.data(), kWidth, kHeight, kRowBytes);
  const vsmax::Model model = vsmax::load_model(name);
  vsmax::LineRecoverer recover(model);
  vsmax::BatchRecoverer recover_batch(model, 2);
  const std::vector<vsmax::ImageView> images{image, image, image};
  bool found = is_the_line(recover(image));
  for (const auto& recovery : recover_batch(images)) found = found && is_the_line(recovery);
  return found;
}

}  // namespace

int main() {
  try {
    vsmax::load_model("no-such-model");
    return 1;
  } catch (const vsmax::Error&) {
    return finds_the_line("classic") && finds_the_line("paper") && finds_the_line("argmax") ? 0 : 1;
  }
}
