// SPDX-License-Identifier: Apache-2.0
// A stream of images of one size allocates nothing except the lines that are returned.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <vector>

#include "support/lines.h"
#include "support/models.h"
#include "support/random.h"
#include "vsmax/recover/line_recoverer.h"

namespace {
std::atomic<int> allocations{0};
}  // namespace

// Counts every allocation of this executable. Not inlined: GCC takes std::free for a mismatch.
[[gnu::noinline]] void* operator new(std::size_t bytes) {
  ++allocations;
  if (void* memory = std::malloc(bytes)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void* operator new(std::size_t bytes, std::align_val_t alignment) {
  ++allocations;
  const auto step = static_cast<std::size_t>(alignment);
  if (void* memory = std::aligned_alloc(step, (bytes + step - 1) / step * step)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  ++allocations;
  return std::malloc(bytes);
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}

namespace vsmax {
namespace {

// The second image costs one allocation: that of its line.
void expect_allocates_only_the_line(const Model& model, const ImageView& first,
                                    const ImageView& second) {
  LineRecoverer recover(model);
  recover(first);
  const int before = allocations;
  const Recovery recovery = recover(second);
  const int made = allocations - before;
  EXPECT_EQ(made, 1) << model.name << " on " << first.frame().width << "x" << first.frame().height;
  EXPECT_EQ(recovery.lines.size(), 1U);
}

TEST(RecovererMemory, IsThatOfTheFirstImage) {
  for (const Model& model : test::every_model())
    for (const ImageFrame size : {ImageFrame{24, 20}, ImageFrame{50, 41}})
      expect_allocates_only_the_line(model, test::image_of(size, {1.0, 3.0}, 0.3),
                                     test::image_of(size, {2.0, -2.0}, 0.2));
}

TEST(RecovererMemory, IsThatOfTheFirstViewWherePixelsAreConverted) {
  test::Random random;
  const auto bytes = random.integers<std::uint8_t>(2 * 50 * 41, 0, 255);
  for (const Model& model : test::every_model())
    for (const ImageFrame size : {ImageFrame{24, 20}, ImageFrame{50, 41}})
      expect_allocates_only_the_line(
          model, ImageView(bytes.data(), size.width, size.height),
          ImageView(bytes.data() + size.pixels(), size.width, size.height));
}

}  // namespace
}  // namespace vsmax
