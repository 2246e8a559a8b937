// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels can access the registered bytes of host memory and no other host memory (driver API 6.13,
// cuMemHostRegister). Both engines run this program.
#include <array>
#include <string>
#include <vector>

#include "client.h"

namespace {

using testing::Each;

/// A kernel of one warp that accesses memory from %a on; %t: the thread's number, %l: %a + 4 * %t.
struct Access {
  const char* name;
  const char* body;
  unsigned bytes;  ///< from %a on, of the whole warp
  bool writes;
};

constexpr Access kAccesses[] = {
    {"load", "ld.global.u32 %r, [%a]; st.global.u32 [%o], %r;", 4, false},
    {"store", "st.global.u32 [%a], %t;", 4, true},
    {"line of loads", "ld.global.u32 %r, [%l]; st.global.u32 [%o], %r;", 128, false},
    {"line of stores", "st.global.u32 [%l], %t;", 128, true},
    {"generic stores", "st.u32 [%l], %t;", 128, true},
    {"stores of some threads", "setp.gt.u32 %p, %t, 16; @%p st.global.u32 [%l], %t;", 128, true},
    {"vectors",
     "mul.wide.u32 %d, %t, 16; add.u64 %d, %d, %a;"
     " st.global.v4.u32 [%d], {%t, %t, %t, %t};",
     512, true},
    {"every second one",
     "mul.wide.u32 %d, %t, 8; add.u64 %d, %d, %a; ld.global.u32 %r, [%d];"
     " st.global.u32 [%o], %r;",
     252, false},
    {"scattered",
     "mad.lo.u32 %r, %t, %t, %t; shr.u32 %r, %r, 1; and.b32 %r, %r, 31; mul.wide.u32 %d, %r, 4;"
     " add.u64 %d, %d, %a; st.global.u32 [%d], %t;",
     128, true},
    {"several at known distances",
     "st.global.u32 [%a], %t; st.global.u32 [%a+64], %t;"
     " st.global.u32 [%a+124], %t;",
     128, true},
    {"volatile", "st.volatile.global.u32 [%l], %t;", 128, true},
    {"atomics", "atom.global.add.u32 %r, [%l], %t;", 128, true},
    {"reductions", "red.global.add.f32 [%l], 0f3f800000;", 128, true},
    {"cp.async",
     "shl.b32 %r, %t, 2; mov.u32 %s, tile; add.u32 %r, %r, %s;"
     " cp.async.ca.shared.global [%r], [%l], 4; cp.async.wait_all;",
     128, false},
};

std::string module_of(const Access& access) {
  return std::string(
             ".version 8.0\n.target sm_80\n.address_size 64\n"
             ".visible .entry k(.param .u64 at, .param .u64 out)\n{\n"
             "  .reg .pred %p;\n  .reg .b32 %t, %r, %s;\n  .reg .b64 %a, %l, %d, %o;\n"
             "  .shared .align 16 .b32 tile[32];\n"
             "  ld.param.u64 %a, [at];\n  ld.param.u64 %o, [out];\n  mov.u32 %t, %tid.x;\n"
             "  mad.wide.u32 %l, %t, 4, %a;\n  mad.wide.u32 %o, %t, 4, %o;\n  ") +
         access.body + "\n  ret;\n}\n";
}

/// The program's memory: registered words between unregistered words.
struct Mine {
  static constexpr size_t kWords = 256, kBeside = 256;
  std::vector<unsigned> words = std::vector<unsigned>(kWords + 2 * kBeside, 7);
  unsigned* registered() { return words.data() + kBeside; }
  size_t registered_bytes() const { return kWords * 4; }
  bool is_untouched_beside() const {
    for (size_t i = 0; i < kBeside; ++i)
      if (words[i] != 7 || words[kBeside + kWords + i] != 7) return false;
    return true;
  }
};

class HostMemory : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_OK(cuInit(0));
    ASSERT_OK(cuCtxCreate_v2(&context_, 0, 0));
    ASSERT_OK(cuMemAlloc_v2(&out_, 128));
  }
  void TearDown() override { EXPECT_OK(cuCtxDestroy_v2(context_)); }

  /// The result of a launch of the access at `address`. A fault stays with the context, so a new
  /// context is created afterwards.
  CUresult run(const Access& access, const void* address) {
    CUmodule module = nullptr;
    CUfunction kernel = nullptr;
    EXPECT_OK(cuModuleLoadData(&module, module_of(access).c_str()));
    EXPECT_OK(cuModuleGetFunction(&kernel, module, "k"));
    auto at = reinterpret_cast<CUdeviceptr>(address);
    void* params[] = {&at, &out_};
    EXPECT_OK(cuLaunchKernel(kernel, 1, 1, 1, 32, 1, 1, 0, nullptr, params, nullptr));
    const CUresult result = cuCtxSynchronize();
    if (result != CUDA_SUCCESS) {
      TearDown();
      SetUp();
    }
    return result;
  }

  CUcontext context_ = nullptr;
  CUdeviceptr out_ = 0;
};

TEST_F(HostMemory, IsOutOfReach) {
  for (const Access& access : kAccesses) {
    Mine mine;
    EXPECT_EQ(run(access, mine.registered()), CUDA_ERROR_ILLEGAL_ADDRESS) << access.name;
    EXPECT_THAT(mine.words, Each(7u)) << access.name;
  }
}

TEST_F(HostMemory, OfRegisteredMemoryAllBytesAreAccessible) {
  for (const Access& access : kAccesses) {
    Mine mine;
    ASSERT_OK(cuMemHostRegister_v2(mine.registered(), mine.registered_bytes(), 0));
    EXPECT_OK(run(access, mine.registered())) << access.name;
    const char* last = reinterpret_cast<const char*>(mine.registered()) + mine.registered_bytes();
    // Vectors need an alignment of 16 bytes, which the end of the registered words has.
    EXPECT_OK(run(access, last - (access.bytes + 15) / 16 * 16)) << access.name;
    EXPECT_EQ(testing::Value(mine.words, Each(7u)), !access.writes) << access.name;
    EXPECT_TRUE(mine.is_untouched_beside()) << access.name;
    EXPECT_OK(cuMemHostUnregister(mine.registered()));
  }
}

TEST_F(HostMemory, NothingBesideRegisteredMemoryIs) {
  for (const Access& access : kAccesses) {
    for (const bool before : {true, false}) {
      Mine mine;
      ASSERT_OK(cuMemHostRegister_v2(mine.registered(), mine.registered_bytes(), 0));
      // If the access has more than 16 bytes, some of them are registered.
      const char* begin = reinterpret_cast<const char*>(mine.registered());
      const char* at =
          before ? begin - 16 : begin + mine.registered_bytes() - access.bytes / 16 * 16;
      if (!before) at += 16;
      // Threads 0 to 16 do not store.
      if (before && std::string(access.name) == "stores of some threads") at -= 128;
      EXPECT_EQ(run(access, at), CUDA_ERROR_ILLEGAL_ADDRESS)
          << access.name << (before ? " before" : " behind");
      EXPECT_TRUE(mine.is_untouched_beside()) << access.name;
      // The registration ended with its context.
      EXPECT_EQ(cuMemHostUnregister(mine.registered()), CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
    }
  }
}

TEST_F(HostMemory, UnregisteredMemoryIsOutOfReachAgain) {
  for (const Access& access : kAccesses) {
    Mine mine;
    ASSERT_OK(cuMemHostRegister_v2(mine.registered(), mine.registered_bytes(), 0));
    EXPECT_OK(run(access, mine.registered())) << access.name;
    EXPECT_OK(cuMemHostUnregister(mine.registered()));
    mine = Mine();
    EXPECT_EQ(run(access, mine.registered()), CUDA_ERROR_ILLEGAL_ADDRESS) << access.name;
    EXPECT_THAT(mine.words, Each(7u)) << access.name;
  }
}

TEST_F(HostMemory, IsOutOfReachWhenItsContextIsDestroyed) {
  Mine mine;
  ASSERT_OK(cuMemHostRegister_v2(mine.registered(), mine.registered_bytes(), 0));
  TearDown();
  SetUp();
  EXPECT_EQ(run(kAccesses[1], mine.registered()), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_THAT(mine.words, Each(7u));
}

TEST_F(HostMemory, BetweenTwoRegisteredRangesIsNotRegistered) {
  std::array<unsigned, 96> words{};
  ASSERT_OK(cuMemHostRegister_v2(words.data(), 128, 0));
  ASSERT_OK(cuMemHostRegister_v2(words.data() + 64, 128, 0));
  EXPECT_EQ(run(kAccesses[1], words.data() + 40), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(words[40], 0u);
}

}  // namespace
