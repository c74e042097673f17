// SPDX-License-Identifier: Apache-2.0
#include "vsmax/base/parallel.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <fstream>
#include <stdexcept>
#include <thread>
#include <vector>

namespace vsmax {
namespace {

TEST(ParallelFor, VisitsEveryItemOnce) {
  for (const int threads : {1, 2, 3, 8})
    for (const std::size_t count : {0UL, 1UL, 2UL, 7UL, 1000UL}) {
      std::vector<std::atomic<int>> visits(count);
      parallel_for(count, threads, [&](std::size_t item, std::size_t) { ++visits.at(item); });
      for (const auto& visit : visits) ASSERT_EQ(visit, 1) << threads << " threads, " << count;
    }
}

TEST(ParallelFor, NumbersItsWorkersBelowTheThreads) {
  for (const int threads : {1, 2, 5}) {
    std::atomic<std::size_t> largest{0};
    parallel_for(200, threads, [&](std::size_t, std::size_t worker) {
      std::size_t seen = largest;
      while (worker > seen && !largest.compare_exchange_weak(seen, worker)) {
      }
    });
    EXPECT_LT(largest, static_cast<std::size_t>(threads));
  }
}

TEST(ParallelFor, GivesAWorkerToOneItemAtATime) {
  constexpr int kThreads = 4;
  std::vector<std::atomic<int>> busy(kThreads);
  std::atomic<bool> shared{false};
  parallel_for(2000, kThreads, [&](std::size_t, std::size_t worker) {
    if (busy.at(worker).fetch_add(1) != 0) shared = true;
    --busy.at(worker);
  });
  EXPECT_FALSE(shared);
}

TEST(ParallelFor, ThrowsAgainWhatTheBodyThrew) {
  for (const int threads : {1, 2, 3})
    EXPECT_THROW(parallel_for(50, threads,
                              [](std::size_t item, std::size_t) {
                                if (item == 20) throw std::out_of_range("20");
                              }),
                 std::out_of_range);
}

TEST(ParallelFor, StopsAtTheFirstException) {
  std::vector<std::size_t> visited;
  EXPECT_THROW(parallel_for(50, 1,
                            [&](std::size_t item, std::size_t) {
                              visited.push_back(item);
                              if (item == 20) throw std::out_of_range("20");
                            }),
               std::out_of_range);
  EXPECT_EQ(visited.size(), 21U);
  EXPECT_EQ(visited.back(), 20U);
}

// Items wait until the first has thrown; nearly all of them are never begun.
TEST(ParallelFor, StopsTheOtherWorkersToo) {
  constexpr std::size_t kItems = 2000;
  std::atomic<bool> thrown{false};
  std::atomic<std::size_t> visited{0};
  EXPECT_THROW(parallel_for(kItems, 3,
                            [&](std::size_t item, std::size_t) {
                              ++visited;
                              if (item == 0) {
                                thrown = true;
                                throw std::out_of_range("0");
                              }
                              while (!thrown) std::this_thread::yield();
                              std::this_thread::sleep_for(std::chrono::milliseconds(1));
                            }),
               std::out_of_range);
  EXPECT_LT(visited, kItems);
}

#ifndef VSMAX_SANITIZED  // the sanitizers need all the addresses there are
TEST(ParallelFor, DoesTheWorkWithFewerThreadsWhereTheSystemRefusesOne) {
  // Room for two or three stacks of threads that sleep, and so hold theirs.
  std::ifstream sizes("/proc/self/statm");
  rlim_t pages = 0;
  ASSERT_TRUE(sizes >> pages);
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_AS, &before), 0);
  rlimit narrow = before;
  narrow.rlim_cur = pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE)) + (rlim_t{24} << 20);
  ASSERT_EQ(setrlimit(RLIMIT_AS, &narrow), 0);
  constexpr int kThreads = 64;
  std::vector<std::atomic<int>> visits(200);
  std::vector<std::atomic<int>> worked(kThreads);
  parallel_for(visits.size(), kThreads, [&](std::size_t item, std::size_t worker) {
    ++visits[item];
    worked[worker] = 1;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  });
  ASSERT_EQ(setrlimit(RLIMIT_AS, &before), 0);
  for (const auto& visit : visits) EXPECT_EQ(visit, 1);
  EXPECT_EQ(worked[kThreads - 1], 0) << "no thread was refused";
}
#endif

TEST(ParallelFor, ThrowsOneExceptionWhereAllWorkersFail) {
  EXPECT_THROW(parallel_for(64, 4, [](std::size_t, std::size_t) { throw std::logic_error("all"); }),
               std::logic_error);
}

TEST(ParallelSteps, BeginsAStepWhenTheOneBeforeIsDone) {
  constexpr std::size_t kSteps = 40;
  for (const int threads : {1, 2, 3, 8})
    for (const std::size_t count : {0UL, 1UL, 2UL, 37UL}) {
      std::vector<std::atomic<std::size_t>> done(kSteps);
      std::atomic<bool> early{false};
      parallel_steps(kSteps, count, threads, [&](std::size_t step, std::size_t, std::size_t) {
        if (step > 0 && done[step - 1] != count) early = true;
        ++done[step];
      });
      EXPECT_FALSE(early) << threads << " threads, " << count;
      for (const auto& items : done) ASSERT_EQ(items, count);
    }
}

TEST(ParallelSteps, WaitsForAnItemThatTakesLong) {
  std::atomic<bool> slow_done{false};
  parallel_steps(2, 2, 2, [&](std::size_t step, std::size_t item, std::size_t) {
    if (step == 0 && item == 1) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      slow_done = true;
    }
    if (step == 1) {
      EXPECT_TRUE(slow_done);
    }
  });
}

TEST(ParallelSteps, AnExceptionEndsAllSteps) {
  std::atomic<std::size_t> last_step{0};
  EXPECT_THROW(parallel_steps(10, 20, 3,
                              [&](std::size_t step, std::size_t item, std::size_t) {
                                last_step = step;
                                if (step == 4 && item == 7) throw std::out_of_range("7");
                              }),
               std::out_of_range);
  EXPECT_EQ(last_step, 4U);
}

TEST(ResolveThreads, KeepsWhatIsAskedForAndElseCountsProcessors) {
  EXPECT_EQ(resolve_threads(1), 1);
  EXPECT_EQ(resolve_threads(7), 7);
  EXPECT_GE(resolve_threads(0), 1);
  EXPECT_EQ(resolve_threads(-3), resolve_threads(0));
}

}  // namespace
}  // namespace vsmax
