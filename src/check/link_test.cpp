// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "check/check.h"

namespace heddle::check {
namespace {

Input module(std::string name, std::string_view body, int address_size = 64) {
  return {std::move(name),
          fmt::format(".version 8.5\n.target sm_75\n.address_size {}\n{}\n", address_size, body)};
}

Provided provides(std::string_view function) {
  return function == "vprintf"         ? Provided::unless_defined
         : function == "cudaGetDevice" ? Provided::always
                                       : Provided::no;
}

constexpr std::string_view kReads = ".visible .entry k() { .reg .b64 a; mov.b64 a, x; ret; }\n";
constexpr std::string_view kCalls = ".visible .entry k() { call f; ret; }\n";

std::string code_of(const std::string& messages) {
  const auto at = messages.find('[');
  return at == messages.npos ? "" : messages.substr(at + 1, 5);
}

}  // namespace

TEST(Link, DeclarationsAgreeAndEverythingUsedIsDefinedOnce) {
  struct Case {
    std::string a, b;
    std::string_view code;  ///< of the first message; empty: none
  };
  const std::string reads(kReads), calls(kCalls);
  const Case cases[] = {
      // defined twice
      {".visible .global .b32 x;", ".visible .global .b32 x;", "P4001"},
      {".visible .func f() { ret; }", ".visible .func f() { ret; }", "P4001"},
      {".visible .entry k() { ret; }", ".visible .entry k() { ret; }", "P4001"},
      {".visible .func g() { ret; } .visible .func f(); .alias f, g;",
       ".visible .func f() { ret; }", "P4001"},
      // defined once, replaced, merged, or private
      {".visible .global .b32 x;", ".extern .global .b32 x;" + reads, ""},
      {".visible .global .b32 x = 1;", ".weak .global .b32 x = 2;" + reads, ""},
      {".weak .global .b32 x = 1;", ".weak .global .b32 x = 2;" + reads, ""},
      {".common .global .b32 x;", ".common .global .b64 x;" + reads, ""},
      {".visible .global .b32 x = 3;", ".common .global .b32 x;" + reads, ""},
      {".global .b32 x;", ".global .b32 x;" + reads, ""},
      {".visible .func f() { ret; }", ".extern .func f();" + calls, ""},
      {".weak .func f() { ret; }", ".visible .func f() { ret; }" + calls, ""},
      {".weak .entry k() { ret; }", ".visible .entry k() { ret; }", ""},
      {".func f() { ret; }", ".visible .func f() { ret; }" + calls, ""},
      {".visible .func g() { ret; } .visible .func f(); .alias f, g;", ".extern .func f();" + calls,
       ""},
      // limits of memory: the constants of all inputs, and shared variables that a kernel reaches
      // in another input
      {".const .b8 x[40000];", ".const .b8 y[40000];", "P2143"},
      {".shared .b8 x[30000]; .visible .func f() { st.shared.b8 [x], 1; ret; }",
       ".extern .func f(); .visible .entry k() { .shared .b8 y[30000]; call f; ret; }", "P2142"},
      {".shared .b8 x[30000]; .visible .func f() { st.shared.b8 [x], 1; ret; }",
       ".extern .func f(); .visible .entry k() { .shared .b8 y[10000]; call f; ret; }", ""},
      // defined nowhere
      {"", ".extern .global .b32 x;" + reads, "P4003"},
      {"", ".extern .func f();" + calls, "P4003"},
      {".func f() { ret; }", ".extern .func f();" + calls, "P4003"},
      {"", ".extern .shared .b32 x[4];" + reads, "P4003"},
      {".extern .global .b32 x; .global .u64 y = x;", "", "P4003"},
      {"", ".extern .global .b32 x;", "P4003"},
      {"", ".extern .const .b32 x[];", "P4003"},
      {"", ".extern .func f();", ""},
      {"", ".extern .shared .b32 x[];" + reads, ""},
      {"",
       ".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b); .visible .entry k() "
       "{ .param .b64 p; .param .b32 q; call (q), vprintf, (p, p); ret; }",
       ""},
      // declared differently
      {".visible .global .b64 x;", ".extern .global .b32 x;", "P4004"},
      {".visible .global .b32 x[4];", ".extern .global .b32 x[8];", "P4004"},
      {".visible .const .b32 x;", ".extern .global .b32 x;", "P4004"},
      {".weak .global .b64 x;", ".weak .global .b32 x;", "P4004"},
      {".visible .func x() { ret; }", ".extern .global .b32 x;", "P4004"},
      {".visible .global .attribute(.managed) .b32 x;", ".extern .global .b32 x;", "P4004"},
      {".visible .entry f() { ret; }", ".extern .func f();", "P4004"},
      {".visible .func f(.param .b32 a) { ret; }", ".extern .func f(.param .b64 a);", "P4004"},
      {".visible .func f(.param .b32 a) { ret; }", ".extern .func f();", "P4004"},
      {".visible .func f(.param .b32 a) { ret; }", ".extern .func f(.param .f32 a);", "P4004"},
      {".visible .func (.param .b32 r) f() { ret; }", ".extern .func f();", "P4004"},
      {".visible .func f(.param .b8 a[4]) { ret; }", ".extern .func f(.param .b32 a);", "P4004"},
      // declared with a different type of the same bits
      {".visible .global .f32 x;", ".extern .global .b32 x;" + reads, ""},
      {".visible .global .align 16 .b32 x;", ".extern .global .b32 x;" + reads, ""},
      {".visible .global .b32 x[4];", ".extern .global .b32 x[];" + reads, ""},
      {".visible .shared .b32 x[4];", ".extern .shared .b32 x[];" + reads, ""},
      {".visible .shared .b32 x[4];", ".extern .shared .b32 x[4];" + reads, ""},
      {".visible .func f(.param .s32 a) { ret; }", ".extern .func f(.param .u32 a);", ""},
      {".visible .func f(.reg .b32 a) { ret; }", ".extern .func f(.param .b32 a);", ""},
  };
  for (const Case& c : cases) {
    for (const bool swapped : {false, true}) {
      const Input a = module("a", c.a), b = module("b", c.b);
      const Compiled result = swapped ? compile({b, a}, &provides) : compile({a, b}, &provides);
      EXPECT_EQ(code_of(result.messages()), c.code) << c.a << "\n"
                                                    << c.b << "\n"
                                                    << result.messages();
      EXPECT_EQ(result.module != nullptr, c.code.empty()) << c.a << c.b;
    }
  }
}

TEST(Compile, TellsOfEachInputAndOfTheLinker) {
  // When an input has errors, the linker does not run.
  const Compiled rejected =
      compile({module("a", ".visible .global .b32 x;"), module("b", ".global .b32 y = z;")});
  ASSERT_EQ(rejected.reports.size(), 1u);
  EXPECT_EQ(rejected.reports[0].source.path(), "b");
  EXPECT_EQ(rejected.module, nullptr);
  EXPECT_TRUE(rejected.has(rejected.reports[0].report.diagnostics()[0].kind));
  EXPECT_FALSE(rejected.has(diag::Kind::unknown_version));
  // The places of the linker's messages are in the joined text.
  const Compiled twice =
      compile({module("a", ".visible .global .b32 x;"), module("b", ".visible .global .b32 x;")});
  ASSERT_EQ(twice.reports.size(), 1u);
  const auto& [source, report] = twice.reports[0];
  EXPECT_EQ(diag::info(report.diagnostics()[0].kind).code, "P4001");
  EXPECT_EQ(source.place(report.diagnostics()[0].span.begin).file, "b");
  EXPECT_EQ(twice.messages(), diag::render_text(report, source));
  // There are no messages.
  const Compiled good = compile({module("a", "")});
  EXPECT_NE(good.module, nullptr);
  EXPECT_TRUE(good.reports.empty() && good.failures.empty() && good.messages().empty());
}

TEST(Link, ModulesHaveOneAddressSize) {
  EXPECT_EQ(compile({module("a", ""), module("b", "", 32)}).messages(),
            "b:1:1: error[P4002]: this module has 32-bit addresses, 'a' has 64-bit ones\n"
            "    1 | .version 8.5\n"
            "      | ^\n");
}

TEST(Link, BothPlacesAreShown) {
  EXPECT_EQ(compile({module("a", ".visible .global .b64 x;"),
                     module("b", "\n# 7 \"kernel.cu\"\n.visible .global .b32 x;")})
                .messages(),
            "kernel.cu:7:23: error[P4001]: 'x' is defined twice\n"
            "    7 | .visible .global .b32 x;\n"
            "      |                       ^\n"
            "  a:4:23:\n"
            "    4 | .visible .global .b64 x;\n"
            "      |                       - note: it is defined here, too\n"
            "  help: make all definitions but one .extern, or those that may be replaced .weak\n"
            "kernel.cu:7:23: error[P4004]: 'x' is 4 bytes large here, but 8 bytes elsewhere\n"
            "    7 | .visible .global .b32 x;\n"
            "      |                       ^\n"
            "  a:4:23:\n"
            "    4 | .visible .global .b64 x;\n"
            "      |                       - note: the other declaration\n");
}

TEST(Link, AModuleAloneDefinesItsExternVariables) {
  for (const char* text :
       {".extern .global .b32 x;", ".extern .global .b32 x[4];", ".extern .const .b32 x;",
        ".extern .shared .b32 x;", ".extern .global .b32 x; .global .u64 y = x;"}) {
    for (const std::string_view use : {kReads, std::string_view()}) {
      const std::vector<Input> program = {module("a", text + std::string(use))};
      const Compiled alone = compile(program, &provides);
      EXPECT_EQ(code_of(alone.messages()), "P4005") << text << use;
      EXPECT_TRUE(alone.module);
      const CompileOptions as_part{.program = Program::relocatable};
      EXPECT_EQ(code_of(compile(program, &provides, as_part).messages()), "P4003") << text << use;
      EXPECT_EQ(compile(program).messages(), "") << text << use;
      // A library of Heddle's does not count as a second module.
      const std::vector<Input> with_library = {
          program[0], {"library", module("library", ".visible .func f() { ret; }").text, true}};
      EXPECT_EQ(code_of(compile(with_library, &provides).messages()), "P4005") << text << use;
    }
  }
  // The size is not declared.
  for (const char* text : {".extern .global .b32 x[];", ".extern .const .b32 x[];"}) {
    for (const std::string_view use : {kReads, std::string_view()}) {
      const Compiled open = compile({module("a", text + std::string(use))}, &provides);
      EXPECT_EQ(code_of(open.messages()), "P4003") << text << use;
    }
  }
  EXPECT_EQ(compile({module("a", ".extern .shared .b32 x[];" + std::string(kReads))}, &provides)
                .messages(),
            "");
  const Compiled call =
      compile({module("a", ".extern .func f();" + std::string(kCalls))}, &provides);
  EXPECT_EQ(code_of(call.messages()), "P4003");
  EXPECT_FALSE(call.module);
  EXPECT_EQ(compile({module("a", ".extern .func f();" + std::string(kCalls))}).messages(), "");
}

TEST(Link, WhatNoKernelReachesMayLackSomething) {
  const std::string library = ".extern .func f(); .visible .func unused() { call f; ret; }";
  const CompileOptions running{.complete = Complete::what_runs};
  const std::vector<Input> program = {module("a", ".visible .entry k() { ret; }"),
                                      module("b", library)};
  EXPECT_EQ(compile(program, &provides, running).messages(), "");
  EXPECT_EQ(code_of(compile(program, &provides).messages()), "P4003");
  for (const char* kernel :
       {".extern .func unused(); .visible .entry k() { call unused; ret; }",
        ".extern .func unused(); .global .u64 table = unused; .visible .entry k() { ret; }"}) {
    const std::vector<Input> reaching = {module("a", kernel), module("b", library)};
    EXPECT_EQ(code_of(compile(reaching, &provides, running).messages()), "P4003") << kernel;
  }
}

TEST(Link, WhatTheDeviceRuntimeHasNotIsSaidWithItsReason) {
  const struct {
    const char *name, *reason;
  } kCases[] = {
      {"cudaDeviceSynchronize", "kernels cannot wait for what they launch"},
      {"__cuda_syscall_cnpv2LaunchDeviceV2", "which is not documented"},
  };
  for (const auto& c : kCases) {
    const std::string text = fmt::format(
        ".extern .func (.param .b32 r) {0}(.param .b64 a, .param .b64 b);\n"
        ".visible .entry k() {{ .param .b64 p; .param .b32 q;\n"
        "call (q), {0}, (p, p); ret; }}",
        c.name);
    const std::string messages = compile({module("a", text)}, &provides).messages();
    EXPECT_NE(messages.find(c.reason), messages.npos) << messages;
  }
}

TEST(Link, DefinitionsOfWhatTheMachineHasAreNotUsed) {
  const std::string declares = ".extern .func cudaGetDevice(.param .b64 a);\n";
  const std::string calls = ".visible .entry k() { .param .b64 p; call cudaGetDevice, (p); ret; }";
  const std::string defines =
      ".extern .func unknown();\n"
      ".visible .func cudaGetDevice(.param .b64 a) { call unknown; ret; }\n";
  for (const auto& inputs :
       {std::vector<Input>{module("a", defines + calls)},
        std::vector<Input>{module("a", declares + calls), module("b", defines)}}) {
    const CompileOptions running{.complete = Complete::what_runs};
    const Compiled result = compile(inputs, &provides, running);
    EXPECT_EQ(result.messages(), "");
    ASSERT_TRUE(result.module);
    EXPECT_FALSE(result.module->find_function("cudaGetDevice")->has_body);
  }
}

TEST(Link, SystemCallsOfTheDeviceRuntimeAreRefusedWithTheReason) {
  const std::string messages =
      compile({module("a",
                      ".extern .func __cuda_syscall_x();\n"
                      ".visible .entry k() { call __cuda_syscall_x; ret; }")},
              &provides)
          .messages();
  EXPECT_NE(messages.find("not documented"), messages.npos) << messages;
}

TEST(Link, AnInputMayReplaceDefinitions) {
  const Input calls = module("a", ".extern .func f();\n.visible .entry k() { call f; ret; }");
  const Input theirs = module("b", ".visible .func f() { exit; }");
  Input ours = module("c", ".visible .func f() { ret; }");
  EXPECT_EQ(code_of(compile({calls, theirs, ours}).messages()), "P4001");
  ours.overrides = true;
  for (const auto& inputs : {std::vector{calls, theirs, ours}, std::vector{ours, theirs, calls}}) {
    const auto linked = compile(inputs);
    ASSERT_TRUE(linked.module) << linked.messages();
    const auto& f = *linked.module->find_function("f");
    EXPECT_EQ(f.insts[0].get_form().opcode, "ret");
  }
}

}  // namespace heddle::check
