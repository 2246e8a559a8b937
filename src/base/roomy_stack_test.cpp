// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/roomy_stack.h"

#include <gtest/gtest.h>
#include <pthread.h>

namespace heddle {
namespace {

constexpr std::size_t kLarge = 100'000;

/// Needs some 100 KB.
int take_room() {
  volatile char bytes[kLarge];
  for (std::size_t i = 0; i < kLarge; i += 100) bytes[i] = 1;
  return bytes[kLarge - 100];
}

thread_local int of_thread = 0;

TEST(RoomyStack, OfSmallThreads) {
  for (const std::size_t bytes : {std::size_t{16384}, std::size_t{65536}, std::size_t{8} << 20}) {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    ASSERT_EQ(pthread_attr_setstacksize(&attributes, bytes), 0);
    pthread_t thread;
    const auto body = [](void*) -> void* {
      of_thread = 40;
      int result = 0;
      for (int i = 0; i < 3; ++i) {
        on_roomy_stack([&] {
          on_roomy_stack([&] { result += take_room(); });
          ++of_thread;  // the same thread
        });
      }
      return of_thread == 43 && result == 3 ? &of_thread : nullptr;
    };
    ASSERT_EQ(pthread_create(&thread, &attributes, body, nullptr), 0);
    pthread_attr_destroy(&attributes);
    void* end = nullptr;
    pthread_join(thread, &end);
    EXPECT_NE(end, nullptr) << bytes;
  }
}

TEST(RoomyStack, OfTheFirstThread) {
  int result = 0;
  on_roomy_stack([&] { result = take_room(); });
  EXPECT_EQ(result, 1);
}

}  // namespace
}  // namespace heddle
