// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// heddle_code_size FILE [--list]: measures the size of the compiled code of each legal instruction
// of gen/isa/form_instances.txt, with operands from memory. No instruction may take more than
// kMostTimes times the median, because LLVM's compile time grows faster than the code. Longer
// instructions are run by the fallback engine. --list: lists all instructions, the longest first.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "check/check.h"
#include "instance.h"
#include "isa/entry.h"
#include "jit/compiler.h"
#include "machine/loaded.h"

namespace heddle::forms {
namespace {

constexpr double kMostTimes = 20;

struct Register {
  std::string type, name;
};

/// The registers of declarations like `.reg .f32 %r_f32_<2>;`.
std::vector<Register> registers_of(std::string_view declarations) {
  std::vector<Register> registers;
  for (std::size_t at = 0; (at = declarations.find(".reg .", at)) != std::string_view::npos;) {
    at += 6;
    const std::size_t space = declarations.find(' ', at), begin = declarations.find('%', at);
    const std::size_t open = declarations.find('<', begin), close = declarations.find('>', open);
    if (close == std::string_view::npos) break;
    const int count = std::stoi(std::string(declarations.substr(open + 1, close - open - 1)));
    for (int i = 0; i < count; ++i)
      registers.push_back({std::string(declarations.substr(at, space - at)),
                           fmt::format("{}{}", declarations.substr(begin, open - begin), i)});
  }
  return registers;
}

/// Bytes of a register in memory.
unsigned bytes_of(std::string_view type) {
  const std::size_t digits = type.find_first_of("0123456789");
  return digits == std::string_view::npos
             ? 4
             : static_cast<unsigned>(std::stoi(std::string(type.substr(digits)))) / 8;
}

/// The kernel, with loads of its registers before the instruction, and stores after it. Each
/// register has an array with an element for each thread, so that the loads and stores are short.
std::string with_operands(const Instance& instance) {
  std::string before =
      "{ .reg .b64 %from_<9>; .reg .b32 %thread_; ld.param.u64 %from_0, [from_];\n"
      "mov.u32 %thread_, %tid.x;\n";
  for (const unsigned bytes : {1, 2, 4, 8})
    before += fmt::format("mad.wide.u32 %from_{0}, %thread_, {0}, %from_0;\n", bytes);
  std::string after = before;
  int at = 0;
  for (const auto& [type, name] : registers_of(instance.declarations)) {
    at += 4096;
    const unsigned bytes = std::min(bytes_of(type), 8u);
    const std::string place = fmt::format("[%from_{}+{}]", bytes, at);
    if (type == "pred") {
      before +=
          fmt::format("ld.global.u32 %thread_, {}; setp.ne.u32 {}, %thread_, 0;\n", place, name);
      after +=
          fmt::format("selp.u32 %thread_, 1, 0, {}; st.global.u32 {}, %thread_;\n", name, place);
    } else if (type == "b128") {
      const std::string other = fmt::format("[%from_8+{}]", at + 2048);
      before += fmt::format(
          "{{ .reg .b64 %a, %b; ld.global.u64 %a, {}; "
          "ld.global.u64 %b, {}; mov.b128 {}, {{%a, %b}}; }}\n",
          place, other, name);
      after += fmt::format(
          "{{ .reg .b64 %a, %b; mov.b128 {{%a, %b}}, {}; "
          "st.global.u64 {}, %a; st.global.u64 {}, %b; }}\n",
          name, place, other);
    } else {
      before += fmt::format("ld.global.{} {}, {};\n", type, name, place);
      after += fmt::format("st.global.{} {}, {};\n", type, place, name);
    }
  }
  std::string text = module_of(instance);
  const std::string entry = ".entry kernel {";
  text.replace(text.find(entry), entry.size(), ".entry kernel(.param .u64 from_) {");
  const std::size_t place = text.rfind(instance.instruction);
  text.insert(place + instance.instruction.size(), after + "}\n");
  text.insert(place, before + "}\n");
  return text;
}

class Measured {
 public:
  Measured() : memory_(*machine::Memory::create(u64{1} << 30)) {}

  /// The bytes of code; none: the kernel has errors, or stays in the interpreter.
  std::optional<std::size_t> size_of(const std::string& text) {
    const auto compiled = check::compile({{"instance.ptx", text}});
    if (!compiled.module) return std::nullopt;
    const auto loaded = machine::Loaded::create(*memory_, compiled.module);
    if (!loaded.ok()) return std::nullopt;
    const ir::Function* kernel = compiled.module->find_function("kernel");
    jit::Request request;
    request.module = compiled.module.get();
    request.entry =
        ir::FunctionId(static_cast<std::size_t>(kernel - compiled.module->functions.data()));
    const machine::SharedLayout shared = (*loaded)->shared_layout(request.entry);
    request.shared = &shared;
    request.block = {32, 1, 1};
#if defined(__x86_64__)
    request.cpu = "x86-64-v4";  // the same everywhere
#endif
    const auto made = jit::compile(request);
    if (!made.ok()) return std::nullopt;
    return made->image.code.size();
  }

 private:
  std::unique_ptr<machine::Memory> memory_;
};

/// The kind of the instruction, which determines its code: the lane function, or else the form.
std::string kind_of(const Instance& instance) {
  const auto compiled = check::compile({{"instance.ptx", module_of(instance)}});
  if (!compiled.module) return {};
  for (const ir::Inst& inst : compiled.module->find_function("kernel")->insts) {
    const isa::Form& form = inst.get_form();
    if (form.opcode != instance.instruction.substr(0, form.opcode.size())) continue;
    if (form.sem_kind == isa::SemKind::lane)
      return fmt::format("lane {}", isa::dispatch_index(form, inst.slots));
  }
  return instance.where;
}

int run(const char* path, bool list) {
  struct Found {
    std::size_t bytes;
    std::string instruction;
  };
  Measured measured;
  std::vector<Found> all;
  std::set<std::string> seen;
  std::map<std::string, std::size_t> without;  // by declarations
  std::size_t refused = 0;
  for (const Instance& instance : read_instances(path)) {
    if (!instance.legal) continue;
    const std::string kind = kind_of(instance);
    if (kind.empty() || !seen.insert(kind).second) continue;
    const std::string text = with_operands(instance);
    const auto bytes = measured.size_of(text);
    if (!bytes) {
      ++refused;
      if (list) fmt::print("refused {}\n", instance.instruction);
      continue;
    }
    auto [base, is_new] = without.try_emplace(instance.declarations, 0);
    if (is_new) {
      std::string rest = text;
      const std::size_t place = rest.rfind(instance.instruction);
      rest.erase(place, instance.instruction.size());
      base->second = measured.size_of(rest).value_or(0);
    }
    all.push_back({*bytes - std::min(*bytes, base->second), instance.instruction});
  }
  std::ranges::sort(all, std::greater(), &Found::bytes);
  if (all.empty()) {
    fmt::print("nothing was compiled\n");
    return 1;
  }
  const double median = static_cast<double>(all[all.size() / 2].bytes);
  std::size_t too_long = 0;
  for (const auto& [bytes, instruction] : all) {
    const bool is_long = static_cast<double>(bytes) > kMostTimes * median;
    too_long += is_long;
    if (list || is_long) fmt::print("{:>8} bytes {}\n", bytes, instruction);
  }
  fmt::print("{} instructions, {} not compiled; median {} bytes, most {}; {} above {} times that\n",
             all.size(), refused, median, all[0].bytes, too_long, kMostTimes);
  return too_long == 0 && refused * 10 < all.size() ? 0 : 1;
}

}  // namespace
}  // namespace heddle::forms

int main(int argc, char** argv) {
  const bool list = argc == 3 && std::string_view(argv[2]) == "--list";
  if (argc != 2 && !list) {
    fmt::print(stderr, "usage: heddle_code_size FILE [--list]\n");
    return 2;
  }
  return heddle::forms::run(argv[1], list);
}
