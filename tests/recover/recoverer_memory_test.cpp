// SPDX-License-Identifier: Apache-2.0
// A stream of images of one size allocates nothing but the lines that are returned.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "support/lines.h"
#include "support/models.h"
#include "support/random.h"
#include "vsmax/recover/line_recoverer.h"

namespace {
std::atomic<int> allocations{0};
}  // namespace

// Every allocation of this executable is counted.
void* operator new(std::size_t bytes) {
  ++allocations;
  if (void* memory = std::malloc(bytes)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace vsmax {
namespace {

TEST(RecovererMemory, IsThatOfTheFirstImage) {
  test::Random random;
  for (const Model& model :
       {load_model("classic"), load_model("argmax"), test::learned_model(random, "vsmax"),
        test::learned_model(random, "softargmax")})
    for (const ImageFrame size : {ImageFrame{24, 20}, ImageFrame{50, 41}}) {
      LineRecoverer recover(model);
      const auto first = test::image_of(size, {1.0, 3.0}, 0.3);
      const auto second = test::image_of(size, {2.0, -2.0}, 0.2);
      recover(first);
      const int before = allocations;
      const Recovery recovery = recover(second);
      const int made = allocations - before;
      EXPECT_EQ(made, 1) << model.name << " on " << size.width << "x" << size.height;
      EXPECT_EQ(recovery.lines.size(), 1U);
    }
}

}  // namespace
}  // namespace vsmax
