// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "builder.h"

namespace heddle::generated {

using isa::Type;

Block Builder::block(Context context, u32 most) {
  Block block;
  const u32 wanted = 1 + below(most);
  for (u32 i = 0; i < wanted && statements_ > 0 && dynamic_ > 0; ++i) {
    if (Made made = statement(context)) block.push_back(std::move(*made));
  }
  return block;
}

Builder::Made Builder::statement(const Context& context) {
  struct Kind {
    Maker make;
    u32 weight;
    u32 cost;  ///< instructions, without those of blocks inside
  };
  static constexpr Kind kKinds[] = {
      {&Builder::plain, 30, 4},        {&Builder::carry, 3, 3},
      {&Builder::branch, 10, 5},       {&Builder::loop, 7, 5},
      {&Builder::forked_loop, 3, 8},   {&Builder::table, 3, 8},
      {&Builder::leave_loop, 4, 3},    {&Builder::end, 3, 8},
      {&Builder::call, 3, 10},         {&Builder::warp, 12, 5},
      {&Builder::slice, 6, 4},         {&Builder::slot, 5, 3},
      {&Builder::other_slot, 12, 5},   {&Builder::local, 4, 4},
      {&Builder::input, 4, 4},         {&Builder::constant, 2, 3},
      {&Builder::cell, 5, 2},          {&Builder::own_atomic, 3, 3},
      {&Builder::exchange, 9, 4},      {&Builder::column, 5, 3},
      {&Builder::parameter, 2, 1},     {&Builder::recurse, 6, 12},
      {&Builder::long_loop, 1, 150},   {&Builder::locked, 1, 60},
      {&Builder::hand_over, 2, 12},    {&Builder::warp_exchange, 4, 12},
      {&Builder::async_copy, 2, 4},    {&Builder::fence, 1, 1},
      {&Builder::early_exit, 1, 6},    {&Builder::guarded, 8, 14},
      {&Builder::strided_loop, 5, 12}, {&Builder::taken, 3, 14},
  };
  static constexpr u32 kTotal = [] {
    u32 total = 0;
    for (const Kind& kind : kKinds) total += kind.weight;
    return total;
  }();
  u32 at = below(kTotal);
  const Kind* kind = kKinds;
  while (at >= kind->weight) at -= (kind++)->weight;
  const u32 cost = kind->cost * context.times;
  if (cost > dynamic_) return std::nullopt;
  Made made = (this->*kind->make)(context);
  if (!made) return made;
  dynamic_ -= std::min(dynamic_, cost);
  statements_ -= std::min(statements_, 1u);
  return made;
}

/// A few instructions, some of them under a predicate.
Builder::Made Builder::plain(const Context&) {
  const auto opcodes = scope_.catalogue().plain();
  std::string text;
  for (u32 left = 1 + below(6); left > 0; --left) {
    const Catalogue::Opcode& opcode = opcodes[below(static_cast<u32>(opcodes.size()))];
    const isa::Form& form = *opcode.forms[below(static_cast<u32>(opcode.forms.size()))];
    const auto instance = choose(form, scope_.catalogue().place(), scope_.random());
    if (!instance) continue;
    const std::string guard = one_in(5) ? scope_.guard() : "";
    text += scope_.instruction(*instance, {}, guard).value_or("");
  }
  if (text.empty()) return std::nullopt;
  return Node(std::move(text));
}

/// An instruction that sets the carry, possibly some that propagate it, one that ends the chain
/// (9.7.2).
Builder::Made Builder::carry(const Context&) {
  std::string text;
  const auto add = [&](isa::CarryUse use) {
    const auto forms = scope_.catalogue().carry(use);
    const auto instance = choose(*forms[below(static_cast<u32>(forms.size()))],
                                 scope_.catalogue().place(), scope_.random());
    if (instance) text += scope_.instruction(*instance).value_or("");
    return instance.has_value();
  };
  if (!add(isa::CarryUse::out)) return std::nullopt;
  for (u32 left = below(3); left > 0; --left) add(isa::CarryUse::inout);
  add(isa::CarryUse::in);
  return Node(std::move(text));
}

/// A call with arguments from the pool; `pointer`: a register with the function's address, empty:
/// by name.
std::string Builder::call_text(const std::string& name, const std::string& members,
                               const std::string& rounds, const std::string& pointer) {
  std::string text = fmt::format(
      "{{\n.param .b32 am;\n.param .b64 ai;\n.param .b64 ac;\n.param .b32 ax;\n"
      ".param .b64 ay;\n.param .b32 az;\n.param .b32 an;\n.param .b64 result;\n"
      "st.param.b32 [am], {};\nst.param.b64 [ai], %in;\nst.param.b64 [ac], %cells;\n"
      "st.param.b32 [ax], {};\nst.param.b64 [ay], {};\nst.param.f32 [az], {};\n"
      "st.param.b32 [an], {};\n",
      members.empty() ? "0" : members, any(Type::b32), any(Type::b64), any(Type::f32), rounds);
  if (pointer.empty()) {
    text += fmt::format("call (result), {}, (am, ai, ac, ax, ay, az, an);\n", name);
  } else {
    text += fmt::format(
        "P: .callprototype (.param .b64 _) _ (.param .b32 _, .param .b64 _, .param .b64 _, "
        ".param .b32 _, .param .b64 _, .param .b32 _, .param .b32 _);\n"
        "call (result), {}, (am, ai, ac, ax, ay, az, an), P;\n",
        pointer);
  }
  return text + fmt::format("ld.param.b64 {}, [result];\n}}\n", scope_.target(Type::b64));
}

/// A direct call, or a call through a register that may hold different functions in the threads.
Builder::Made Builder::call(const Context& context) {
  std::vector<const Callee*> possible;
  for (const Callee& callee : callees_) {
    const bool affordable = callee.cost * context.times <= dynamic_;
    const bool may_exit = context.may_end && (is_kernel_ || self_->exits);
    const bool fits = (!callee.needs_members || !context.members.empty()) &&
                      !(callee.changes_sums && context.sums_are_read) &&
                      (!callee.exits || may_exit);
    if (affordable && fits) possible.push_back(&callee);
  }
  if (possible.empty()) return std::nullopt;
  const u32 count = static_cast<u32>(possible.size());
  const Callee &one = *possible[below(count)], &other = *possible[below(count)];
  std::string text, rounds = std::to_string(below(kRounds));
  if (one_in(2)) {
    rounds = scope_.temporary("b32");
    text += fmt::format("and.b32 {}, {}, {};\n", rounds, any(Type::b32), kRounds - 1);
  }
  // In a divergent indirect call a function does not know which threads run it together.
  const bool indirect = !one.needs_members && !other.needs_members && one_in(2);
  std::string pointer;
  if (indirect) {
    pointer = scope_.temporary("u64");
    const std::string second = scope_.temporary("u64");
    text += fmt::format("mov.u64 {0}, {2};\nmov.u64 {1}, {3};\nselp.b64 {0}, {0}, {1}, {4};\n",
                        pointer, second, one.name, other.name, any(Type::pred));
  }
  text += call_text(one.name, context.members, rounds, pointer);
  changes_sums_ |= one.changes_sums || (indirect && other.changes_sums);
  dynamic_ -= std::min(dynamic_, std::max(one.cost, indirect ? other.cost : 0) * context.times);
  return Node(std::move(text));
}

/// The function calls itself once, with one round fewer.
Builder::Made Builder::recurse(const Context& context) {
  if (is_kernel_ || self_->recurses || context.times > 1) return std::nullopt;
  if (self_->needs_members && context.members.empty()) return std::nullopt;
  self_->recurses = true;
  const std::string rounds = scope_.temporary("b32"), go_on = scope_.temporary("pred"),
                    skip = scope_.label();
  std::string text =
      fmt::format("ld.param.b32 {0}, [n];\nsetp.ne.u32 {1}, {0}, 0;\n", rounds, go_on);
  const std::string members = context.members.empty() ? "" : vote(context.members, go_on, text);
  text += fmt::format("@!{} bra {};\nsub.u32 {}, {}, 1;\n", go_on, skip, rounds, rounds);
  return Node(text + call_text(self_->name, members, rounds, "") + skip + ":\n");
}

}  // namespace heddle::generated
