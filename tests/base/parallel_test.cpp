// SPDX-License-Identifier: Apache-2.0
#include "vsmax/base/parallel.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <fstream>
#include <memory>
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

TEST(ParallelFor, RethrowsTheExceptionOfTheBody) {
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

// Items wait until the first has thrown; nearly all of them never start.
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
TEST(ParallelFor, UsesFewerThreadsWhereTheSystemRefusesOne) {
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

TEST(ThreadPool, RethrowsTheExceptionOfTheFirstItemWhereAllFail) {
  ThreadPool pool(4);
  for (int loop = 0; loop < 5000; ++loop) {
    std::size_t thrown = 1;
    try {
      pool.for_each(64, [](std::size_t item, std::size_t) { throw item; });
    } catch (const std::size_t item) {
      thrown = item;
    }
    ASSERT_EQ(thrown, 0U) << loop;
  }
}

// Each item becomes a mix of itself and its neighbours that depends on their order, alternating
// between two buffers: an item that ran too early would read or overwrite what another step needs.
std::vector<std::uint64_t> mix_ring(std::size_t steps, std::size_t count, int threads) {
  std::vector<std::uint64_t> buffers[2];
  for (auto& buffer : buffers) buffer.resize(count);
  for (std::size_t i = 0; i < count; ++i) buffers[0][i] = i + 1;
  ThreadPool(threads).ring_steps(
      steps, count, [&](std::size_t step, std::size_t item, std::size_t) {
        const auto& from = buffers[step % 2];
        const std::uint64_t before = from[(item + count - 1) % count];
        const std::uint64_t after = from[(item + 1) % count];
        if (item % 5 == step % 5) std::this_thread::sleep_for(std::chrono::microseconds(50));
        buffers[(step + 1) % 2][item] = before * 3 + from[item] * 5 + after * 7;
      });
  return buffers[steps % 2];
}

TEST(RingSteps, StartsAnItemOnceItsNeighboursHaveFinishedThePreviousStep) {
  for (const std::size_t count : {0UL, 1UL, 2UL, 3UL, 37UL}) {
    const auto serial = mix_ring(30, count, 1);
    for (const int threads : {2, 3, 8})
      EXPECT_EQ(mix_ring(30, count, threads), serial) << threads << " threads, " << count;
  }
}

TEST(RingSteps, VisitsEveryItemOncePerStep) {
  constexpr std::size_t kSteps = 7;
  constexpr std::size_t kCount = 23;
  for (const int threads : {1, 2, 30}) {
    std::vector<std::atomic<int>> visits(kSteps * kCount);
    ThreadPool(threads).ring_steps(
        kSteps, kCount,
        [&](std::size_t step, std::size_t item, std::size_t) { ++visits[step * kCount + item]; });
    for (const auto& visit : visits) ASSERT_EQ(visit, 1) << threads << " threads";
  }
}

TEST(RingSteps, WaitsForASlowItem) {
  std::atomic<bool> slow_done{false};
  ThreadPool(2).ring_steps(2, 2, [&](std::size_t step, std::size_t item, std::size_t) {
    if (step == 0 && item == 1) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      slow_done = true;
    }
    if (step == 1) {
      EXPECT_TRUE(slow_done);
    }
  });
}

// Other items may be as many steps ahead as they are neighbours away; what depends on the failed
// item never starts.
TEST(RingSteps, StopsAtAnException) {
  constexpr std::size_t kFailing = 4;
  for (const int threads : {1, 3}) {
    std::atomic<std::size_t> last_step{0};
    EXPECT_THROW(ThreadPool(threads).ring_steps(
                     1000, 20,
                     [&](std::size_t step, std::size_t item, std::size_t) {
                       std::size_t seen = last_step;
                       while (step > seen && !last_step.compare_exchange_weak(seen, step)) {
                       }
                       if (step == kFailing && item == 7) throw std::out_of_range("7");
                     }),
                 std::out_of_range);
    EXPECT_LE(last_step, kFailing + 10);  // the far side of the ring is ten neighbours away
  }
}

TEST(ThreadPool, VisitsEveryItemOnceInLoopAfterLoop) {
  for (const int threads : {1, 2, 5}) {
    ThreadPool pool(threads);
    EXPECT_EQ(pool.threads(), threads);
    for (std::size_t count = 0; count < 300; ++count) {
      std::vector<std::atomic<int>> visits(count);
      pool.for_each(count, [&](std::size_t item, std::size_t worker) {
        ASSERT_LT(worker, static_cast<std::size_t>(threads));
        ++visits[item];
      });
      for (const auto& visit : visits) ASSERT_EQ(visit, 1) << threads << " threads, " << count;
    }
  }
}

TEST(ThreadPool, KeepsAllOfItsThreadsBusy) {
  constexpr std::size_t kThreads = 4;
  ThreadPool pool(kThreads);
  for (int loop = 0; loop < 20; ++loop) {
    std::atomic<std::size_t> arrived{0};
    // No item ends before all have started.
    pool.for_each(kThreads, [&](std::size_t, std::size_t) {
      ++arrived;
      while (arrived < kThreads) std::this_thread::yield();
    });
    EXPECT_EQ(arrived, kThreads);
  }
}

TEST(ThreadPool, WorksAgainAfterAnException) {
  ThreadPool pool(3);
  for (int loop = 0; loop < 50; ++loop) {
    EXPECT_THROW(pool.for_each(20,
                               [](std::size_t item, std::size_t) {
                                 if (item == 7) throw std::out_of_range("7");
                               }),
                 std::out_of_range);
    std::atomic<std::size_t> visits{0};
    pool.ring_steps(3, 20, [&](std::size_t, std::size_t, std::size_t) { ++visits; });
    EXPECT_EQ(visits, 60U);
  }
}

// As in a Python program that uses the library and then forks its workers. Repeated, because the
// threads may be anywhere at that moment.
TEST(ThreadPool, WorksInAForkedChild) {
  auto pool = std::make_unique<ThreadPool>(3);
  const auto visits_of = [&] {
    std::atomic<std::size_t> visits{0};
    pool->ring_steps(3, 20, [&](std::size_t, std::size_t, std::size_t) { ++visits; });
    return visits.load();
  };
  for (int time = 0; time < 100; ++time) {
    ASSERT_EQ(visits_of(), 60U);
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      alarm(60);  // a child that waits forever fails
      const bool all = visits_of() == 60;
      pool.reset();
      _exit(all ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << time;
  }
}

TEST(ResolveThreads, KeepsAPositiveNumberAndCountsProcessorsOtherwise) {
  EXPECT_EQ(resolve_threads(1), 1);
  EXPECT_EQ(resolve_threads(7), 7);
  EXPECT_GE(resolve_threads(0), 1);
  EXPECT_EQ(resolve_threads(-3), resolve_threads(0));
}

}  // namespace
}  // namespace vsmax
