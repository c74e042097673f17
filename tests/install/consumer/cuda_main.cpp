// SPDX-License-Identifier: Apache-2.0
// Finds a line on a GPU, or is told that there is none.
#include <vsmax/recover/cuda_recoverer.h>
#include <vsmax/vsmax.h>

#include <cstdint>
#include <cstdio>
#include <vector>

int main() {
  constexpr int kSide = 256;
  std::vector<std::uint8_t> pixels(kSide * kSide, 0);
  for (int i = 0; i < kSide; ++i) pixels[static_cast<std::size_t>(i) * kSide + 100] = 255;
  try {
    vsmax::LineRecoverer recover(vsmax::on_cuda(vsmax::load_model("paper")));
    const auto found = recover({pixels.data(), kSide, kSide});
    return found.lines.size() == 1 ? 0 : 1;
  } catch (const vsmax::Error& error) {
    std::puts(error.what());
  }
  return 0;
}
