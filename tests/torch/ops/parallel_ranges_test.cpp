// SPDX-License-Identifier: Apache-2.0
#include "vsmax/torch/ops/parallel_ranges.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <set>
#include <utility>
#include <vector>

namespace vsmax::test {
namespace {

// In order.
std::vector<std::pair<int64_t, int64_t>> ranges_of(int64_t count, int64_t grain) {
  std::mutex mutex;
  std::set<std::pair<int64_t, int64_t>> ranges;
  ops::parallel_ranges(count, grain, [&](int64_t begin, int64_t end) {
    const std::scoped_lock lock(mutex);
    ranges.emplace(begin, end);
  });
  return {ranges.begin(), ranges.end()};
}

class ParallelRanges : public ::testing::Test {
 protected:
  void TearDown() override { at::set_num_threads(before_); }
  int before_ = at::get_num_threads();
};

TEST_F(ParallelRanges, MakeUpTheWhole) {
  for (const int threads : {1, 2, 3, 8}) {
    at::set_num_threads(threads);
    for (const int64_t count : {0, 1, 2, 7, 100})
      for (const int64_t grain : {0, 1, 3, 1000}) {
        int64_t next = 0;
        const auto ranges = ranges_of(count, grain);
        for (const auto& [begin, end] : ranges) {
          EXPECT_EQ(begin, next);
          EXPECT_GE(end - begin, ranges.size() == 1 ? 1 : std::max<int64_t>(grain, 1));
          next = end;
        }
        EXPECT_EQ(next, count);
        EXPECT_LE(ranges.size(), static_cast<std::size_t>(threads));
      }
  }
}

TEST_F(ParallelRanges, AreAsManyAsThreadsUnlessTooShort) {
  at::set_num_threads(3);
  EXPECT_EQ(ranges_of(100, 1).size(), 3U);
  EXPECT_EQ(ranges_of(100, 50).size(), 2U);
  EXPECT_EQ(ranges_of(100, 60).size(), 1U);
}

TEST_F(ParallelRanges, RunAtTheSameTime) {
  at::set_num_threads(2);
  std::mutex mutex;
  std::condition_variable arrived;
  int present = 0;
  ops::parallel_ranges(2, 1, [&](int64_t /*begin*/, int64_t /*end*/) {
    std::unique_lock lock(mutex);
    ++present;
    arrived.notify_all();
    EXPECT_TRUE(arrived.wait_for(lock, std::chrono::minutes(1), [&] { return present == 2; }));
  });
}

}  // namespace
}  // namespace vsmax::test
