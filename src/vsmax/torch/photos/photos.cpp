// SPDX-License-Identifier: Apache-2.0
#include "vsmax/torch/photos/photos.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "vsmax/base/error.h"
#include "vsmax/evidence/area_average.h"
#include "vsmax/image/image_file.h"
#include "vsmax/image/image_view.h"
#include "vsmax/torch/photos/polar_lines.h"

namespace vsmax {
namespace {

// Photographs are kept a little larger than the frame, for views that zoom in.
constexpr double kSpare = 1.25;

ImageFrame reduced_size(const ImageFrame& image, const ImageFrame& frame) {
  const double scale = kSpare * std::max(static_cast<double>(frame.width) / image.width,
                                         static_cast<double>(frame.height) / image.height);
  if (scale >= 1.0) return image;
  return {std::max(2, static_cast<int>(std::lround(image.width * scale))),
          std::max(2, static_cast<int>(std::lround(image.height * scale)))};
}

// [3, H, W] uint8.
torch::Tensor reduced_photo(const RgbImage& image, const ImageFrame& size) {
  const ImageView view(image);
  AreaAverage average;
  std::vector<float> reduced;
  auto result = torch::empty({3, size.height, size.width}, torch::kUInt8);
  auto* to = result.data_ptr<std::uint8_t>();
  for (std::size_t c = 0; c < 3; ++c) {
    average(view, c, size, reduced);
    for (const float value : reduced)
      *to++ = static_cast<std::uint8_t>(std::lround(255.0F * value));
  }
  return result;
}

// The line's ends from the centre of the reduced image, in its pixels (Eq. 26).
std::array<float, 4> reduced_ends(const LabelledLine& line, const ImageFrame& image,
                                  const ImageFrame& size) {
  const double across = static_cast<double>(size.width) / image.width;
  const double down = static_cast<double>(size.height) / image.height;
  const auto& [x0, y0, x1, y1] = line.ends;
  return {static_cast<float>((x0 - image.half_width()) * across),
          static_cast<float>((y0 - image.half_height()) * down),
          static_cast<float>((x1 - image.half_width()) * across),
          static_cast<float>((y1 - image.half_height()) * down)};
}

torch::Tensor between(const torch::TensorOptions& options, int64_t count, double low, double high) {
  return torch::rand({count, 1, 1}, options) * (high - low) + low;
}

}  // namespace

Photos load_photos(const LabelledFolder& folder, const ImageFrame& frame, torch::Device device) {
  std::vector<torch::Tensor> pixels;
  std::size_t most_lines = 1;
  ImageFrame largest{1, 1};
  const auto count = static_cast<int64_t>(folder.images.size());
  auto sizes = torch::empty({count, 2});
  std::vector<std::vector<std::array<float, 4>>> lines;
  for (const LabelledImage& image : folder.images) {
    const RgbImage photo = read_rgb_image(image.path);
    require_inside(folder, image, photo.frame());
    const ImageFrame size = reduced_size(photo.frame(), frame);
    const auto row = static_cast<int64_t>(pixels.size());
    sizes[row][0] = size.width;
    sizes[row][1] = size.height;
    pixels.push_back(reduced_photo(photo, size));
    largest = {std::max(largest.width, size.width), std::max(largest.height, size.height)};
    lines.emplace_back();
    for (const LabelledLine& line : image.lines)
      lines.back().push_back(reduced_ends(line, photo.frame(), size));
    most_lines = std::max(most_lines, image.lines.size());
  }
  auto padded = torch::zeros({count, 3, largest.height, largest.width}, torch::kUInt8);
  auto ends = torch::full({count, static_cast<int64_t>(most_lines), 4},
                          std::numeric_limits<float>::quiet_NaN());
  for (int64_t i = 0; i < count; ++i) {
    const auto index = static_cast<std::size_t>(i);
    const auto& photo = pixels[index];
    padded[i].narrow(1, 0, photo.size(1)).narrow(2, 0, photo.size(2)).copy_(photo);
    for (std::size_t k = 0; k < lines[index].size(); ++k)
      ends[i][static_cast<int64_t>(k)].copy_(
          torch::tensor(std::vector<float>(lines[index][k].begin(), lines[index][k].end())));
  }
  return {padded.to(device), sizes.to(device), ends.to(device)};
}

ViewGeometry random_views(int64_t count, const Augmentation& augmentation, torch::Device device) {
  const auto options = torch::TensorOptions().dtype(torch::kFloat).device(device);
  const double turn = augmentation.rotation * std::numbers::pi / 180.0;
  ViewGeometry geometry;
  geometry.angle = between(options, count, -turn, turn);
  geometry.zoom = torch::exp(
      between(options, count, std::log(augmentation.scale[0]), std::log(augmentation.scale[1])));
  geometry.mirror = torch::ones({count, 1, 1}, options);
  if (augmentation.mirror)
    geometry.mirror =
        torch::where(torch::rand({count, 1, 1}, options) < 0.5, -geometry.mirror, geometry.mirror);
  geometry.shift_x = between(options, count, -augmentation.shift, augmentation.shift);
  geometry.shift_y = between(options, count, -augmentation.shift, augmentation.shift);
  // Drawn only if wanted, so that the other random numbers stay the same.
  geometry.shear = torch::zeros({count, 1, 1}, options);
  if (augmentation.shear > 0.0)
    geometry.shear = between(options, count, -augmentation.shear, augmentation.shear);
  geometry.stretch = torch::ones({count, 1, 1}, options);
  if (augmentation.stretch > 1.0) {
    const double most = 0.5 * std::log(augmentation.stretch);
    geometry.stretch = torch::exp(between(options, count, -most, most));
  }
  return geometry;
}

ViewGeometry rotated_views(const torch::Tensor& angles) {
  const auto angle = angles.view({-1, 1, 1});
  const auto one = torch::ones_like(angle);
  const auto none = torch::zeros_like(angle);
  return {angle, one, one, none, none, none, one};
}

Views view_photos(const Photos& photos, const torch::Tensor& index, const ImageFrame& frame,
                  const ViewGeometry& geometry) {
  const int64_t count = index.size(0);
  const auto sizes = photos.sizes.index_select(0, index).view({count, 1, 2});
  const auto width = sizes.slice(2, 0, 1);  // [B, 1, 1]
  const auto height = sizes.slice(2, 1, 2);
  const auto& flip = geometry.mirror;
  const auto shift_x = geometry.shift_x * width;
  const auto shift_y = geometry.shift_y * height;
  // From the view to the photograph, both from their centres: p = step R S F v + shift, where S
  // shears and stretches.
  const auto step = torch::minimum(width / frame.width, height / frame.height) / geometry.zoom;
  const auto cosine = torch::cos(geometry.angle);
  const auto sine = torch::sin(geometry.angle);

  const auto [x, y] = pixel_positions(frame, photos.images.device());
  const auto columns = x.view({1, 1, -1});
  const auto rows = y.view({1, -1, 1});
  const auto sheared =
      columns * flip / geometry.stretch + geometry.shear * (rows + frame.half_height());
  const auto stretched = rows * geometry.stretch;
  const auto across = (sheared * cosine - stretched * sine) * step + shift_x;
  const auto down = (sheared * sine + stretched * cosine) * step + shift_y;
  // Beyond its border a photograph continues with its outermost pixels.
  const auto column = torch::minimum((across + 0.5 * (width - 1.0)).clamp_min(0.0), width - 1.0);
  const auto row = torch::minimum((down + 0.5 * (height - 1.0)).clamp_min(0.0), height - 1.0);
  const auto grid =
      torch::stack({(column + 0.5) * (2.0 / static_cast<double>(photos.images.size(3))) - 1.0,
                    (row + 0.5) * (2.0 / static_cast<double>(photos.images.size(2))) - 1.0},
                   -1);
  const auto source = photos.images.index_select(0, index).to(torch::kFloat) / 255.0;
  constexpr int64_t kBilinear = 0;
  constexpr int64_t kBorder = 1;
  const auto images = torch::grid_sampler(source, grid, kBilinear, kBorder, false);

  // The lines go the other way: v = F S^-1 R^T (p - shift) / step.
  const auto ends = photos.ends.index_select(0, index).view({count, -1, 2});
  const auto from_x = ends.slice(2, 0, 1) - shift_x;
  const auto from_y = ends.slice(2, 1, 2) - shift_y;
  const auto to_y = (from_y * cosine - from_x * sine) / (step * geometry.stretch);
  const auto to_x =
      ((from_x * cosine + from_y * sine) / step - geometry.shear * (to_y + frame.half_height())) *
      geometry.stretch * flip;
  return {images, torch::cat({to_x, to_y}, 2).view({count, -1, 4})};
}

}  // namespace vsmax
