// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// heddle_compile_time: measures the compile time of programs generated from the instruction tables
// (every kind of control flow, loops, calls, all scalar forms) and of long chains of a few
// instructions (carries, predicates, conversions, loops over them), which made LLVM loop endlessly
// or generate unbounded code. It measures CPU time per PTX instruction; no program may take more
// than kMostTimes times the median. Exit status: 0, 1 when a program takes longer or cannot be
// compiled in time, 2 for wrong usage.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstring>
#include <fstream>
#include <optional>
#include <random>
#include <ranges>
#include <string>
#include <string_view>
#include <vector>

#include "check/check.h"
#include "generate.h"
#include "jit/compiler.h"
#include "machine/device_runtime.h"
#include "machine/loaded.h"

namespace heddle::generated {
namespace {

constexpr double kMostTimes = 20;
/// How often a slow program is compiled again: another process may have used the processor's
/// caches.
constexpr int kAgain = 3;

struct Options {
  u64 first = 0, count = 10000;
  std::string cpu;
  std::string folder;
};

// --- chains ---

/// With %a and %b: registers of 32 bits, %A and %B: of 64, %f and %F: floats, %p: a predicate.
constexpr std::string_view kLinks[] = {
    "add.cc.u32 %a, %a, %b;",
    "addc.cc.u32 %a, %b, %a;",
    "sub.cc.u32 %a, %a, %b;",
    "subc.cc.u32 %a, %b, %a;",
    "addc.u32 %a, %a, 0;",
    "mad.lo.cc.u32 %a, %a, %b, %a;",
    "madc.hi.cc.u32 %a, %a, %b, %b;",
    "add.cc.u64 %A, %A, %B;",
    "addc.cc.u64 %A, %A, 0;",
    "sub.u64 %A, %B, %A;",
    "mul.hi.u64 %A, %A, %B;",
    "mad.wide.u32 %A, %a, %b, %A;",
    "shf.l.wrap.b32 %a, %a, %b, %a;",
    "bfe.u64 %A, %A, %a, %b;",
    "bfi.b32 %a, %b, %a, 3, 7;",
    "prmt.b32 %a, %a, %b, 0x3210;",
    "dp4a.u32.s32 %a, %a, %b, %a;",
    "lop3.b32 %a, %a, %b, %a, 0x96;",
    "selp.u32 %a, %a, %b, %p;",
    "setp.lt.s32 %p, %a, %b;",
    "setp.ge.and.u64 %p, %A, %B, %p;",
    "slct.s32.f32 %a, %a, %b, %f;",
    "min.s32 %a, %a, %b;",
    "div.u32 %a, %a, %b;",
    "rem.s64 %A, %A, %B;",
    "cvt.rn.f32.s32 %f, %a;",
    "cvt.rzi.s32.f32 %a, %f;",
    "fma.rn.f32 %f, %f, %f, %f;",
    "mul.rm.f32 %f, %f, %f;",
    "add.rp.ftz.f32 %f, %f, %f;",
    "div.full.f32 %f, %f, %f;",
    "ex2.approx.f32 %f, %f;",
    "rcp.rn.f64 %F, %F;",
    "fma.rz.f64 %F, %F, %F, %F;",
    "cvt.f64.f32 %F, %f;",
    "cvt.rz.f32.f64 %f, %F;",
    "shfl.sync.bfly.b32 %a, %a, 5, 31, -1;",
    "popc.b64 %a, %A;",
    "clz.b32 %a, %b;",
    "mov.b64 %A, {%a, %b};",
    "vadd.s32.u32.s32.sat %a, %a, %b;",
};

/// Registers are different in each thread, and all of them are written at the end.
constexpr std::string_view kHead = R"(.version 8.6
.target sm_90
.address_size 64
.visible .entry kernel(.param .u64 out)
{
  .reg .u64 %at;
  .reg .u32 %i, %n, %t;
  .reg .pred %again, %p<4>, %q<4>;
  .reg .b32 %a<4>, %b<4>;
  .reg .b64 %A<4>, %B<4>;
  .reg .f32 %f<4>;
  .reg .f64 %F<4>;
  ld.param.u64 %at, [out];
  mov.u32 %t, %tid.x;
  mad.wide.u32 %at, %t, 128, %at;
  ld.global.v4.u32 {%a0, %a1, %a2, %a3}, [%at];
  ld.global.v4.u32 {%b0, %b1, %b2, %b3}, [%at+16];
  ld.global.v2.u64 {%A0, %A1}, [%at+32];
  ld.global.v2.u64 {%A2, %A3}, [%at+48];
  ld.global.v2.u64 {%B0, %B1}, [%at+64];
  ld.global.v2.u64 {%B2, %B3}, [%at+80];
  ld.global.v4.f32 {%f0, %f1, %f2, %f3}, [%at+96];
  cvt.f64.f32 %F0, %f0;
  cvt.f64.f32 %F1, %f1;
  cvt.f64.f32 %F2, %f2;
  cvt.f64.f32 %F3, %f3;
  ld.global.u32 %n, [%at+112];
  setp.lt.u32 %p0, %t, 7;
  setp.eq.u32 %p1, %a0, 0;
  setp.gt.s32 %p2, %a1, %b2;
  setp.ne.u64 %p3, %A0, %B0;
  setp.ge.u32 %q0, %t, 3;
  setp.eq.u32 %q1, %t, 5;
  setp.lt.s32 %q2, %b0, 9;
  setp.lt.s32 %q3, %b1, %a3;
)";
constexpr std::string_view kTail = R"(
  @%p0 add.u32 %a0, %a0, 1;
  @%p1 add.u32 %a1, %a1, 1;
  @%p2 add.u32 %a2, %a2, 1;
  @%p3 add.u32 %a3, %a3, 1;
  add.f64 %F0, %F0, %F1;
  add.f64 %F2, %F2, %F3;
  add.f64 %F0, %F0, %F2;
  cvt.rn.f32.f64 %f3, %F0;
  st.global.v4.u32 [%at], {%a0, %a1, %a2, %a3};
  st.global.v2.u64 [%at+32], {%A0, %A1};
  st.global.v2.u64 [%at+48], {%A2, %A3};
  st.global.v4.f32 [%at+96], {%f0, %f1, %f2, %f3};
  ret;
}
)";

class Chains {
 public:
  explicit Chains(u64 seed) : random_(seed) {}

  std::string text() {
    const u64 length = 40 + below(160);
    const bool guarded = below(3) == 0, loops = below(3) == 0;
    std::vector<std::string_view> links;
    for (u64 i = 2 + below(6); i > 0;) {
      const std::string_view link = kLinks[below(std::size(kLinks))];
      // Threads leave the loops one by one, so warp-level instructions are not legal there.
      if (loops && link.starts_with("shfl")) continue;
      links.push_back(link);
      --i;
    }
    std::string body;
    for (u64 i = 0; i < length; ++i) {
      if (loops && i % 40 == 0) body += fmt::format("  mov.u32 %i, 0;\nL{}:\n", i / 40);
      const std::string_view link = links[below(3) ? i % links.size() : below(links.size())];
      const bool has_target = !link.starts_with("setp") && !link.starts_with("shfl");
      body += "  " + (guarded && has_target && below(2) ? fmt::format("@%q{} ", below(4)) : "") +
              with_registers(link) + "\n";
      if (loops && (i % 40 == 39 || i + 1 == length))
        body += fmt::format(
            "  add.u32 %i, %i, 1;\n  setp.lt.u32 %again, %i, %n;\n  @%again bra L{};\n", i / 40);
    }
    return std::string(kHead) + body + std::string(kTail);
  }

 private:
  u64 below(u64 end) { return random_() % end; }
  std::string with_registers(std::string_view link) {
    std::string text;
    for (std::size_t i = 0; i < link.size(); ++i) {
      text += link[i];
      if (link[i] == '%' && i + 1 < link.size() && std::isalpha(static_cast<u8>(link[i + 1]))) {
        text += link[++i];
        text += std::to_string(below(4));
      }
    }
    return text;
  }

  std::mt19937_64 random_;
};

// --- measuring ---

struct Measured {
  u64 seed = 0;
  double per_instruction = 0;  ///< s
};

class Clock {
 public:
  explicit Clock(std::string cpu)
      : cpu_(std::move(cpu)), memory_(*machine::Memory::create(u64{1} << 28)) {}

  /// CPU time per instruction; nothing: the kernel is not compiled, for the reason `why`.
  std::optional<double> compile(const std::string& text, std::string& why) const {
    check::CompileOptions how;
    how.contract = false;
    const auto checked = check::compile({{"program.ptx", text}}, &machine::provides, how);
    if (!checked.module) {
      why = checked.messages();
      return std::nullopt;
    }
    const auto loaded = machine::Loaded::create(*memory_, checked.module);
    if (!loaded.ok()) {
      why = loaded.error().message;
      return std::nullopt;
    }
    std::size_t instructions = 0;
    jit::Request request;
    for (std::size_t id = 0; id < checked.module->functions.size(); ++id) {
      const ir::Function& function = checked.module->functions[id];
      instructions += function.insts.size();
      if (function.is_entry) request.entry = ir::FunctionId(id);
    }
    const machine::SharedLayout shared = (*loaded)->shared_layout(request.entry);
    request.module = checked.module.get();
    request.shared = &shared;
    request.block = {64, 1, 1};
    request.cpu = cpu_;
    const auto compiled = jit::compile(request);
    if (!compiled.ok()) {
      why = compiled.error().message;
      return std::nullopt;
    }
    double seconds = 0;
    for (const jit::Stage& stage : compiled->stages) {
      const std::string_view name = stage.name;
      if (name != "load the library" && name != "target") seconds += stage.seconds;
    }
    return seconds / static_cast<double>(instructions);
  }

 private:
  const std::string cpu_;
  const std::unique_ptr<machine::Memory> memory_;
};

/// The program of a seed; odd seeds give chains.
std::string program(u64 seed) { return seed % 2 ? Chains(seed).text() : generate(seed).text(); }

int run(const Options& options) {
  const Clock clock(options.cpu);
  std::vector<Measured> all;
  u64 refused = 0;
  for (u64 seed = options.first; seed < options.first + options.count; ++seed) {
    std::string why;
    const auto time = clock.compile(program(seed), why);
    if (time)
      all.push_back({seed, *time});
    else if (seed % 2)
      fmt::print("seed {}: {}\n", seed, why), ++refused;
  }
  if (all.empty()) {
    fmt::print("nothing was compiled\n");
    return 1;
  }
  std::ranges::sort(all, std::less(), &Measured::per_instruction);
  const double usual = all[all.size() / 2].per_instruction;
  u64 slow = 0;
  for (Measured& one : std::views::reverse(all)) {
    if (one.per_instruction <= kMostTimes * usual) break;
    std::string why;
    for (int i = 0; i < kAgain; ++i)
      one.per_instruction = std::min(
          one.per_instruction, clock.compile(program(one.seed), why).value_or(one.per_instruction));
    if (one.per_instruction <= kMostTimes * usual) continue;
    ++slow;
    fmt::print("seed {}: {:.1f} times the usual time\n", one.seed, one.per_instruction / usual);
    if (!options.folder.empty())
      std::ofstream(fmt::format("{}/slow-{}.ptx", options.folder, one.seed)) << program(one.seed);
  }
  const auto longest = std::ranges::max_element(all, {}, &Measured::per_instruction);
  fmt::print(
      "{} programs from seed {} on, {} of them compiled: {:.0f} us an instruction, the longest "
      "{:.1f} "
      "times that (seed {}); {} above {} times; {} refused\n",
      options.count, options.first, all.size(), usual * 1e6, longest->per_instruction / usual,
      longest->seed, slow, kMostTimes, refused);
  return slow || refused ? 1 : 0;
}

bool parse(int argc, char** argv, Options& options) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (++i == argc) return false;
    const char* const end = argv[i] + std::strlen(argv[i]);
    const auto number = [&](u64& value) {
      const auto parsed = std::from_chars(argv[i], end, value);
      return parsed.ec == std::errc() && parsed.ptr == end;
    };
    if (argument == "--count") {
      if (!number(options.count)) return false;
    } else if (argument == "--first") {
      if (!number(options.first)) return false;
    } else if (argument == "--cpu") {
      options.cpu = argv[i];
    } else if (argument == "--out") {
      options.folder = argv[i];
    } else {
      return false;
    }
  }
  return true;
}

}  // namespace
}  // namespace heddle::generated

int main(int argc, char** argv) {
  heddle::generated::Options options;
  if (!heddle::generated::parse(argc, argv, options)) {
    fmt::print(
        stderr,
        "usage: heddle_compile_time [--count N] [--first SEED] [--cpu NAME] [--out FOLDER]\n");
    return 2;
  }
  return heddle::generated::run(options);
}
