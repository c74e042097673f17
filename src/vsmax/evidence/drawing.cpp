// SPDX-License-Identifier: Apache-2.0
#include "vsmax/evidence/drawing.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace vsmax {
namespace {

constexpr std::size_t kGreen = 1;  // in a grey image, all channels are equal
constexpr int kMostRows = 512;     // enough to judge an image by

// Calls visit(row, next) with the values of a row and of the one below it, for rows spread evenly
// over the image.
template <class Visit>
void for_rows(const ImageView& image, const Visit& visit) {
  const auto [width, height] = image.frame();
  std::vector<float> row(static_cast<std::size_t>(width));
  std::vector<float> next(row.size());
  const int count = std::min(height - 1, kMostRows);
  for (int i = 0; i < count; ++i) {
    const auto y = static_cast<int>(std::int64_t{i} * (height - 1) / count);
    image.copy_channel_to(kGreen, y, row.data());
    image.copy_channel_to(kGreen, y + 1, next.data());
    visit(row, next);
  }
}

}  // namespace

bool is_drawing(const ImageView& image) {
  constexpr double kExtreme = 0.02;  // of the range, at either end: overexposed, or a dark sky
  constexpr double kFew = 0.02;      // of all pixels
  constexpr double kFlat = 0.5;      // of those between the extremes; photographs stay below 0.45
  // A JPEG has ringing around the shapes of a drawing, but its ground stays of one value.
  constexpr double kRinging = 0.15;  // of all pixels
  constexpr double kGround = 0.6;    // of all pixels

  float darkest = 0.0F;
  float brightest = 0.0F;
  bool first = true;
  for_rows(image, [&](const std::vector<float>& row, const std::vector<float>& /*next*/) {
    const auto [low, high] = std::minmax_element(row.begin(), row.end());
    darkest = first ? *low : std::min(darkest, *low);
    brightest = first ? *high : std::max(brightest, *high);
    first = false;
  });
  // At least two steps of 8 bits.
  const float margin =
      std::max(static_cast<float>(kExtreme) * (brightest - darkest), 2.5F / 255.0F);

  std::size_t all = 0;
  std::size_t between = 0;
  std::size_t flat = 0;    // of those between the extremes
  std::size_t ground = 0;  // of all
  for_rows(image, [&](const std::vector<float>& row, const std::vector<float>& next) {
    for (std::size_t x = 0; x + 1 < row.size(); ++x) {
      const bool is_flat = row[x] == row[x + 1] && row[x] == next[x];
      ++all;
      if (is_flat) ++ground;
      if (!(row[x] > darkest + margin && row[x] < brightest - margin)) continue;
      ++between;
      if (is_flat) ++flat;
    }
  });
  const auto share = [all](std::size_t part) {
    return static_cast<double>(part) / static_cast<double>(std::max<std::size_t>(all, 1));
  };
  return share(between) < kFew ||
         static_cast<double>(flat) >= kFlat * static_cast<double>(between) ||
         (share(between) < kRinging && share(ground) >= kGround);
}

}  // namespace vsmax
