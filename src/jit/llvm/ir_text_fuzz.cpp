// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the metadata of a kernel's text: named lists of nodes of strings and integers, made from
// the input's bytes. LLVM's parser is not the target, so the text around them is fixed.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "jit/llvm/host/compiler_context.h"
#include "jit/llvm/ir_text.h"

namespace {

constexpr const char* kWords[] = {"block",
                                  "shared_bytes",
                                  "local_bytes",
                                  "local_in_lanes",
                                  "frame_of_call",
                                  "zeroes_subnormals",
                                  "waits",
                                  "switches_ctas",
                                  "loops",
                                  "team",
                                  "frame_bytes",
                                  "stack_pointer",
                                  "sem",
                                  "space",
                                  "type",
                                  "function",
                                  "inst",
                                  "bytes",
                                  "count",
                                  "strong",
                                  "ordered",
                                  "op",
                                  "runtime0",
                                  "next",
                                  "distance",
                                  "in_line",
                                  "shared",
                                  "step",
                                  "widens",
                                  "index_step",
                                  "factor",
                                  "narrow",
                                  "alone",
                                  "has_count",
                                  "has_members",
                                  "gathered",
                                  "ld",
                                  "st",
                                  "atom",
                                  "global",
                                  "local",
                                  "generic",
                                  "u32",
                                  "f16x2",
                                  "",
                                  "weave"};
constexpr const char* kLists[] = {"heddle.kernel", "heddle.sites", "heddle.locals",
                                  "heddle.symbols", "heddle.first_lines"};

class Text {
 public:
  explicit Text(std::string_view bytes) : bytes_(bytes) {}
  std::string make() {
    std::string lists, nodes;
    int number = 0;
    for (const char* name : kLists) {
      std::string list;
      for (unsigned i = byte() % 5; i > 0; --i) {
        list += (list.empty() ? "!" : ", !") + std::to_string(number);
        nodes += "!" + std::to_string(number++) + " = !{" + node() + "}\n";
      }
      if (!list.empty()) lists += std::string("!") + name + " = !{" + list + "}\n";
    }
    return "define void @k() { ret void }\n" + lists + nodes;
  }

 private:
  unsigned byte() {
    if (bytes_.empty()) return 0;
    const unsigned one = static_cast<unsigned char>(bytes_[0]);
    bytes_.remove_prefix(1);
    return one;
  }
  std::string node() {
    std::string all;
    for (unsigned i = byte() % 9; i > 0; --i) {
      if (!all.empty()) all += ", ";
      const unsigned kind = byte();
      if (kind % 8 == 7) {
        all += "null";
      } else if (kind % 2) {
        all += "!\"" + std::string(kWords[byte() % std::size(kWords)]) + "\"";
      } else {
        std::uint64_t value = byte();
        if (kind & 16) value <<= byte() % 64;
        if (kind & 32) value = ~value;
        all += "i64 " + std::to_string(static_cast<std::int64_t>(value));
      }
    }
    return all;
  }
  std::string_view bytes_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text = Text({reinterpret_cast<const char*>(data), size}).make();
  const heddle::jit::CompilerContext::Loan compiler("");
  heddle::jit::PassState state(compiler->context, *compiler->target);
  if (heddle::jit::read_state(text, "input", state).empty()) (void)heddle::jit::print_state(state);
  return 0;
}
