// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Divergence. A region either keeps a register with the mask of the threads that run it, which
// needs a vote at each divergent branch, or has no such register; then no instruction in it needs
// the mask, and threads may leave it at any place.
#include "builder.h"

namespace heddle::generated {
namespace {

using isa::Type;

constexpr u32 kTimes = 64;

/// The context inside of a region of `members`; empty: unknown.
Context inside(const Context& context, std::string members) {
  Context inner = context;
  inner.members = std::move(members);
  inner.together = false;
  ++inner.depth;
  return inner;
}

}  // namespace

/// A predicate that nothing else writes.
std::string Builder::condition(std::string& text) {
  static constexpr std::string_view kCompare[] = {"lt", "ge", "eq", "ne", "hi"};
  static constexpr std::string_view kSigned[] = {"lt", "le", "gt"};
  std::string p = scope_.temporary("pred");
  switch (below(5)) {
    case 0:
      text += fmt::format("mov.pred {}, {};\n", p, any(Type::pred));
      break;
    case 1:
      text += fmt::format("setp.{}.u32 {}, %lane, {};\n", kCompare[below(5)], p, below(32));
      break;
    case 2:
      text += fmt::format("setp.{}.s64 {}, {}, {};\n", kSigned[below(3)], p, any(Type::s64),
                          any(Type::s64));
      break;
    case 3:
      text += fmt::format("setp.{}{}.f32 {}, {}, {};\n", one_in(2) ? "ltu" : "gt",
                          scope_.catalogue().place().flushes ? ".ftz" : "", p, any(Type::f32),
                          any(Type::f32));
      break;
    default: {
      const std::string bit = scope_.temporary("b32");
      text += fmt::format("and.b32 {0}, {1}, {2};\nsetp.eq.u32 {3}, {0}, 0;\n", bit, any(Type::b32),
                          1u << below(6), p);
    }
  }
  return p;
}

/// A predicate that is uniform in the CTA.
std::string Builder::same_in_cta(std::string& text) {
  std::string p = scope_.temporary("pred");
  const std::string cta = scope_.temporary("u32");
  text += fmt::format("mov.u32 {0}, %ctaid.{1};\nsetp.{2}.u32 {3}, {0}, {4};\n", cta,
                      one_in(4) ? "y" : "x", one_in(2) ? "eq" : "ne", p, below(2));
  return p;
}

/// A number that kernels derive from the thread's number: row, column, neighbour, place of another
/// thread.
std::string Builder::number(std::string& text) {
  static constexpr std::string_view kFirst[] = {"%thread", "%tid.x", "%tid.y", "%laneid"};
  const std::string result = scope_.temporary("u32"), other = scope_.temporary("u32");
  text += fmt::format("mov.u32 {}, {};\n", result, kFirst[below(4)]);
  for (u32 left = below(4); left > 0; --left) {
    switch (below(8)) {
      case 0:
        text += fmt::format("shr.u32 {0}, {0}, {1};\n", result, 1 + below(5));
        break;
      case 1:
        text += fmt::format("mul.lo.u32 {0}, {0}, {1};\n", result, 2 + below(8));
        break;
      case 2:
        text += fmt::format("and.b32 {0}, {0}, {1};\n", result,
                            one_in(2) ? (1u << (1 + below(6))) - 1 : below(128));
        break;
      case 3:
        text += fmt::format("xor.b32 {0}, {0}, {1};\n", result, below(64));
        break;
      case 4:
        text += fmt::format("sub.u32 {0}, {1}, {0};\n", result, below(256));
        break;
      case 5:
        text += fmt::format("{1}.u32 {0}, {0}, {2};\n", result, one_in(2) ? "div" : "rem",
                            1 + below(40));
        break;
      case 6:
        text += fmt::format("mov.u32 {1}, {2};\nmad.lo.u32 {0}, {1}, {3}, {0};\n", result, other,
                            kFirst[below(4)], 1u << below(7));
        break;
      default:
        text += fmt::format("add.u32 {0}, {0}, {1};\n", result, below(64));
    }
  }
  return result;
}

/// A comparison of a number that grows or falls from thread to thread, near the places where
/// integers end too.
std::string Builder::by_number(std::string& text) {
  static constexpr std::string_view kCompare[] = {"lt", "le", "gt", "ge", "ne", "eq"};
  static constexpr std::string_view kTypes[] = {"u32", "s32", "u64", "s64"};
  static constexpr u64 kBegins[] = {0, 0, ~u64{0}, 0x7fffffff, 0x80000000, u64{1} << 63};
  const std::string_view type = kTypes[below(4)];
  const bool wide = type.ends_with("64");
  const std::string word = wide ? "b64" : "b32", number = scope_.temporary(word),
                    grid = scope_.temporary("u32"), p = scope_.temporary("pred");
  const u32 factor = 1 + below(4), bound = below(shared_.threads + 2) * factor;
  const u64 begin = kBegins[below(std::size(kBegins))] + below(factor) - below(shared_.threads);
  const u64 mask = wide ? ~u64{0} : 0xffffffff;
  const bool falls = one_in(4);
  if (one_in(3))
    text += fmt::format("mov.u32 {}, {};\n", grid, this->number(text));
  else
    text += fmt::format("mov.u32 {0}, %ctaid.x;\nmad.lo.u32 {0}, {0}, {1}, %thread;\n", grid,
                        one_in(2) ? shared_.threads : 0);
  text += wide ? fmt::format("mul.wide.u32 {0}, {1}, {2};\n", number, grid, factor)
               : fmt::format("mul.lo.u32 {0}, {1}, {2};\n", number, grid, factor);
  text += falls ? fmt::format("sub.u{0} {1}, {2}, {1};\n", word.substr(1), number, begin & mask)
                : fmt::format("add.u{0} {1}, {1}, {2};\n", word.substr(1), number, begin & mask);
  const u64 end = (falls ? begin - bound : begin + bound) & mask;
  text += fmt::format("setp.{}.{} {}, {}, {};\n", kCompare[below(6)], type, p, number, end);
  return p;
}

/// A register with the mask of the `members` for which the predicate holds.
std::string Builder::vote(const std::string& members, std::string_view predicate,
                          std::string& text) {
  std::string result = scope_.temporary("b32");
  text += fmt::format("vote.sync.ballot.b32 {}, {}, {};\n", result, predicate, members);
  return result;
}

/// if, possibly with else.
Builder::Made Builder::branch(const Context& context) {
  if (context.depth >= kDepth) return std::nullopt;
  Node node;
  std::string text;
  const std::string skip = scope_.label(), join = scope_.label();
  Context then = context, other = context;
  ++then.depth, ++other.depth;
  std::string p;
  const bool uniform = context.together && one_in(2);
  if (uniform) {
    p = same_in_cta(text);
  } else {
    p = condition(text);
    const bool counted = !context.members.empty() && !one_in(4);
    then = other = inside(context, "");
    if (counted) {
      then.members = vote(context.members, p, text);
      other.members = scope_.temporary("b32");
      text += fmt::format("xor.b32 {}, {}, {};\n", other.members, context.members, then.members);
    }
  }
  text += fmt::format("@!{} bra{} {};\n", p, uniform && one_in(2) ? ".uni" : "", skip);
  node.text.push_back(std::move(text));
  node.blocks.push_back(block(then, 4));
  if (one_in(2)) {
    node.text.push_back(fmt::format("{}:\n", skip));
  } else {
    node.text.push_back(fmt::format("bra {};\n{}:\n", join, skip));
    node.blocks.push_back(block(other, 4));
    node.text.push_back(fmt::format("{}:\n", join));
  }
  return node;
}

/// Coalesced accesses after a guard on the thread's number, as at the beginning of most kernels.
Builder::Made Builder::guarded(const Context& context) {
  if (!is_kernel_ || context.depth >= kDepth) return std::nullopt;
  const Context inner = inside(context, "");
  const std::string skip = scope_.label();
  Node node;
  std::string text;
  for (u32 left = 1 + below(2); left > 0; --left) {
    const std::string p = by_number(text);
    if (one_in(2)) {
      const std::string q = by_number(text);
      text += fmt::format("{0}.pred {1}, {1}, {2};\n", one_in(2) ? "and" : "or", p, q);
    }
    text += fmt::format("@{}{} bra {};\n", one_in(2) ? "!" : "", p, skip);
  }
  node.text.push_back(std::move(text));
  Block body;
  for (u32 left = 2 + below(4); left > 0; --left) {
    if (Made made = one_in(3) ? plain(inner) : one_in(3) ? column(inner) : whole_column())
      body.push_back(std::move(*made));
  }
  node.blocks.push_back(std::move(body));
  node.text.push_back(fmt::format("{}:\n", skip));
  return node;
}

/// A loop with a count that is uniform, or that depends on data, or that ends at a condition on
/// data with a bound; tested before or after its body.
Builder::Made Builder::loop(const Context& context) {
  if (context.depth >= kDepth) return std::nullopt;
  const u32 most = 2 + below(4);
  if (context.times * most > kTimes) return std::nullopt;
  const std::string counter = scope_.temporary("u32"), go_on = scope_.temporary("pred");
  const std::string head = scope_.label(), end = scope_.label();
  const std::string next = fmt::format("add.u32 {0}, {0}, 1;\n", counter);
  std::string text = fmt::format("mov.u32 {}, 0;\n", counter);
  std::string test = fmt::format("setp.lt.u32 {}, {}, {};\n", go_on, counter, most);
  Context inner = context;
  ++inner.depth;
  inner.times *= most;
  Exit exit{end, ""};
  if (!one_in(3)) {  // threads leave one by one
    inner = inside(inner, "");
    if (one_in(2)) {
      const std::string bound = scope_.temporary("u32");
      text += fmt::format("rem.u32 {}, {}, {};\n", bound, any(Type::u32), most + 1);
      test = fmt::format("setp.lt.u32 {}, {}, {};\n", go_on, counter, bound);
    } else {
      test +=
          fmt::format("and.pred {0}, {0}, {1}{2};\n", go_on, one_in(2) ? "!" : "", any(Type::pred));
    }
    if (!context.members.empty() && !one_in(4)) {
      exit.members = inner.members = scope_.temporary("b32");
      text += fmt::format("mov.b32 {}, {};\n", exit.members, context.members);
      test += fmt::format("vote.sync.ballot.b32 {0}, {1}, {0};\n", exit.members, go_on);
    }
    inner.loop = &exit;
  }
  const bool test_first = one_in(2);
  text += fmt::format("{}:\n", head);
  if (test_first) text += test + fmt::format("@!{} bra {};\n{}", go_on, end, next);
  Node node;
  node.text.push_back(std::move(text));
  node.blocks.push_back(block(inner, 4));
  node.text.push_back((test_first ? fmt::format("bra {};\n", head)
                                  : next + test + fmt::format("@{} bra {};\n", go_on, head)) +
                      end + ":\n");
  return node;
}

/// A loop that one path through its body leaves, while the other continues.
Builder::Made Builder::forked_loop(const Context& context) {
  if (context.depth >= kDepth) return std::nullopt;
  const u32 most = 2 + below(4);
  if (context.times * (most + 1) > kTimes) return std::nullopt;
  const std::string counter = scope_.temporary("u32"), late = scope_.temporary("pred"),
                    stay = scope_.temporary("pred");
  const std::string head = scope_.label(), other = scope_.label(), end = scope_.label();
  const std::string next = fmt::format("add.u32 {0}, {0}, 1;\n", counter);
  Context inner = inside(context, "");
  inner.times *= most + 1;
  const Exit exit{end, ""};
  inner.loop = &exit;
  std::string text = fmt::format("mov.u32 {}, 0;\n{}:\n", counter, head);
  const std::string p = condition(text);
  text += fmt::format(
      "setp.ge.u32 {0}, {1}, {2};\nor.pred {3}, {3}, {0};\nnot.pred {0}, {0};\n"
      "and.pred {4}, {0}, {5};\n@!{3} bra {6};\n",
      late, counter, most, p, stay, any(Type::pred), other);
  Node node;
  node.text.push_back(std::move(text));
  node.blocks.push_back(block(inner, 3));
  node.text.push_back(fmt::format("{}@{} bra {};\nbra {};\n{}:\n", next, stay, head, end, other));
  node.blocks.push_back(block(inner, 3));
  node.text.push_back(fmt::format("{}bra {};\n{}:\n", next, head, end));
  return node;
}

/// A loop from the thread's number on, with a stride of more or less than the number of threads.
Builder::Made Builder::strided_loop(const Context& context) {
  if (!is_kernel_ || context.depth >= kDepth) return std::nullopt;
  const u32 most = 2 + below(4), step = 1 + below(2 * shared_.threads);
  if (context.times * most > kTimes) return std::nullopt;
  Context inner = inside(context, "");
  inner.times *= most;
  const std::string index = scope_.temporary("u32"), go_on = scope_.temporary("pred");
  const std::string head = scope_.label(), end = scope_.label();
  const Exit exit{end, ""};
  inner.loop = &exit;
  std::string text;
  const std::string begin = number(text);
  const u32 bound = step * most - below(step);
  const std::string test =
      fmt::format("setp.{}.u32 {}, {}, {};\n", one_in(2) ? "lt" : "le", go_on, index, bound - 1);
  text +=
      fmt::format("mov.u32 {}, {};\n{}@!{} bra {};\n{}:\n", index, begin, test, go_on, end, head);
  Block body;
  for (u32 left = 1 + below(3); left > 0; --left) {
    Made made = one_in(2)   ? input_at(index, "")
                : one_in(3) ? leave_loop(inner)
                : one_in(2) ? plain(inner)
                            : whole_column();
    if (made) body.push_back(std::move(*made));
  }
  Node node;
  node.text.push_back(std::move(text));
  node.blocks.push_back(std::move(body));
  node.text.push_back(fmt::format("add.u32 {0}, {0}, {1};\n{2}@{3} bra {4};\n{5}:\n", index, step,
                                  test, go_on, head, end));
  return node;
}

/// A loop with so many rounds that other threads are scheduled in between.
Builder::Made Builder::long_loop(const Context& context) {
  if (context.times > 1) return std::nullopt;
  const std::string counter = scope_.temporary("u32"), bound = scope_.temporary("u32"),
                    go_on = scope_.temporary("pred"), head = scope_.label();
  return Node(
      fmt::format("mov.u32 {0}, 0;\nand.b32 {1}, {4}, 1;\nmul.lo.u32 {1}, {1}, 700;\n{3}:\n"
                  "mad.lo.u32 {5}, {5}, 5, {0};\nadd.u32 {0}, {0}, 1;\n"
                  "setp.lt.u32 {2}, {0}, {1};\n@{2} bra {3};\n",
                  counter, bound, go_on, head, any(Type::b32), scope_.target(Type::u32)));
}

Builder::Made Builder::leave_loop(const Context& context) {
  if (!context.loop || context.loop->members != context.members) return std::nullopt;
  std::string text;
  const std::string p = condition(text);
  if (!context.members.empty())
    text += fmt::format("vote.sync.ballot.b32 {0}, !{1}, {0};\n", context.members, p);
  text += fmt::format("@{} bra {};\n", p, context.loop->label);
  return Node(std::move(text));
}

/// brx.idx into two to four cases.
Builder::Made Builder::table(const Context& context) {
  if (context.depth >= kDepth) return std::nullopt;
  const u32 cases = 2 + below(3);
  const std::string index = scope_.temporary("u32"), join = scope_.label(), list = scope_.label();
  const bool counted = !context.members.empty() && !one_in(4);
  std::string text = fmt::format("rem.u32 {}, {}, {};\n", index, any(Type::u32), cases);
  std::vector<Context> inner;
  std::vector<std::string> labels;
  std::string names;
  for (u32 i = 0; i < cases; ++i) {
    inner.push_back(inside(context, ""));
    labels.push_back(scope_.label());
    names += (i ? ", " : "") + labels.back();
    if (!counted) continue;
    const std::string p = scope_.temporary("pred");
    text += fmt::format("setp.eq.u32 {}, {}, {};\n", p, index, i);
    inner.back().members = vote(context.members, p, text);
  }
  text += fmt::format("{0}: .branchtargets {1};\nbrx.idx {2}, {0};\n", list, names, index);
  Node node;
  node.text.push_back(text + labels[0] + ":\n");
  for (u32 i = 0; i < cases; ++i) {
    node.blocks.push_back(block(inner[i], 2));
    const std::string after = i + 1 < cases ? labels[i + 1] : join;
    node.text.push_back(fmt::format("bra {};\n{}:\n", join, after));
  }
  return node;
}

/// exit or ret.
Builder::Made Builder::end(const Context& context) {
  if (!context.may_end) return std::nullopt;
  std::string text;
  const std::string p = condition(text), stay = scope_.label();
  const std::string leave = is_kernel_ ? fmt::format("st.global.b64 [%out+{}], {};\n",
                                                     8 * below(kScratchBytes / 8), any(Type::b64))
                                       : fmt::format("st.param.b64 [r], {};\n", any(Type::b64));
  const std::string_view done = is_kernel_ || (self_->exits && one_in(2)) ? "exit" : "ret";
  if (one_in(3)) return Node(text + fmt::format("{}@{} {};\n", leave, p, done));
  return Node(text + fmt::format("@!{0} bra {1};\n{2}{3};\n{1}:\n", p, stay, leave, done));
}

/// Some threads of the CTA exit, but not the first; barriers continue without them.
Builder::Made Builder::early_exit(const Context& context) {
  const bool fits = is_kernel_ && context.together && context.depth == 0 && !context.reading &&
                    !context.members.empty() && shared_.threads > 1;
  if (!fits) return std::nullopt;
  shared_.somebody_left = true;
  const std::string p = scope_.temporary("pred");
  std::string text = "bar.sync 0;\n";
  if (one_in(2)) {
    text += fmt::format("setp.ge.u32 {}, %thread, {};\n", p, 1 + below(shared_.threads));
  } else {
    text +=
        fmt::format("setp.ne.u32 {0}, %thread, 0;\nand.pred {0}, {0}, {1};\n", p, any(Type::pred));
  }
  text += fmt::format("vote.sync.ballot.b32 {0}, !{1}, {0};\n@{1} exit;\n", context.members, p);
  return Node(std::move(text));
}

}  // namespace heddle::generated
