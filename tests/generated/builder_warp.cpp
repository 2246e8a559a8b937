// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Communication between threads: of a warp with membermasks, of a CTA at barriers.
#include <algorithm>

#include "builder.h"

namespace heddle::generated {

using isa::Type;

Builder::Made Builder::warp(const Context& context) {
  if (context.members.empty()) return std::nullopt;
  const auto forms = scope_.catalogue().warp();
  const u32 last = static_cast<u32>(forms.size());
  if (one_in(5)) return Node(fmt::format("bar.warp.sync {};\n", context.members));
  auto instance = choose(*forms[below(last)], scope_.catalogue().place(), scope_.random());
  if (!instance) return std::nullopt;
  if (instance->form->opcode == "shfl") {
    instance->optional = true;
    return Node(shuffle(*instance, context));
  }
  auto made = scope_.instruction(*instance, {{"m", context.members}});
  if (!made) return std::nullopt;
  return Node(std::move(*made));
}

/// A shuffle (9.7.9.6); if the source lane does not take part, 0 replaces the undefined value.
std::string Builder::shuffle(const Instance& instance, const Context& context) {
  const u32 segment = one_in(2) ? 0 : 32 - (1u << below(6)) % 64;
  const u32 clamp = one_in(4) ? below(32) : instance.word("shflmode") == "up" ? 0 : 31;
  const std::string source = scope_.temporary("b32"), step = scope_.temporary("b32"),
                    in_range = scope_.temporary("pred"), known = scope_.temporary("pred");
  std::string b = one_in(2) ? std::to_string(below(32)) : any(Type::b32);
  std::string text = fmt::format("and.b32 {}, {}, 31;\n", step, b);
  const std::string_view mode = instance.word("shflmode");
  if (mode == "up") {
    text += fmt::format("sub.u32 {}, %lane, {};\n", source, step);
  } else if (mode == "down") {
    text += fmt::format("add.u32 {}, %lane, {};\n", source, step);
  } else if (mode == "bfly") {
    text += fmt::format("xor.b32 {}, %lane, {};\n", source, step);
  } else {
    text += fmt::format("and.b32 {0}, {0}, {1};\nand.b32 {2}, %lane, {3};\nor.b32 {2}, {2}, {0};\n",
                        step, 31 & ~segment, source, segment);
  }
  const std::string d = scope_.target(Type::b32);
  text += *scope_.instruction(instance, {{"d", d},
                                         {"p", in_range},
                                         {"a", any(Type::b32)},
                                         {"b", std::move(b)},
                                         {"c", std::to_string(segment << 8 | clamp)},
                                         {"m", context.members}});
  text += fmt::format(
      "shr.u32 {0}, {1}, {0};\nand.b32 {0}, {0}, 1;\nsetp.ne.or.u32 {2}, {0}, 0, !{3};\n"
      "selp.b32 {4}, {4}, 0, {2};\nmov.pred {5}, {3};\n",
      source, context.members, known, in_range, d, scope_.target(Type::pred));
  return text;
}

/// Two barriers; between them all threads read the slots of other threads.
Builder::Made Builder::exchange(const Context& context) {
  if (!is_kernel_ || !context.together || context.reading) return std::nullopt;
  Context inner = context;
  inner.reading = true;
  Node node;
  node.text.push_back(barrier());
  node.blocks.push_back(block(inner, 6));
  node.text.push_back(barrier());
  return node;
}

/// Between two barriers of the active threads of the warp, each reads the slots of others.
Builder::Made Builder::warp_exchange(const Context& context) {
  if (!is_kernel_ || context.members.empty() || context.reading) return std::nullopt;
  const std::string sync = fmt::format("bar.warp.sync {};\n", context.members);
  const std::string who = scope_.temporary("u32"), bit = scope_.temporary("u32"),
                    is_here = scope_.temporary("pred");
  std::string text = sync;
  for (u32 left = 1 + below(3); left > 0; --left) {
    // The thread's own slot, if the other thread is not active.
    const Made made = slot_of(
        who, fmt::format("and.b32 {0}, {1}, 31;\nshr.u32 {2}, {3}, {0};\nand.b32 {2}, {2}, 1;\n"
                         "setp.ne.u32 {4}, {2}, 0;\nselp.b32 {0}, {0}, %lane, {4};\n"
                         "sub.u32 {0}, {0}, %lane;\nadd.u32 {0}, {0}, %thread;\n",
                         who, any(Type::u32), bit, context.members, is_here));
    if (made) text += made->text[0];
  }
  return Node(text + sync);
}

/// Half of the warps arrive at a barrier when their slots are ready, and continue to the end, where
/// they wait for the other half, which reads these slots.
Builder::Made Builder::hand_over(const Context& context) {
  const bool fits = is_kernel_ && context.together && !context.reading && !shared_.somebody_left;
  if (!fits || shared_.threads % 64 != 0) return std::nullopt;
  const u32 half = shared_.threads / 2;
  const std::string p = scope_.temporary("pred"), who = scope_.temporary("u32"),
                    arrive = scope_.label(), join = scope_.label();
  // bar.arrive does not wait: both halves may meet at another barrier before the other half comes
  // to this one.
  const std::string meet =
      one_in(2) ? fmt::format("bar.sync {}, {};\n", kHandOver - 1, shared_.threads) : "";
  std::string text =
      fmt::format("setp.{0}.u32 {1}, %thread, {2};\n@{1} bra {3};\n{6}bar.sync {4}, {5};\n",
                  one_in(2) ? "lt" : "ge", p, half, arrive, kHandOver, shared_.threads, meet);
  const u32 first = text.starts_with("setp.lt") ? 0 : half;
  for (u32 left = 1 + below(3); left > 0; --left) {
    const Made made = slot_of(who, fmt::format("rem.u32 {0}, {1}, {2};\nadd.u32 {0}, {0}, {3};\n",
                                               who, any(Type::u32), half, first));
    if (made) text += made->text[0];
  }
  text += fmt::format("bra {};\n{}:\nbar.arrive {}, {};\n{}{}:\n", join, arrive, kHandOver,
                      shared_.threads, meet, join);
  return Node(text + barrier());
}

/// A barrier for all threads of the CTA that have not exited.
std::string Builder::barrier() {
  const u32 number = below(kHandOver - 1);
  if (scope_.catalogue().place().target.sm >= 80 && !shared_.somebody_left && one_in(8))
    return object_barrier();
  if (one_in(5)) {  // the same barrier, at two places
    const std::string other = scope_.label(), join = scope_.label();
    const std::string p = any(Type::pred);
    return fmt::format(
        "@{0} bra {1};\nbarrier.sync {3};\nbra {2};\n{1}:\nbarrier.sync {3};\n{2}:\n", p, other,
        join, number);
  }
  const auto forms = isa::forms_of(one_in(2) ? "bar" : "barrier");
  const isa::Form& form = forms[below(static_cast<u32>(forms.size()))];
  const bool is_barrier =
      form.sem == "bar_sync" || form.sem == "bar_red_popc" || form.sem == "bar_red";
  auto instance = choose(form, scope_.catalogue().place(), scope_.random());
  // A number of threads is that of whole warps.
  const bool can_count = shared_.threads % 32 == 0 && !shared_.somebody_left;
  const bool counts = std::ranges::any_of(form.operands, [](const isa::OperandSpec& spec) {
    return spec.name == "b" && !spec.optional;
  });
  if (instance && is_barrier && (can_count || !counts)) {
    instance->optional = can_count && instance->optional;
    const auto made = scope_.instruction(
        *instance, {{"a", std::to_string(number)}, {"b", std::to_string(shared_.threads)}});
    if (made) return *made;
  }
  return fmt::format("bar.sync {};\n", number);
}

/// A barrier object for all threads, at which each polls until the others have arrived (9.7.13.15).
std::string Builder::object_barrier() {
  shared_.uses_object = true;
  const std::string state = scope_.temporary("u64"), done = scope_.temporary("pred"),
                    again = scope_.label();
  const bool may_try = scope_.catalogue().place().target.sm >= 90 && one_in(2);
  return fmt::format(
      "mbarrier.arrive.shared.b64 {0}, [object];\n{1}:\n"
      "mbarrier.{2}_wait.shared.b64 {3}, [object], {0};\n@!{3} bra {1};\n",
      state, again, may_try ? "try" : "test", done);
}

}  // namespace heddle::generated
