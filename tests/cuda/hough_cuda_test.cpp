// SPDX-License-Identifier: Apache-2.0
// The Hough transform's kernels give what Eq. 7 and 9 state: exactly where all sums are integers.
#include "vsmax/hough/hough_cuda.h"

#include <cuda_bf16.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <numeric>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "cuda_test.h"
#include "support/hough_images.h"
#include "support/hough_reference.h"
#include "support/random.h"
#include "vsmax/hough/hough.h"

namespace vsmax {
namespace {

using Bfloat = __nv_bfloat16;

template <class Value>
double number(Value value) {
  if constexpr (std::is_same_v<Value, Bfloat>)
    return static_cast<double>(__bfloat162float(value));
  else
    return static_cast<double>(value);
}

template <class Value>
Value value_of(double number) {
  if constexpr (std::is_same_v<Value, Bfloat>)
    return __float2bfloat16_rn(static_cast<float>(number));
  else
    return static_cast<Value>(number);
}

template <class Value>
std::vector<double> numbers(const std::vector<Value>& values) {
  std::vector<double> result;
  for (const Value& value : values) result.push_back(number(value));
  return result;
}

// The same numbers in another type.
template <class Value>
std::vector<Value> values_of(const std::vector<double>& numbers) {
  std::vector<Value> result;
  for (const double number : numbers) result.push_back(value_of<Value>(number));
  return result;
}

class Transform {
 public:
  explicit Transform(const HoughGrid& grid, bool with_table = true) : grid_(grid) {
    HoughCudaTable table = make_hough_cuda_table(grid);
    if (!with_table) {
      HoughCudaTable normals;
      normals.normals = table.normals;
      table = normals;
    }
    table_ =
        hough_table_on_device(grid, table, [this](const auto& values) { return keep(values); });
  }

  const HoughGrid& grid() const { return grid_; }
  const HoughTableOnDevice& table() const { return table_; }

  template <class Cell, class Pixel>
  std::vector<Cell> forward(const std::vector<Pixel>& images) const {
    return run<Cell>(images, grid_.frame().pixels(), grid_.cells(),
                     [&](auto... args) { return hough_forward_cuda(table_, args..., nullptr); });
  }
  template <class Pixel, class Cell>
  std::vector<Pixel> adjoint(const std::vector<Cell>& accumulators) const {
    return run<Pixel>(accumulators, grid_.cells(), grid_.frame().pixels(),
                      [&](auto... args) { return hough_adjoint_cuda(table_, args..., nullptr); });
  }

 private:
  template <class To, class From, class Launch>
  static std::vector<To> run(const std::vector<From>& from, std::size_t from_size,
                             std::size_t to_size, const Launch& launch) {
    const std::size_t batch = from.size() / from_size;
    const DeviceArray<From> input(from);
    DeviceArray<To> result(batch * to_size);
    check_cuda(launch(input.data(), result.data(), static_cast<std::int64_t>(batch)));
    return result.to_host();
  }

  template <class Value>
  const Value* keep(const std::vector<Value>& values) {
    auto array = std::make_shared<DeviceArray<Value>>(values);
    const Value* data = array->data();
    kept_.push_back(std::move(array));
    return data;
  }

  HoughGrid grid_;
  std::vector<std::shared_ptr<void>> kept_;
  HoughTableOnDevice table_{};
};

class HoughCuda : public test::CudaTest {
 protected:
  std::vector<double> integers(std::size_t count, int low, int high) {
    return random_.integers<double>(count, low, high);
  }

  template <class Pixel, class Cell>
  void expect_forward_is_exact(const Transform& transform, std::size_t batch, int low, int high) {
    const std::size_t pixels = transform.grid().frame().pixels();
    const std::size_t cells = transform.grid().cells();
    const auto images = integers(batch * pixels, low, high);
    const auto input = values_of<Pixel>(images);
    const auto found = test::in_any_order([&] { return numbers(transform.forward<Cell>(input)); });
    const reference::Votes votes(transform.grid());
    for (std::size_t b = 0; b < batch; ++b) {
      const auto truth = votes.forward(images.data() + b * pixels);
      for (std::size_t i = 0; i < cells; ++i) {
        double expected = truth[i];
        if (std::is_same_v<Pixel, std::uint8_t>)
          expected = number(static_cast<float>(expected) / 255.0F);
        ASSERT_EQ(found[b * cells + i], number(value_of<Cell>(expected)))
            << test::name_of(transform.grid()) << ", image " << b << ", cell " << i;
      }
    }
  }

  template <class Cell, class Pixel>
  void expect_adjoint_is_exact(const Transform& transform, std::size_t batch, int most) {
    const std::size_t pixels = transform.grid().frame().pixels();
    const std::size_t cells = transform.grid().cells();
    const auto accumulators = integers(batch * cells, -most, most);
    const auto input = values_of<Cell>(accumulators);
    const auto found = test::in_any_order([&] { return numbers(transform.adjoint<Pixel>(input)); });
    const reference::Votes votes(transform.grid());
    for (std::size_t b = 0; b < batch; ++b) {
      const auto truth = votes.adjoint(accumulators.data() + b * cells);
      for (std::size_t i = 0; i < pixels; ++i)
        ASSERT_EQ(found[b * pixels + i], number(value_of<Pixel>(truth[i])))
            << test::name_of(transform.grid()) << ", image " << b << ", pixel " << i;
    }
  }

#if defined(VSMAX_CUDA_ON_HOST)
  // The first image's cells alone in clusters, alone without, and in a batch without.
  template <class Pixel, class Cell>
  void expect_clusters_change_nothing(const Transform& transform, std::size_t batch) {
    const auto pixels = static_cast<std::ptrdiff_t>(transform.grid().frame().pixels());
    auto images = integers(batch * transform.grid().frame().pixels(), 0, 255);
    if (!std::is_same_v<Pixel, std::uint8_t>)
      for (double& value : images) value /= 255.0;
    const auto input = values_of<Pixel>(images);
    const std::vector<Pixel> first(input.begin(), input.begin() + pixels);
    const auto forward = [&](const auto& from) { return numbers(transform.forward<Cell>(from)); };
    cuda_on_host::used_clusters();
    const auto with = test::in_any_order([&] { return forward(first); });
    EXPECT_TRUE(cuda_on_host::used_clusters());
    cuda_on_host::set_architecture(80);
    const auto alone = forward(first);
    auto in_batch = forward(input);
    cuda_on_host::set_architecture(90);
    EXPECT_FALSE(cuda_on_host::used_clusters());
    in_batch.resize(alone.size());
    EXPECT_TRUE(with == alone) << test::name_of(transform.grid());
    EXPECT_TRUE(with == in_batch) << test::name_of(transform.grid());
  }
#endif

  test::Random random_;
};

TEST_F(HoughCuda, IsExactOnIntegers) {
  for (const auto& grid : test::many_grids()) {
    const Transform transform(grid);
    expect_forward_is_exact<float, float>(transform, 1, -255, 255);
    expect_forward_is_exact<std::uint8_t, float>(transform, 1, 0, 255);
    expect_adjoint_is_exact<float, float>(transform, 1, 500);
  }
}

TEST_F(HoughCuda, IsExactInEveryType) {
  for (const HoughGrid& grid :
       {HoughGrid({23, 31}, 15, 17), HoughGrid({24, 18}, 16, 33), HoughGrid({70, 41}, 9, 41)}) {
    const Transform transform(grid);
    expect_forward_is_exact<double, double>(transform, 2, -1000000, 1000000);
    expect_forward_is_exact<Bfloat, float>(transform, 2, -255, 255);
    expect_forward_is_exact<Bfloat, Bfloat>(transform, 2, -255, 255);
    expect_forward_is_exact<float, Bfloat>(transform, 2, -255, 255);
    expect_forward_is_exact<std::uint8_t, Bfloat>(transform, 2, 0, 255);
    expect_adjoint_is_exact<double, double>(transform, 2, 1000000);
    expect_adjoint_is_exact<Bfloat, float>(transform, 2, 255);
    expect_adjoint_is_exact<Bfloat, Bfloat>(transform, 2, 255);
    expect_adjoint_is_exact<float, Bfloat>(transform, 2, 255);
  }
}

TEST_F(HoughCuda, IsExactOnRandomGrids) {
  for (int repeat = 0; repeat < 25; ++repeat) {
    const HoughGrid grid({random_.integer(2, 90), random_.integer(2, 90)}, random_.integer(1, 40),
                         2 * random_.integer(1, 70) + 1);
    const Transform transform(grid);
    expect_forward_is_exact<std::uint8_t, float>(transform, 2, 0, 255);
    expect_adjoint_is_exact<float, float>(transform, 2, 500);
  }
}

TEST_F(HoughCuda, IsExactWithoutATable) {
  for (const HoughGrid& grid : {HoughGrid({2, 2}, 1, 3), HoughGrid({37, 20}, 5, 17),
                                HoughGrid({65, 35}, 4, 9), HoughGrid({33, 33}, 4, 33)}) {
    const Transform transform(grid, false);
    expect_forward_is_exact<float, float>(transform, 2, -255, 255);
    expect_forward_is_exact<std::uint8_t, float>(transform, 1, 0, 255);
    expect_forward_is_exact<double, double>(transform, 1, -255, 255);
    expect_adjoint_is_exact<float, float>(transform, 2, 500);
    expect_adjoint_is_exact<double, double>(transform, 1, 500);
  }
}

// More than 256 rows are held 16 columns at a time, more than 1022 not at all.
TEST_F(HoughCuda, IsExactOnLargeImages) {
  for (const HoughGrid& grid :
       {HoughGrid({35, 600}, 3, 33), HoughGrid({700, 67}, 4, 33), HoughGrid({4, 1100}, 2, 3),
        HoughGrid({3000, 3}, 4, 33), HoughGrid({3, 1023}, 2, 5)}) {
    const Transform transform(grid);
    expect_forward_is_exact<std::uint8_t, float>(transform, 1, 0, 255);
    expect_adjoint_is_exact<float, float>(transform, 1, 500);
  }
}

// Bins so narrow that the sums of a patch do not fit shared memory at once, or not at all.
TEST_F(HoughCuda, IsExactWithManyBins) {
  const Transform transform(HoughGrid({66, 34}, 36, 2001));
  EXPECT_LT(transform.table().packs_per_pass, 2);
  expect_forward_is_exact<float, float>(transform, 1, -255, 255);
  expect_adjoint_is_exact<float, float>(transform, 1, 500);
  expect_adjoint_is_exact<double, double>(transform, 1, 500);
}

TEST_F(HoughCuda, IsExactOnThePapersGrid) {
  const Transform transform(HoughGrid::paper());
  expect_forward_is_exact<std::uint8_t, float>(transform, 1, 0, 255);
  expect_forward_is_exact<float, float>(transform, 1, 0, 255);
  expect_adjoint_is_exact<float, float>(transform, 1, 500);
}

TEST_F(HoughCuda, IsExactOnAllWhiteImages) {
  const Transform transform(HoughGrid::paper());
  const std::size_t pixels = transform.grid().frame().pixels();
  const auto counts = HoughTransform(transform.grid()).pixel_counts();
  const auto found = transform.forward<float>(std::vector<std::uint8_t>(pixels, 255));
  for (std::size_t i = 0; i < counts.size(); ++i)
    ASSERT_EQ(found[i], static_cast<float>(counts[i])) << i;
}

// The same bits, however many images there are: one, few or many, with one to four groups of
// columns and of rows.
TEST_F(HoughCuda, TreatsEachImageOfABatchAlone) {
  using Case = std::tuple<int, int, std::size_t>;
  for (const auto& [width, height, batch] :
       {Case(60, 50, 2), Case(60, 50, 9), Case(200, 50, 9), Case(100, 120, 3), Case(190, 256, 4),
        Case(255, 130, 10), Case(70, 64, 70)}) {
    const Transform transform(HoughGrid({width, height}, 41, 45));
    const std::size_t pixels = transform.grid().frame().pixels();
    const std::size_t cells = transform.grid().cells();
    const auto images = random_.uniforms<float>(batch * pixels);
    const auto accumulators = random_.normals<float>(batch * cells);
    const auto forward = transform.forward<float>(images);
    const auto adjoint = transform.adjoint<float>(accumulators);
    const auto part = [](const auto& values, std::size_t size, std::size_t b) {
      const auto begin = values.begin() + static_cast<std::ptrdiff_t>(b * size);
      return std::vector(begin, begin + static_cast<std::ptrdiff_t>(size));
    };
    for (std::size_t b = 0; b < batch; ++b) {
      EXPECT_EQ(transform.forward<float>(part(images, pixels, b)), part(forward, cells, b));
      EXPECT_EQ(transform.adjoint<float>(part(accumulators, cells, b)), part(adjoint, pixels, b));
    }
  }
}

#if defined(VSMAX_CUDA_ON_HOST)
// The same bits with clusters and without, where blocks are few and read ahead, or many.
TEST_F(HoughCuda, DoesNotDependOnTheArchitecture) {
  for (const HoughGrid& grid : {HoughGrid({66, 40}, 21, 45), HoughGrid({100, 120}, 9, 45),
                                HoughGrid({180, 66}, 7, 127), HoughGrid({256, 256}, 7, 33)}) {
    const Transform transform(grid);
    expect_clusters_change_nothing<float, float>(transform, 17);
    expect_clusters_change_nothing<Bfloat, float>(transform, 17);
    expect_clusters_change_nothing<Bfloat, Bfloat>(transform, 17);
    expect_clusters_change_nothing<std::uint8_t, float>(transform, 17);
  }
}
#endif

TEST_F(HoughCuda, AdjointIsTheAdjoint) {
  for (const HoughGrid& grid : {HoughGrid({81, 61}, 16, 51), HoughGrid({65, 65}, 64, 65),
                                HoughGrid({2, 300}, 7, 31), HoughGrid({40, 30}, 20, 999)}) {
    const Transform transform(grid);
    const auto image = random_.normals<double>(grid.frame().pixels());
    const auto accumulator = random_.normals<double>(grid.cells());
    const auto transformed = transform.forward<double>(image);
    const auto back = transform.adjoint<double>(accumulator);
    const double left =
        std::inner_product(transformed.begin(), transformed.end(), accumulator.begin(), 0.0);
    const double right = std::inner_product(image.begin(), image.end(), back.begin(), 0.0);
    const double scale = std::sqrt(static_cast<double>(image.size()) * grid.thetas());
    EXPECT_NEAR(left, right, 1e-12 * scale) << test::name_of(grid);
  }
}

// In units of the last place of the largest result.
double largest_error_in_ulps(const std::vector<float>& found, const std::vector<double>& truth) {
  double error = 0.0;
  double scale = 0.0;
  for (std::size_t i = 0; i < truth.size(); ++i) {
    error = std::max(error, std::abs(static_cast<double>(found[i]) - truth[i]));
    scale = std::max(scale, std::abs(truth[i]));
  }
  return error / (scale * static_cast<double>(std::numeric_limits<float>::epsilon()));
}

// No more than those of adding one by one.
TEST_F(HoughCuda, FloatErrorsAreSmall) {
  const Transform transform(HoughGrid::paper());
  const reference::Votes votes(transform.grid());
  const auto image = random_.uniforms<float>(transform.grid().frame().pixels());
  const auto accumulator = random_.uniforms<float>(transform.grid().cells());
  const auto cells = votes.forward(image.data());
  const auto pixels = votes.adjoint(accumulator.data());
  const double forward = largest_error_in_ulps(transform.forward<float>(image), cells);
  const double adjoint = largest_error_in_ulps(transform.adjoint<float>(accumulator), pixels);
  RecordProperty("forward_ulps", std::to_string(forward));
  RecordProperty("adjoint_ulps", std::to_string(adjoint));
  EXPECT_LE(forward, largest_error_in_ulps(votes.forward<float>(image.data()), cells));
  EXPECT_LE(adjoint, largest_error_in_ulps(votes.adjoint<float>(accumulator.data()), pixels));
  EXPECT_LT(adjoint, 2.0);
}

TEST_F(HoughCuda, AnEmptyBatchTouchesNothing) {
  const Transform transform(HoughGrid({16, 16}, 8, 9));
  EXPECT_TRUE(transform.forward<float>(std::vector<float>()).empty());
  EXPECT_TRUE(transform.adjoint<float>(std::vector<float>()).empty());
}

}  // namespace
}  // namespace vsmax
