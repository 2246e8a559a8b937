// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/key.h"

#include <gtest/gtest.h>

#include "check/check.h"

namespace heddle::jit {
namespace {

struct Kernel {
  std::string before = "";
  std::string body = "";
  machine::Dim3 block{128, 1, 1};
  std::string maker = "a compiler";
  u32 offset_of_shared = 0;
};

/// The key of a kernel with a function that it calls, one that it does not, and variables.
std::string key_of(const Kernel& kernel) {
  const std::string text = R"(
.version 7.0
.target sm_75
.address_size 64
)" + kernel.before + R"(
.visible .entry kernel(.param .u64 p)
{
  .reg .u32 %r<4>; .reg .u64 %a; .reg .f32 %f<4>;
)" + kernel.body + R"(
  ret;
}
)";
  const check::Compiled compiled = check::compile({{"<memory>", text}});
  EXPECT_TRUE(compiled.module) << compiled.messages();
  if (!compiled.module) return {};
  Request request;
  request.module = compiled.module.get();
  request.block = kernel.block;
  machine::SharedLayout shared;
  for (std::size_t i = 0; i < compiled.module->functions.size(); ++i) {
    if (compiled.module->functions[i].is_entry) request.entry = ir::FunctionId(i);
  }
  for (std::size_t i = 0; i < compiled.module->variables.size(); ++i)
    shared.offset[static_cast<u32>(i)] = kernel.offset_of_shared;
  request.shared = &shared;
  return key_of(request, kernel.maker);
}

TEST(Key, TellsWhatMakesADifference) {
  const std::string function = ".func f() { .reg .u32 %r; add.u32 %r, %r, 1; ret; }\n";
  const std::string other = ".func f() { .reg .u32 %r; add.u32 %r, %r, 2; ret; }\n";
  const std::string global = ".global .u32 g[4];\n";
  const std::string fused = "mul.f32 %f1, %f2, %f3; add.f32 %f1, %f1, %f2;";
  const std::string rounded = "mul.rn.f32 %f1, %f2, %f3; add.rn.f32 %f1, %f1, %f2;";
  const struct {
    const char* what;
    Kernel a, b;
  } cases[] = {
      {"an immediate", {"", "add.u32 %r1, %r2, 1;"}, {"", "add.u32 %r1, %r2, 2;"}},
      {"a register", {"", "sub.u32 %r1, %r2, %r2;"}, {"", "sub.u32 %r1, %r2, %r3;"}},
      {"a type", {"", "add.u32 %r1, %r2, 1;"}, {"", "add.s32 %r1, %r2, 1;"}},
      {"a modifier", {"", "add.f32 %f1, %f2, %f3;"}, {"", "add.ftz.f32 %f1, %f2, %f3;"}},
      {"contraction", {"", fused}, {"", rounded}},
      {"what is called", {function, "call f;"}, {other, "call f;"}},
      {"the size of a variable",
       {global, "mov.u64 %a, g;"},
       {".global .u32 g[5];\n", "mov.u64 %a, g;"}},
      {"its space", {".shared .u32 g[4];\n", "mov.u64 %a, g;"}, {global, "mov.u64 %a, g;"}},
      {"its place in shared memory",
       {".shared .u32 g[4];\n", "mov.u64 %a, g;"},
       {".shared .u32 g[4];\n", "mov.u64 %a, g;", {128, 1, 1}, "a compiler", 16}},
      {"the block", {"", ""}, {"", "", {64, 2, 1}}},
      {"the compiler", {"", ""}, {"", "", {128, 1, 1}, "another compiler"}},
  };
  for (const auto& [what, a, b] : cases) EXPECT_NE(key_of(a), key_of(b)) << what;
}

TEST(Key, IsTheSameWhereNothingElseIs) {
  const std::string function = ".func f() { .reg .u32 %r; add.u32 %r, %r, 1; ret; }\n";
  const std::string other = ".func f() { .reg .u32 %r; add.u32 %r, %r, 2; ret; }\n";
  const struct {
    const char* what;
    Kernel a, b;
  } cases[] = {
      {"nothing", {"", "add.u32 %r1, %r2, 1;"}, {"", "add.u32 %r1, %r2, 1;"}},
      {"lines", {"", "add.u32 %r1, %r2, 1;"}, {"\n\n", "// a comment\n add.u32 %r1, %r2, 1;"}},
      {"what is not called", {function, ""}, {other, ""}},
      {"the contents of a variable",
       {".global .u32 g[2] = {1, 2};\n", "mov.u64 %a, g;"},
       {".global .u32 g[2] = {1, 3};\n", "mov.u64 %a, g;"}},
  };
  for (const auto& [what, a, b] : cases) EXPECT_EQ(key_of(a), key_of(b)) << what;
}

TEST(Key, KnowsTheHost) {
  EXPECT_GE(host_identity().size(), 16u);
  EXPECT_EQ(host_identity(), host_identity());
}

}  // namespace
}  // namespace heddle::jit
