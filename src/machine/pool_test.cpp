// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "machine/pool.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <thread>
#include <vector>

namespace heddle::machine {
namespace {

TEST(Pool, AllThatCameHaveReturned) {
  Pool& pool = Pool::of_process();
  for (u32 helpers : {0u, 1u, 3u}) {
    for (u32 round = 0; round < 200; ++round) {
      std::atomic<u32> left{100}, done{0}, inside{0}, most{0};
      pool.run(helpers, [&](u32 worker) {
        EXPECT_LE(worker, helpers);
        const u32 now = ++inside;
        u32 before = most.load();
        while (now > before && !most.compare_exchange_weak(before, now)) {
        }
        while (true) {
          u32 unit = left.load();
          while (unit && !left.compare_exchange_weak(unit, unit - 1)) {
          }
          if (!unit) break;
          ++done;
        }
        --inside;
      });
      EXPECT_EQ(done, 100u);
      EXPECT_EQ(inside, 0u);
      EXPECT_LE(most, helpers + 1);
    }
  }
}

TEST(Pool, HelpComes) {
  std::atomic<u32> there{0};
  Pool::of_process().run(1, [&](u32) {
    ++there;
    while (there < 2) std::this_thread::yield();  // without a helper the test hangs
  });
  EXPECT_EQ(there, 2u);
}

// The only helper is busy while two jobs are posted: the job of higher priority gets it first.
TEST(Pool, HelpComesToTheHighestPriorityFirst) {
  Pool& pool = *new Pool;  // its thread outlives the test
  std::atomic<u32> there{0}, helped{0};
  std::atomic<bool> let_go{false};
  std::string order;
  std::vector<std::thread> threads;
  const auto start = [&](int priority, std::function<void(u32)> work) {
    threads.emplace_back([&pool, priority, work = std::move(work)] {
      const PoolPriority scope(priority);
      pool.run(1, work);
    });
  };
  start(0, [&](u32) {
    ++there;
    while (!let_go) std::this_thread::yield();
  });
  while (there < 2) std::this_thread::yield();
  for (const int priority : {1, -2, -1}) {
    const u32 before = there;
    start(priority, [&, priority](u32 part) {
      if (part) {
        order += std::to_string(priority) + " ";
        ++helped;
      }
      ++there;
      while (!part && helped < 3) std::this_thread::yield();
    });
    while (there == before) std::this_thread::yield();
    if (priority == -1) let_go = true;
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(order, "-2 -1 1 ");
}

TEST(Pool, SeveralAtATimeAndOneInAnother) {
  std::atomic<u32> calls{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < 100; ++round) {
        Pool::of_process().run(2, [&](u32) { Pool::of_process().run(1, [&](u32) { ++calls; }); });
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_GE(calls, 400u);
}

}  // namespace
}  // namespace heddle::machine
