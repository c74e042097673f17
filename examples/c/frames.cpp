// SPDX-License-Identifier: Apache-2.0
// Finds a line in part of an OpenCV image (colour or grey; 8-bit, 16-bit or float) without copying
// it:
//   c++ frames.cpp -o frames $(pkg-config --cflags --libs vsmax opencv4)
#include <vsmax/c/vsmax.h>

#include <cmath>
#include <cstdio>
#include <memory>
#include <opencv2/core.hpp>
#include <stdexcept>

namespace {

// The matrix must outlive the view.
vsmax_image view_of(const cv::Mat& mat) {
  if (mat.dims != 2 || mat.channels() == 2 || mat.channels() > 4)
    throw std::invalid_argument("only images of one, three or four channels are supported");
  vsmax_image image = VSMAX_IMAGE_INIT;
  image.pixels = mat.data;
  image.width = mat.cols;
  image.height = mat.rows;
  image.row_stride = static_cast<ptrdiff_t>(mat.step[0]);
  image.pixel_stride = static_cast<ptrdiff_t>(mat.elemSize());
  image.channels = mat.channels() == 1 ? VSMAX_GRAY : VSMAX_BGR;  // a fourth channel is skipped
  switch (mat.depth()) {
    case CV_8U:
      image.sample_type = VSMAX_UINT8;
      break;
    case CV_16U:
      image.sample_type = VSMAX_UINT16;
      break;
    case CV_32F:
      image.sample_type = VSMAX_FLOAT32;
      break;
    default:
      throw std::invalid_argument("only 8-bit, 16-bit and float matrices are supported");
  }
  return image;
}

struct Destroy {
  void operator()(vsmax_recoverer* recoverer) const { vsmax_recoverer_destroy(recoverer); }
};
using Recoverer = std::unique_ptr<vsmax_recoverer, Destroy>;

Recoverer make_recoverer(const char* model) {
  vsmax_recoverer* recoverer = nullptr;
  if (vsmax_recoverer_create(model, &recoverer) != VSMAX_OK)
    throw std::runtime_error(vsmax_last_error());
  return Recoverer(recoverer);
}

// A bright line in noise, 40 pixels below the centre at the angle 1.2.
cv::Mat drawn_frame() {
  cv::Mat frame(480, 640, CV_8UC3);
  cv::randn(frame, cv::Scalar::all(60), cv::Scalar::all(15));
  for (int row = 0; row < frame.rows; ++row)
    for (int column = 0; column < frame.cols; ++column) {
      const double x = column - 0.5 * (frame.cols - 1);
      const double y = row - 0.5 * (frame.rows - 1);
      if (std::abs(x * std::cos(1.2) + y * std::sin(1.2) - 40.0) < 0.5)
        frame.at<cv::Vec3b>(row, column) = {180, 200, 220};
    }
  return frame;
}

}  // namespace

int main() try {
  const Recoverer recoverer = make_recoverer("default");
  const cv::Mat frame = drawn_frame();
  const cv::Mat middle = frame(cv::Rect(160, 120, 320, 240));  // shares the frame's memory
  const vsmax_image image = view_of(middle);
  vsmax_result result = VSMAX_RESULT_INIT;
  if (vsmax_recover(recoverer.get(), &image, nullptr, &result) != VSMAX_OK)
    throw std::runtime_error(vsmax_last_error());
  for (size_t i = 0; i < result.line_count; ++i)
    std::printf("theta %.3f +- %.3f, rho %.2f +- %.2f px\n", result.lines[i].theta,
                result.lines[i].theta_sd, result.lines[i].rho, result.lines[i].rho_sd);
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
