// SPDX-License-Identifier: Apache-2.0
#include "vsmax/evidence/drawing.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "vsmax/evidence/noisy_drawing.h"

namespace vsmax {
namespace {

constexpr std::size_t kGreen = 1;  // in a grey image, all channels are equal
// Enough to judge an image by: at most so many rows, and fewer in wide images.
constexpr int kMostRows = 512;
constexpr int kMostSampled = kMostRows * 1024;

// Calls visit(y) for rows spread evenly over the image, except the last.
template <class Visit>
void for_rows(const ImageView& image, const Visit& visit) {
  const auto [width, height] = image.frame();
  const int most = std::clamp(kMostSampled / width, 32, kMostRows);
  const int count = std::min(height - 1, most);
  for (int i = 0; i < count; ++i) visit(static_cast<int>(std::int64_t{i} * (height - 1) / count));
}

// Whether the areas are of exactly one value.
bool is_clean_drawing(const ImageView& image) {
  constexpr double kExtreme = 0.02;  // of the range, at either end: overexposed, or a dark sky
  constexpr double kFew = 0.02;      // of all pixels
  constexpr double kFlat = 0.5;      // of those between the extremes; photographs stay below 0.45
  // A JPEG has ringing around the shapes of a drawing, but its ground stays of one value.
  constexpr double kRinging = 0.15;  // of all pixels
  constexpr double kGround = 0.6;    // of all pixels

  std::vector<float> row(static_cast<std::size_t>(image.frame().width));
  std::vector<float> next(row.size());
  float darkest = std::numeric_limits<float>::max();
  float brightest = std::numeric_limits<float>::lowest();
  for_rows(image, [&](int y) {
    image.copy_channel_to(kGreen, y, row.data());
    for (const float value : row) {
      darkest = std::min(darkest, value);
      brightest = std::max(brightest, value);
    }
  });
  // At least two steps of 8 bits.
  const float margin =
      std::max(static_cast<float>(kExtreme) * (brightest - darkest), 2.5F / 255.0F);
  const float low = darkest + margin;
  const float high = brightest - margin;

  std::size_t all = 0;
  std::size_t between = 0;
  std::size_t flat = 0;    // of those between the extremes
  std::size_t ground = 0;  // of all
  for_rows(image, [&](int y) {
    image.copy_channel_to(kGreen, y, row.data());
    image.copy_channel_to(kGreen, y + 1, next.data());
    const std::size_t columns = row.size() - 1;
    std::uint32_t inner = 0;
    std::uint32_t equal = 0;
    std::uint32_t both = 0;
    for (std::size_t x = 0; x < columns; ++x) {
      const std::uint32_t is_flat =
          std::uint32_t{row[x] == row[x + 1]} & std::uint32_t{row[x] == next[x]};
      const std::uint32_t is_inner = std::uint32_t{row[x] > low} & std::uint32_t{row[x] < high};
      equal += is_flat;
      inner += is_inner;
      both += is_flat & is_inner;
    }
    all += columns;
    ground += equal;
    between += inner;
    flat += both;
  });
  const auto share = [all](std::size_t part) {
    return static_cast<double>(part) / static_cast<double>(std::max<std::size_t>(all, 1));
  };
  return share(between) < kFew ||
         static_cast<double>(flat) >= kFlat * static_cast<double>(between) ||
         (share(between) < kRinging && share(ground) >= kGround);
}

}  // namespace

bool is_drawing(const ImageView& image) {
  return is_clean_drawing(image) || is_noisy_drawing(image);
}

}  // namespace vsmax
