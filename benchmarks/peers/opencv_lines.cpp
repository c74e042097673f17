// SPDX-License-Identifier: Apache-2.0
// OpenCV's line detectors behind the interface of 'vsmax detect --json', so that
// 'vsmax evaluate --answers' scores them on the same images by the same protocol:
//   opencv-lines hough 1 DIR/images/*.jpg > hough.jsonl
//   vsmax evaluate --data DIR --protocol horizon --answers hough.jsonl
// Images are decoded by vsmax, so that every detector sees the same grey values.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <numbers>
#include <opencv2/imgproc.hpp>
#include <string>
#include <vector>

#include "vsmax/base/error.h"
#include "vsmax/geometry/line.h"
#include "vsmax/image/image_file.h"

namespace {

using Json = nlohmann::ordered_json;
using vsmax::ImageFrame;
using vsmax::PixelLine;

struct FoundLine {
  PixelLine line;
  double confidence = 0.0;
};

// A line in OpenCV's coordinates, which count from the centre of the top-left pixel.
PixelLine from_corner(double theta, double rho, const ImageFrame& frame) {
  const double centre =
      frame.half_width() * std::cos(theta) + frame.half_height() * std::sin(theta);
  return vsmax::canonical(PixelLine{theta, rho - centre});
}

// Fixed thresholds find nothing in half of the infrared images, so they follow the image: the
// strongest tenth of the gradients are edges, and those above 0.4 times their threshold may
// continue them.
cv::Mat edges_of(const cv::Mat& image) {
  cv::Mat across;
  cv::Mat down;
  cv::Mat edges;
  cv::Sobel(image, across, CV_16S, 1, 0);
  cv::Sobel(image, down, CV_16S, 0, 1);
  const cv::Mat strength = cv::abs(across) + cv::abs(down);  // as Canny measures it
  std::vector<std::int16_t> sorted(strength.begin<std::int16_t>(), strength.end<std::int16_t>());
  const auto limit = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() * 9 / 10);
  std::nth_element(sorted.begin(), limit, sorted.end());
  const double high = std::max<double>(1.0, *limit);
  cv::Canny(across, down, edges, 0.4 * high, high);
  return edges;
}

// Cells of one pixel by one degree. Sorted by votes; the confidence is the number of votes divided
// by the diagonal.
std::vector<FoundLine> hough_lines(const cv::Mat& image, const ImageFrame& frame) {
  constexpr int kFewestVotes = 10;
  std::vector<cv::Vec3f> found;  // rho, theta, votes; most votes first
  cv::HoughLines(edges_of(image), found, 1.0, std::numbers::pi / 180.0, kFewestVotes);
  std::vector<FoundLine> lines;
  for (const cv::Vec3f& line : found)
    lines.push_back({from_corner(line[1], line[0], frame),
                     std::min(1.0, line[2] / (2.0 * frame.half_diagonal()))});
  return lines;
}

// Segments extended to lines. Sorted by length; the confidence is the length divided by the
// diagonal.
std::vector<FoundLine> segment_lines(const cv::Mat& image, const ImageFrame& frame) {
  std::vector<cv::Vec4f> found;  // x0, y0, x1, y1
  cv::createLineSegmentDetector()->detect(image, found);
  std::vector<FoundLine> lines;
  for (const cv::Vec4f& s : found) {
    const double theta = std::atan2(s[2] - s[0], s[1] - s[3]);  // of the normal
    const double rho = s[0] * std::cos(theta) + s[1] * std::sin(theta);
    const double length = std::hypot(s[2] - s[0], s[3] - s[1]);
    lines.push_back(
        {from_corner(theta, rho, frame), std::min(1.0, length / (2.0 * frame.half_diagonal()))});
  }
  std::stable_sort(lines.begin(), lines.end(), [](const FoundLine& a, const FoundLine& b) {
    return a.confidence > b.confidence;
  });
  return lines;
}

Json ends_of(PixelLine line, const ImageFrame& frame) {
  const auto visible = vsmax::visible_segment(line, frame);
  if (!visible) return nullptr;
  auto ends = Json::array();
  for (const auto& [x, y] : {visible->begin, visible->end})
    ends.push_back({x + frame.half_width(), y + frame.half_height()});
  return ends;
}

void print_lines(const std::string& method, std::size_t most, const std::string& path) {
  const vsmax::GrayImage image = vsmax::read_image(path);
  const ImageFrame frame = image.frame();
  cv::Mat pixels;
  cv::Mat(frame.height, frame.width, CV_32F, const_cast<float*>(image.pixels.data()))
      .convertTo(pixels, CV_8U, 255.0);
  const auto found = method == "hough" ? hough_lines(pixels, frame) : segment_lines(pixels, frame);
  auto lines = Json::array();
  for (const auto& [line, confidence] : found) {
    if (lines.size() == most) break;
    lines.push_back({{"theta", line.theta},
                     {"rho", line.rho},
                     {"confidence", confidence},
                     {"endpoints", ends_of(line, frame)}});
  }
  const Json row{
      {"image", path}, {"width", frame.width}, {"height", frame.height}, {"lines", lines}};
  std::printf("%s\n", row.dump(-1, ' ', false, Json::error_handler_t::replace).c_str());
}

}  // namespace

int main(int argc, char** argv) {
  const std::string method = argc > 1 ? argv[1] : "";
  const long most = argc > 2 ? std::strtol(argv[2], nullptr, 10) : 0;
  if (argc < 4 || (method != "hough" && method != "lsd") || most < 1) {
    std::fputs("usage: opencv-lines hough|lsd LINES_PER_IMAGE IMAGE...\n", stderr);
    return 2;
  }
  try {
    for (int i = 3; i < argc; ++i) print_lines(method, static_cast<std::size_t>(most), argv[i]);
  } catch (const vsmax::Error& error) {
    std::fprintf(stderr, "opencv-lines: %s\n", error.what());
    return 1;
  }
  return 0;
}
