// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Log buffers of the JIT options: cut at their size, always terminated, sizes written back.
#include "driver/core/module/jit_options.h"

#include <gtest/gtest.h>

#include <cstring>
#include <utility>

namespace heddle::driver {
namespace {

TEST(JitOptions, LogsAreAppendedAndCut) {
  char errors[8] = "garbage";
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
                            CU_JIT_LOG_VERBOSE};
  void* values[] = {errors, reinterpret_cast<void*>(8), reinterpret_cast<void*>(1)};
  JitOptions jit;
  ASSERT_EQ(jit.parse(3, options, values), CUDA_SUCCESS);
  EXPECT_STREQ(errors, "");
  EXPECT_EQ(values[1], nullptr);
  jit.write_errors("abc");
  EXPECT_STREQ(errors, "abc");
  EXPECT_EQ(values[1], reinterpret_cast<void*>(3));
  jit.write_errors("defgh");
  EXPECT_STREQ(errors, "abcdefg");
  EXPECT_EQ(values[1], reinterpret_cast<void*>(7));
  EXPECT_TRUE(jit.has_error_buffer());
}

TEST(JitOptions, NoBufferNoWrite) {
  JitOptions jit;
  ASSERT_EQ(jit.parse(0, nullptr, nullptr), CUDA_SUCCESS);
  jit.write_errors("x");
  jit.write_infos("x");
  EXPECT_FALSE(jit.has_error_buffer());
}

TEST(JitOptions, WallTimeIsWrittenAsFloat) {
  CUjit_option options[] = {CU_JIT_WALL_TIME};
  void* values[] = {nullptr};
  JitOptions jit;
  ASSERT_EQ(jit.parse(1, options, values), CUDA_SUCCESS);
  jit.write_wall_time(1.5f);
  float ms = 0;
  std::memcpy(&ms, &values[0], sizeof ms);
  EXPECT_EQ(ms, 1.5f);
}

TEST(JitOptions, Refused) {
  void* values[] = {nullptr};
  for (const auto& [option, expect] :
       {std::pair{CU_JIT_NUM_OPTIONS, CUDA_ERROR_INVALID_VALUE},
        std::pair{static_cast<CUjit_option>(-1), CUDA_ERROR_INVALID_VALUE},
        std::pair{CU_JIT_GLOBAL_SYMBOL_NAMES, CUDA_ERROR_NOT_SUPPORTED}}) {
    JitOptions jit;
    EXPECT_EQ(jit.parse(1, &option, values), expect) << option;
  }
  JitOptions jit;
  EXPECT_EQ(jit.parse(1, nullptr, values), CUDA_ERROR_INVALID_VALUE);
}

}  // namespace
}  // namespace heddle::driver
