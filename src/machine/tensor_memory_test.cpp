// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "machine/tensor_memory.h"

#include <gtest/gtest.h>

namespace heddle::machine {
namespace {

constexpr TensorAllocator kSomebody{1, 2, 3};

TEST(TensorMemory, SizesArePowersOfTwo) {
  for (u32 columns = 0; columns <= 1024; ++columns) {
    const bool legal =
        columns == 32 || columns == 64 || columns == 128 || columns == 256 || columns == 512;
    EXPECT_EQ(is_tensor_size(columns), legal) << columns;
  }
}

TEST(TensorMemory, AddressHasLaneAndColumn) {
  const TensorAddress at = TensorAddress::of(0x000601ff);
  EXPECT_EQ(at.lane, 6u);
  EXPECT_EQ(at.column, 0x1ffu);
}

TEST(TensorMemory, FirstFit) {
  TensorMemory memory;
  EXPECT_EQ(memory.allocate(128, kSomebody), 0u);
  EXPECT_EQ(memory.allocate(32, kSomebody), 128u);
  EXPECT_EQ(memory.allocate(256, kSomebody), 160u);
  EXPECT_EQ(memory.allocate(128, kSomebody), std::nullopt);
  EXPECT_EQ(memory.allocated_columns(), 416u);
  EXPECT_TRUE(memory.free(0, 128));
  EXPECT_EQ(memory.allocate(64, kSomebody), 0u);
  EXPECT_EQ(memory.allocate(64, kSomebody), 64u);
  EXPECT_EQ(memory.allocate(64, kSomebody), 416u);
  EXPECT_EQ(memory.allocate(64, kSomebody), std::nullopt);
  EXPECT_EQ(memory.allocate(32, kSomebody), 480u);
  EXPECT_EQ(memory.allocated_columns(), kTensorColumns);
  EXPECT_EQ(memory.allocate(32, kSomebody), std::nullopt);
}

TEST(TensorMemory, FreesWhatWasAllocatedOnly) {
  TensorMemory memory;
  EXPECT_FALSE(memory.free(0, 32));
  ASSERT_EQ(memory.allocate(64, kSomebody), 0u);
  ASSERT_EQ(memory.allocate(64, kSomebody), 64u);
  EXPECT_FALSE(memory.free(0, 32));
  EXPECT_FALSE(memory.free(32, 64));
  EXPECT_FALSE(memory.free(0, 128));
  EXPECT_TRUE(memory.free(64, 64));
  EXPECT_FALSE(memory.free(64, 64));
  ASSERT_EQ(memory.allocations().size(), 1u);
  EXPECT_EQ(memory.allocations()[0].by.thread, 3u);
}

TEST(TensorMemory, FindsColumnsThatAreNotAllocated) {
  TensorMemory memory;
  EXPECT_EQ(memory.unallocated(0, 1), 0u);
  ASSERT_EQ(memory.allocate(64, kSomebody), 0u);
  EXPECT_EQ(memory.unallocated(0, 64), std::nullopt);
  EXPECT_EQ(memory.unallocated(60, 8), 64u);
  ASSERT_EQ(memory.allocate(64, kSomebody), 64u);
  EXPECT_EQ(memory.unallocated(60, 8), std::nullopt);
  ASSERT_EQ(memory.allocate(128, kSomebody), 128u);
  ASSERT_EQ(memory.allocate(256, kSomebody), 256u);
  EXPECT_EQ(memory.unallocated(508, 8), 512u);
  EXPECT_EQ(memory.unallocated(~0u, 8), ~0u);
}

TEST(TensorMemory, LanesOfAColumnAreNeighboursAndBeginAtZero) {
  TensorMemory memory;
  ASSERT_EQ(memory.allocate(32, kSomebody), 0u);
  EXPECT_EQ(memory.column(1), memory.column(0) + kTensorLanes);
  memory.column(31)[127] = 5;
  memory.reset();
  ASSERT_EQ(memory.allocate(32, kSomebody), 0u);
  EXPECT_EQ(memory.column(31)[127], 0u);
}

TEST(TensorMemory, PermitLastsUntilReset) {
  TensorMemory memory;
  EXPECT_TRUE(memory.has_permit());
  memory.relinquish();
  EXPECT_FALSE(memory.has_permit());
  memory.reset();
  EXPECT_TRUE(memory.has_permit());
}

TEST(TensorMemory, PairsAllocateAtTheSameColumn) {
  TensorMemory even, odd;
  ASSERT_EQ(odd.allocate(32, kSomebody), 0u);
  EXPECT_EQ(TensorMemory::allocate_pair(even, odd, 64, kSomebody), 32u);
  EXPECT_FALSE(even.take_from_peer());
  const auto done = odd.take_from_peer();
  ASSERT_TRUE(done);
  EXPECT_TRUE(done->allocates);
  EXPECT_EQ(done->column, 32u);
  EXPECT_EQ(done->columns, 64u);
  EXPECT_FALSE(odd.take_from_peer());
  EXPECT_FALSE(TensorMemory::free_pair(odd, even, 0, 32));
  EXPECT_TRUE(TensorMemory::free_pair(even, odd, 32, 64));
  EXPECT_TRUE(even.allocations().empty());
  const auto freed = odd.take_from_peer();
  ASSERT_TRUE(freed);
  EXPECT_FALSE(freed->allocates);
}

TEST(TensorMemory, ClustersMakeItWhenItIsUsed) {
  ClusterTensorMemory cluster;
  EXPECT_EQ(cluster.find(0), nullptr);
  cluster.begin(3);
  ASSERT_EQ(cluster.of(1).allocate(512, kSomebody), 0u);
  EXPECT_EQ(cluster.find(0), nullptr);
  EXPECT_EQ(cluster.find(1), &cluster.of(1));
  cluster.begin(1);
  EXPECT_TRUE(cluster.of(1).allocations().empty());
}

}  // namespace
}  // namespace heddle::machine
