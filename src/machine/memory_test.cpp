// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "machine/memory.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <set>
#include <thread>

namespace heddle::machine {
namespace {

std::unique_ptr<Memory> make(u64 bytes = u64{1} << 30) {
  auto memory = Memory::create(bytes);
  EXPECT_TRUE(memory.ok());
  return std::move(*memory);
}

TEST(Memory, AllocationsAreZeroedAlignedAndApart) {
  const auto memory = make();
  const u64 a = *memory->allocate(100);
  const u64 b = *memory->allocate(5000, 4096);
  EXPECT_EQ(a % 256, 0u);
  EXPECT_EQ(b % 4096, 0u);
  EXPECT_LT(a, u64{1} << 32);
  for (u64 i = 0; i < 5000; ++i) ASSERT_EQ(reinterpret_cast<const u8*>(b)[i], 0);
  std::memset(reinterpret_cast<void*>(b), 7, 5000);
  EXPECT_TRUE(memory->release(b));
  EXPECT_FALSE(memory->release(b));
  EXPECT_FALSE(memory->release(a + 8));
  const u64 c = *memory->allocate(5000, 4096);
  EXPECT_EQ(*reinterpret_cast<const u8*>(c), 0) << "memory that comes back is zeroed";
}

TEST(Memory, KnowsItsAllocations) {
  const auto memory = make();
  const u64 a = *memory->allocate(1000);
  EXPECT_EQ(memory->find(a + 999)->base, a);
  EXPECT_FALSE(memory->find(a + 1000));
  EXPECT_TRUE(memory->is_valid(a + 10, 990));
  EXPECT_FALSE(memory->is_valid(a + 10, 991));
  EXPECT_EQ(memory->nearest(a + 5000)->base, a);
  EXPECT_EQ(memory->nearest(0)->base, a);
}

TEST(Memory, TheDeviceIsFinite) {
  const auto memory = make(1 << 20);
  const u64 a = *memory->allocate(1 << 19);
  EXPECT_FALSE(memory->allocate((1 << 19) + 1).ok());
  EXPECT_TRUE(memory->release(a));
  EXPECT_TRUE(memory->allocate(1 << 20).ok());
  EXPECT_FALSE(memory->allocate(~u64{0}).ok());
}

TEST(Memory, LargeAllocationsGoHigh) {
  const auto memory = make(u64{8} << 30);
  const u64 big = *memory->allocate(u64{3} << 30);
  EXPECT_GE(big, u64{1} << 32);
  EXPECT_FALSE(memory->allocate(u64{3} << 30, 256, /*low=*/true).ok());
}

TEST(Memory, WindowsAreReused) {
  const auto memory = make();
  const u64 a = *memory->take_shared(memory->high(), 1000);
  *reinterpret_cast<u32*>(a) = 5;
  memory->give_shared(memory->high(), a, 1000);
  const u64 b = *memory->take_shared(memory->high(), 1000);
  EXPECT_EQ(a, b);
  EXPECT_TRUE(memory->high().shared.contains(b));
  memory->give_shared(memory->high(), b, 1000);
  EXPECT_EQ(*memory->take_shared(memory->high(), 3 * kPage), a) << "larger than before";
  *reinterpret_cast<u32*>(a + 3 * kPage - 4) = 5;
  memory->give_shared(memory->high(), a, 3 * kPage);
  EXPECT_EQ(*memory->take_shared(memory->high(), kPage), a) << "smaller: the rest is gone";
  memory->give_shared(memory->high(), a, kPage);
  EXPECT_EQ(*memory->take_shared(memory->high(), 3 * kPage), a);
  EXPECT_EQ(*reinterpret_cast<u32*>(a + 3 * kPage - 4), 0u);
  const u64 local = *memory->take_local(memory->low(), 32 * 1024);
  EXPECT_TRUE(memory->low().local.contains(local, 32 * 1024));
  memory->give_local(memory->low(), local);
}

TEST(Memory, AllWindowsCanBeTakenAgain) {
  const auto memory = make();
  const Region& region = memory->low();
  const auto take_all = [&] {
    std::set<u64> all;
    for (auto one = memory->take_shared(region, 0); one.ok(); one = memory->take_shared(region, 0))
      EXPECT_TRUE(all.insert(*one).second) << "taken twice";
    return all;
  };
  const std::set<u64> all = take_all();
  EXPECT_EQ(all.size(), region.shared.size / kSharedSlot);
  // The last window of each thread is not in the shared free list, and is used when that list is
  // empty.
  for (u64 window : all) std::thread([&] { memory->give_shared(region, window, 0); }).join();
  EXPECT_EQ(take_all(), all);
}

TEST(Memory, WindowsHaveAPageOnEitherSide) {
  const auto memory = make();
  for (u32 count : {1, 2}) {
    const u64 base = *memory->take_shared(memory->high(), 2 * kPage, count);
    for (u32 i = 0; i < count; ++i) {
      const u64 window = base + i * kSharedSlot;
      for (u64 there : {window - kPage, window - 1, window + 2 * kPage, window + 3 * kPage - 1})
        *reinterpret_cast<volatile u8*>(there) = 1;
    }
  }
}

TEST(Memory, WindowsOfAClusterLieSideBySide) {
  const auto memory = make();
  const u64 one = *memory->take_shared(memory->high(), 1000);
  const u64 four = *memory->take_shared(memory->high(), 1000, 4);
  for (u64 i = 0; i < 4; ++i) *reinterpret_cast<u32*>(four + i * kSharedSlot + 996) = 5;
  EXPECT_NE(one / kSharedSlot, four / kSharedSlot);
  memory->give_shared(memory->high(), four, 1000, 4);
  EXPECT_NE(*memory->take_shared(memory->high(), 1000), four) << "kept for the next cluster";
  EXPECT_EQ(*memory->take_shared(memory->high(), 1000, 4), four);
}

TEST(Memory, ParameterBlocksAreKept) {
  const auto memory = make();
  const u64 a = *memory->take_params(100, false);
  const u64 b = *memory->take_params(100, false);
  EXPECT_NE(a, b);
  EXPECT_EQ(memory->used_bytes(), 0u) << "they are not the program's";
  memory->give_params(a, 100, false);
  EXPECT_EQ(*memory->take_params(kPage, false), a);
  const u64 large = *memory->take_params(3 * kPage, true);
  EXPECT_LT(large, u64{1} << 32);
  memory->give_params(large, 3 * kPage, true);
  EXPECT_EQ(memory->used_bytes(), 0u);
}

TEST(Memory, ReservedRangesHoldFiles) {
  const auto memory = make();
  const u64 base = *memory->reserve(2 * kPage, kPage, 0);
  EXPECT_EQ(memory->used_bytes(), 0u) << "address space only";
  const int file = memfd_create("test", 0);
  ASSERT_EQ(ftruncate(file, kPage), 0);
  ASSERT_TRUE(memory->map({base, kPage}, file, 0));
  ASSERT_TRUE(memory->map({base + kPage, kPage}, file, 0));
  ASSERT_TRUE(memory->protect({base, 2 * kPage}, Memory::Access::write));
  close(file);
  *reinterpret_cast<u32*>(base) = 7;
  EXPECT_EQ(*reinterpret_cast<u32*>(base + kPage), 7u) << "the same page";
  memory->unmap({base, 2 * kPage});
  EXPECT_TRUE(memory->unreserve(base));
  EXPECT_FALSE(memory->unreserve(base));
  EXPECT_EQ(*memory->reserve(kPage, kPage, base), base) << "the hint is free again";
  EXPECT_NE(*memory->reserve(kPage, kPage, base), base) << "and now it is not";
}

// A reserved range takes addresses only, so it may be many times larger than the device's memory.
TEST(Memory, ReservedRangesAreFarLargerThanMemory) {
  const auto memory = make();
  const u64 bytes = u64{1} << 40;
  const u64 first = *memory->reserve(bytes, kPage, 0);
  const u64 second = *memory->reserve(bytes, kPage, first + bytes);
  EXPECT_EQ(second, first + bytes) << "where the hint says: one range to the program";
  EXPECT_EQ(memory->used_bytes(), 0u);
  EXPECT_TRUE(memory->is_accessible(first, 2 * bytes)) << "kernels may be led there";
  EXPECT_EQ(memory->reservation(first + bytes - 1)->base, first);
  EXPECT_FALSE(memory->find(first)) << "no allocation";
  EXPECT_TRUE(memory->allocate(memory->total_bytes()).ok()) << "nothing is taken from memory";
  EXPECT_TRUE(memory->unreserve(first));
  EXPECT_FALSE(memory->reservation(first));
  for (const u64 impossible : {~u64{0}, ~u64{0} - kPage + 1, u64{1} << 63, u64{1} << 47}) {
    EXPECT_FALSE(memory->reserve(impossible, kPage, 0).ok()) << impossible;
    EXPECT_FALSE(memory->reserve(impossible, kPage, first).ok()) << impossible;
  }
  EXPECT_FALSE(memory->reserve(kPage, u64{1} << 63, 0).ok());
}

TEST(Memory, SharedAllocationKeepsItsContents) {
  const auto memory = make();
  const u64 base = *memory->allocate(100);
  *reinterpret_cast<u32*>(base) = 5;
  const int file = memory->share(base);
  ASSERT_GE(file, 0);
  u32 value = 0;
  EXPECT_EQ(pread(file, &value, 4, 0), 4);
  EXPECT_EQ(value, 5u);
  *reinterpret_cast<u32*>(base) = 6;
  EXPECT_EQ(pread(file, &value, 4, 0), 4);
  EXPECT_EQ(value, 6u);
  close(file);
  EXPECT_TRUE(memory->release(base));
  const u64 again = *memory->allocate(100);
  EXPECT_EQ(*reinterpret_cast<u32*>(again), 0u) << "new memory is zero";
  EXPECT_EQ(memory->share(again + 4), -1);
}

TEST(Memory, OfTheHostsMemoryTheRegisteredBytesAreAccessible) {
  const auto memory = make();
  u32 words[4] = {};
  const u64 address = reinterpret_cast<u64>(words);
  EXPECT_FALSE(memory->is_accessible(address, 1));
  memory->registered().add({address + 4, 8});
  EXPECT_FALSE(memory->is_accessible(address, 8));
  EXPECT_FALSE(memory->is_accessible(address + 3, 1));
  EXPECT_TRUE(memory->is_accessible(address + 4, 8));
  EXPECT_FALSE(memory->is_accessible(address + 4, 9));
  EXPECT_FALSE(memory->is_accessible(address + 4, ~u64{0}));
  EXPECT_FALSE(memory->is_accessible(address + 12, 1));
  // Memory between the registered range and the device's range belongs to the program.
  EXPECT_FALSE(memory->is_accessible(memory->high().all.base - 1, 1));
  EXPECT_FALSE(memory->is_accessible(memory->high().all.end(), 1));
  EXPECT_TRUE(memory->is_accessible(memory->high().all.base, memory->high().all.size));
  EXPECT_FALSE(memory->registered().remove(address));
  EXPECT_TRUE(memory->registered().remove(address + 4));
  EXPECT_FALSE(memory->is_accessible(address + 4, 1));
}

}  // namespace
}  // namespace heddle::machine
