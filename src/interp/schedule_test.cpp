// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A seed determines the order of all threads of a grid, whatever the number of host threads.
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "check/check.h"
#include "interp/program.h"
#include "machine/launch.h"

namespace heddle::interp {
namespace {

/// Each thread draws numbers from one counter, so the numbers show the order of turns.
constexpr const char* kText = R"(
.version 8.0
.target sm_70
.address_size 64
.visible .entry draw(.param .u64 counter)
{
  .reg .b32 %r<8>;
  .reg .b64 %rd<4>;
  .reg .pred %p<2>;
  ld.param.u64 %rd1, [counter];
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %tid.x;
  mad.lo.u32 %r1, %r1, 32, %r2;
  mad.wide.u32 %rd2, %r1, 4, %rd1;
  mov.u32 %r4, 0;
  mov.u32 %r5, 0;
AGAIN:
  atom.global.add.u32 %r3, [%rd1], 1;
  mad.lo.u32 %r4, %r4, 31, %r3;
  add.u32 %r5, %r5, 1;
  setp.lt.u32 %p1, %r5, 20;
  @%p1 bra AGAIN;
  st.global.u32 [%rd2+4], %r4;
  ret;
}
)";
constexpr u32 kCtas = 16, kWords = 1 + 32 * kCtas;

TEST(Schedule, SeedRepeatsTheOrder) {
  auto memory = std::move(*machine::Memory::create(u64{1} << 30));
  const check::Compiled compiled = check::compile({{"draw.ptx", kText}});
  ASSERT_TRUE(compiled.module);
  const std::shared_ptr<const machine::Loaded> loaded =
      *machine::Loaded::create(*memory, compiled.module);
  const auto program = Interpreter().prepare(loaded, ir::FunctionId(0));
  ASSERT_TRUE(program.ok());
  const u64 words = *memory->allocate(4 * kWords);

  const auto run = [&](u64 seed) {
    std::memset(reinterpret_cast<void*>(words), 0, 4 * kWords);
    machine::LaunchConfig config;
    config.grid = {kCtas, 1, 1};
    config.block = {32, 1, 1};
    config.schedule = seed;
    config.params.resize(8);
    std::memcpy(config.params.data(), &words, 8);
    const auto result =
        machine::launch(*machine::find_profile(""), **program, *loaded, ir::FunctionId(0), config);
    EXPECT_TRUE(std::holds_alternative<std::monostate>(result));
    const u32* const first = reinterpret_cast<const u32*>(words);
    return std::vector<u32>(first, first + kWords);
  };
  const std::vector<u32> order = run(1);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(run(1), order);
  EXPECT_NE(run(2), order);
  memory->release(words);
}

}  // namespace
}  // namespace heddle::interp
