// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whole warps have other handlers than the warps of a pseudo-random order, which execute
// instructions one by one. The results are the same.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <string>
#include <vector>

#include "base/check.h"
#include "check/check.h"
#include "interp/program.h"
#include "machine/launch.h"

namespace heddle::interp {
namespace {

constexpr u32 kThreads = 256;

/// Zeros, ones, limits, subnormals, infinities and NaNs.
constexpr u32 kSpecial[] = {0x00000000, 0x80000000, 0x3f800000, 0xbf800000, 0x00000001, 0x807fffff,
                            0x00800000, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7fc12345,
                            0xff812345, 0x7fffffff, 0x40490fdb, 0x34000000, 0x3f800001};

/// The results of the kernel's threads. Each thread finds its five numbers at %in, and stores one
/// at %out.
std::vector<u32> run(const std::string& body, std::optional<u64> schedule) {
  const std::string text =
      ".version 8.0\n.target sm_90\n.address_size 64\n"
      ".visible .entry k(.param .u64 in, .param .u64 out) {\n"
      ".reg .pred %p, %q; .reg .b32 %tid, %at, %n, %r<8>; .reg .b64 %in, %out, %d<8>;\n"
      ".reg .f32 %f<8>;\n"
      "mov.u32 %tid, %tid.x; ld.param.u64 %in, [in]; ld.param.u64 %out, [out];\n"
      "mul.wide.u32 %d1, %tid, 20; add.u64 %in, %in, %d1;\n"
      "mad.wide.u32 %out, %tid, 4, %out;\n" +
      body + "\nret;\n}\n";
  const check::Compiled compiled = check::compile({{"case", text}});
  HEDDLE_CHECK(compiled.module);
  const auto memory = std::move(*machine::Memory::create(u64{1} << 30));
  const auto loaded = *machine::Loaded::create(*memory, compiled.module);
  const auto program = *Interpreter().prepare(loaded, ir::FunctionId(0));
  const u64 in = *memory->allocate(kThreads * 20), out = *memory->allocate(kThreads * 4);
  u32* const numbers = reinterpret_cast<u32*>(in);
  for (u32 i = 0; i < kThreads * 5; ++i)
    numbers[i] = kSpecial[i * (i % 5 + 3) % std::size(kSpecial)];
  machine::LaunchConfig config;
  config.grid = {1, 1, 1};
  config.block = {kThreads, 1, 1};
  config.schedule = schedule;
  for (const u64 argument : {in, out}) {
    const auto bytes = std::bit_cast<std::array<u8, 8>>(argument);
    config.params.insert(config.params.end(), bytes.begin(), bytes.end());
  }
  const auto result =
      machine::launch(*machine::find_profile(""), *program, *loaded, ir::FunctionId(0), config);
  HEDDLE_CHECK(std::holds_alternative<std::monostate>(result));
  const u32* const results = reinterpret_cast<const u32*>(out);
  return {results, results + kThreads};
}

void expect_same(const std::string& body) {
  SCOPED_TRACE(body);
  EXPECT_EQ(run(body, std::nullopt), run(body, 1));
}

constexpr const char* kLoads =
    "ld.global.f32 %f1, [%in]; ld.global.f32 %f2, [%in + 4]; ld.global.f32 %f3, [%in + 8];\n"
    "ld.global.f32 %f4, [%in + 12]; ld.global.f32 %f5, [%in + 16];\n";
constexpr const char* kArithmetic[] = {"add.rn.f32", "sub.rn.f32", "mul.rn.f32", "fma.rn.f32"};

/// "%f6, a, b" or "%f6, a, b, c". Source `made` is %f0, and the names of the others begin with
/// `next`.
std::string operands(const std::string& result, bool three, u32 made, u32 next) {
  std::string text = result;
  for (u32 i = 0; i < (three ? 3u : 2u); ++i)
    text += i == made ? ", %f0" : fmt::format(", %f{}", next++);
  return text;
}

TEST(WholeWarps, TwoOfArithmetic) {
  for (const std::string first : kArithmetic) {
    const bool three = first == kArithmetic[3];
    for (const std::string second : kArithmetic) {
      for (u32 made = 0; made < (second == kArithmetic[3] ? 3 : 2); ++made) {
        expect_same(fmt::format("{}{} {}; {} {};\nst.global.f32 [%out], %f6;", kLoads, first,
                                operands("%f0", three, 9, 1), second,
                                operands("%f6", second == kArithmetic[3], made, 3)));
      }
    }
  }
}

TEST(WholeWarps, ArithmeticAndAComparison) {
  for (const std::string first : kArithmetic) {
    for (const char* cmp :
         {"eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu", "gtu", "geu", "nan"}) {
      for (u32 made = 0; made < 2; ++made) {
        expect_same(
            fmt::format("{}{} {}; setp.{}.f32 {};\n"
                        "selp.u32 %r1, 1, 0, %p; selp.u32 %r2, 2, 0, %q; "
                        "or.b32 %r1, %r1, %r2; st.global.u32 [%out], %r1;",
                        kLoads, first, operands("%f0", first == kArithmetic[3], 9, 1), cmp,
                        operands("%p|%q", false, made, 4)));
      }
    }
  }
}

/// Compares two affine numbers that are near each other, and near the limits of their type.
TEST(WholeWarps, OrderOfAffineNumbers) {
  const struct {
    const char* type;
    u64 ends[2];
  } types[] = {{"u32", {0, 0xffffffff}},
               {"s32", {0x80000000, 0x7fffffff}},
               {"u64", {0, ~u64{0}}},
               {"s64", {u64{1} << 63, (u64{1} << 63) - 1}}};
  for (const auto& type : types) {
    const std::string_view name = type.type;
    const bool wide = name.ends_with("64"), is_signed = name[0] == 's';
    const char* const reg = wide ? "%d" : "%r";
    const std::string first = wide ? "cvt.u64.u32 %d1, %tid;\n" : "mov.u32 %r1, %tid;\n";
    for (const char* cmp : {"lt", "le", "gt", "ge"}) {
      std::string body = first + "mov.u32 %n, 0;\n";
      for (const u64 end : type.ends) {
        for (const s64 stride : {1, 3, -2}) {
          for (const s64 from : {-700, -40, -5, 0, 33}) {
            const u64 start = end + static_cast<u64>(from);
            const auto number = [&](u64 value) {
              return wide ? fmt::format("0x{:x}", value)
                          : fmt::format("0x{:x}", static_cast<u32>(value));
            };
            // Compares x = start + stride * tid with a number in the middle of its range, and with
            // tid.
            body += fmt::format(
                "mul.lo.s{0} {1}2, {1}1, {2}; add.s{0} {1}2, {1}2, {3};\n"
                "setp.{4}.{5} %p|%q, {1}2, {6}; selp.u32 %at, 1, 2, %p; "
                "mad.lo.u32 %n, %n, 3, %at;\n"
                "setp.{4}.{5} %p, {1}1, {1}2; selp.u32 %at, 1, 2, %p; mad.lo.u32 %n, %n, 5, %at;\n",
                wide ? 64 : 32, reg, stride, number(start), cmp, name,
                number(start + static_cast<u64>(stride * 40)));
          }
        }
      }
      expect_same(body + "st.global.u32 [%out], %n;");
      if (!is_signed) {
        const char* other = std::string_view(cmp) == "lt"   ? "lo"
                            : std::string_view(cmp) == "le" ? "ls"
                            : std::string_view(cmp) == "gt" ? "hi"
                                                            : "hs";
        expect_same(first + fmt::format("setp.{}.{} %p, {}1, 100; selp.u32 %r5, 1, 0, %p; "
                                        "st.global.u32 [%out], %r5;",
                                        other, name, reg));
      }
    }
  }
}

}  // namespace
}  // namespace heddle::interp
