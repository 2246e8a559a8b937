// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frame.h"

namespace heddle::generated {
namespace {

using isa::Type;

constexpr std::string_view kParameters =
    ".param .b32 m, .param .b64 i, .param .b64 c, .param .b32 x, .param .b64 y, .param .b32 z, "
    ".param .b32 n";
constexpr u32 kSlicePart = 32;  ///< slices begin at a multiple

u32 bytes_of(Type type) { return type == Type::pred ? 4 : isa::type_info(type).bits / 8; }

/// The declarations of every function beside its pool.
std::string fixed(const Catalogue& catalogue, bool is_kernel) {
  std::string text = ".reg .b64 %in, %cells;\n.reg .b32 %lane, %members;\n";
  if (is_kernel)
    text += ".reg .b64 %out, %column, %slot, %word, %from;\n.reg .b32 %thread, %u, %v, %w;\n";
  text += fmt::format(".local .align 16 .b8 array[{}], frame[{}];\n", kLocalBytes, kFrameBytes);
  if (catalogue.place().target.sm >= 80) text += ".reg .b64 %policy;\n";
  return text;
}

std::string begin(const Catalogue& catalogue) {
  std::string text = "mov.u32 %lane, %laneid;\n";
  if (catalogue.place().target.sm >= 80)
    text += "createpolicy.fractional.L2::evict_first.b64 %policy, 0f3F800000;\n";
  return text;
}

/// Loads the registers from the thread's part of the input.
std::string load_registers(Scope& scope) {
  std::string text;
  u32 at = 0;
  for (const Register& one : scope.pool()) {
    const u32 bytes = bytes_of(one.type);
    if (one.type == Type::pred) {
      const std::string word = scope.temporary("b32");
      text += fmt::format(
          "ld.global.b32 {0}, [%from+{1}];\nand.b32 {0}, {0}, 1;\nsetp.ne.u32 {2}, {0}, 0;\n", word,
          at, one.name);
    } else if (one.type == Type::b128) {
      const std::string low = scope.temporary("b64");
      text += fmt::format("ld.global.b64 {0}, [%from+{1}];\nmov.b128 {2}, {{{0}, {0}}};\n", low, at,
                          one.name);
    } else {
      text += fmt::format("ld.global.b{} {}, [%from+{}];\n", 8 * bytes, one.name, at);
    }
    at += 8;
  }
  return text;
}

/// Stores the registers to the thread's slice. `at`: the end of the slice.
std::string store_registers(Scope& scope, u32& at) {
  std::string text;
  for (const Register& one : scope.pool()) {
    const u32 bytes = bytes_of(one.type);
    at = (at + bytes - 1) / bytes * bytes;
    if (one.type == Type::pred) {
      const std::string word = scope.temporary("b32");
      text += fmt::format("selp.b32 {0}, 1, 0, {1};\nst.global.b32 [%out+{2}], {0};\n", word,
                          one.name, at);
    } else {
      text += fmt::format("st.global.b{} [%out+{}], {};\n", 8 * bytes, at, one.name);
    }
    at += bytes;
  }
  at = (at + kSlicePart - 1) / kSlicePart * kSlicePart;
  return text;
}

std::string initial(const Cell& cell) {
  const bool low = cell.operation == "max" || cell.operation == "or" || cell.operation == "add";
  return low ? "0" : cell.operation == "and" || cell.operation == "min" ? "0x7fffffff" : "3";
}

/// Registers that are written once.
std::string fix_registers(Scope& scope, std::string_view pair, std::string_view number) {
  std::string text;
  const auto add = [&](std::string_view type, std::string_view format, std::string_view source) {
    const std::string name = scope.temporary(type);
    text += fmt::format(fmt::runtime(format), name, source);
    scope.fix(name, isa::find_type(type));
  };
  static constexpr std::string_view kThread[] = {"%tid.x",   "%tid.y",      "%ntid.x",
                                                 "%ctaid.x", "%ctaid.y",    "%nctaid.x",
                                                 "%laneid",  "%lanemask_le"};
  for (u32 left = 1 + scope.below(3); left > 0; --left)
    add("u32", "mov.u32 {}, {};\n", kThread[scope.below(std::size(kThread))]);
  add("b64", "ld.param.b64 {}, [{}];\n", pair);
  add(scope.one_in(2) ? "f32" : "s32", "ld.param.b32 {}, [{}];\n", number);
  if (scope.one_in(2)) add("u16", "ld.param.u16 {}, [{}];\n", number);
  for (u32 left = scope.below(10); left > 0; --left) text += scope.derive();
  return text;
}

/// Computes the thread's numbers and its places in memory.
std::string kernel_setup(Scope& scope, const Shared& shared, u32 stride) {
  std::string text = "ld.param.u64 %in, [in];\nld.param.u64 %out, [out];\n";
  text += "ld.param.u64 %cells, [cells];\n";
  text +=
      "mov.u32 %thread, %tid.z;\nmov.u32 %u, %tid.y;\nmov.u32 %v, %ntid.y;\n"
      "mad.lo.u32 %thread, %thread, %v, %u;\nmov.u32 %u, %tid.x;\nmov.u32 %v, %ntid.x;\n"
      "mad.lo.u32 %thread, %thread, %v, %u;\n";
  text +=
      "mov.u32 %u, %ctaid.y;\nmov.u32 %v, %nctaid.x;\nmov.u32 %w, %ctaid.x;\n"
      "mad.lo.u32 %u, %u, %v, %w;\n";
  text += fmt::format("mad.lo.u32 %u, %u, {}, %thread;\n", shared.threads);
  text += fmt::format("mul.wide.u32 %from, %u, {};\nadd.u64 %out, %out, %from;\n", stride);
  text += fmt::format("ld.param.u64 %column, [columns];\nmad.wide.u32 %column, %u, {}, %column;\n",
                      kColumnBytes);
  text +=
      "mul.lo.u32 %u, %u, 40;\nand.b32 %u, %u, 0x7f8;\ncvt.u64.u32 %from, %u;\n"
      "add.u64 %from, %from, %in;\n";
  text +=
      fmt::format("mov.u64 %slot, slots;\nmad.wide.u32 %slot, %thread, {}, %slot;\n", kSlotBytes);
  text +=
      fmt::format("mov.u64 %word, words;\nmad.wide.u32 %word, %thread, {}, %word;\n", kWordBytes);
  // The mask of the threads of the warp: all ones, or fewer in the last warp.
  text += fmt::format(
      "and.b32 %u, %thread, 0xffffffe0;\nsub.u32 %u, {}, %u;\nmov.u32 %v, 1;\n"
      "shl.b32 %v, %v, %u;\nsub.u32 %members, %v, 1;\n",
      shared.threads);
  text += fix_registers(scope, "pair+8", "pair") + load_registers(scope);
  const std::string a = scope.any(Type::u64), b = scope.any(Type::u64);
  for (u32 at = 0; at < kLocalBytes; at += 16)
    text += fmt::format("st.local.v2.b64 [array+{}], {{{}, {}}};\n", at, a, b);
  for (u32 at = 0; at < kFrameBytes; at += 16)
    text += fmt::format("st.local.v2.b64 [frame+{}], {{{}, {}}};\n", at, b, a);
  text += fmt::format("st.shared.v2.b64 [%slot], {{{}, {}}};\nst.shared.b32 [%word], {};\n", b, a,
                      scope.any(Type::b32));
  const std::string first = scope.temporary("pred");
  text += fmt::format("setp.eq.u32 {}, %thread, 0;\n", first);
  for (std::size_t i = 0; i < kCells; ++i) {
    text += fmt::format("@{} st.shared.b64 [sums+{}], {};\n", first, 8 * i,
                        initial(shared.shared_cells[i]));
  }
  return text + fmt::format(
                    "@{0} st.shared.b64 [lock], 0;\n@{0} st.shared.b64 [lock+8], 0;\nbar.sync 0;\n",
                    first);
}

/// Sets the registers from the arguments.
std::string set_registers(Scope& scope) {
  std::string text;
  const std::string bytes = scope.temporary("b32"), half = scope.temporary("b16");
  for (const Register& one : scope.pool()) {
    const u32 number = scope.below(1 << 16);
    switch (isa::type_info(one.type).bits) {
      case 1:
        text += fmt::format("setp.lt.s32 {}, {}, {};\n", one.name, "%x", number);
        break;
      case 16:
        text += fmt::format("add.u32 {0}, %x, {1};\ncvt.u16.u32 {2}, {0};\nmov.b16 {3}, {2};\n",
                            bytes, number, half, one.name);
        break;
      case 32:
        text +=
            fmt::format("xor.b32 {}, {}, {};\n", one.name, scope.one_in(3) ? "%z" : "%x", number);
        break;
      default:
        text += fmt::format("xor.b64 {}, %y, {};\n", one.name, number);
    }
  }
  return text;
}

/// Mixes every register into %r.
std::string mix_registers(Scope& scope) {
  const std::string r = scope.temporary("u64"), w = scope.temporary("u64"),
                    word = scope.temporary("b32");
  std::string text = fmt::format("mov.u64 {}, 0;\n", r);
  for (const Register& one : scope.pool()) {
    switch (isa::type_info(one.type).bits) {
      case 1:
        text += fmt::format("selp.b64 {}, 1, 0, {};\n", w, one.name);
        break;
      case 16:
        text +=
            fmt::format("mov.b32 {0}, {{{1}, {1}}};\ncvt.u64.u32 {2}, {0};\n", word, one.name, w);
        break;
      case 32:
        text += fmt::format("mov.b64 {0}, {{{1}, {1}}};\n", w, one.name);
        break;
      default:
        text += fmt::format("mov.b64 {}, {};\n", w, one.name);
    }
    text += fmt::format("mad.lo.u64 {0}, {0}, 5, {1};\n", r, w);
  }
  return text + fmt::format("st.param.b64 [r], {};\nret;\n}}\n", r);
}

}  // namespace

std::string variables(Random& random, Kernel& kernel, const Shared& shared) {
  std::string numbers, words = ".extern .shared .align 16 .b8 words[];\n";
  if (random.below(2) == 0) {
    kernel.dynamic_shared = shared.threads * kWordBytes;
  } else {
    words = fmt::format(".shared .align 4 .b8 words[{}];\n", shared.threads * kWordBytes);
  }
  for (u32 i = 0; i < kConstantBytes; ++i)
    numbers += fmt::format("{}{}", i ? "," : "", random.below(256));
  return fmt::format(
      ".shared .align 16 .b8 slots[{}];\n.shared .align 8 .b8 sums[{}];\n{}"
      ".shared .align 8 .b8 lock[{}];\n.shared .align 8 .b8 object[8];\n"
      ".const .align 16 .b8 constants[{}] = {{{}}};\n",
      shared.threads * kSlotBytes, 8 * kCells, words, kLockBytes, kConstantBytes, numbers);
}

/// Stores the cells in shared memory to the CTA's part of the buffer.
Node store_sums(Scope& scope) {
  const std::string first = scope.temporary("pred"), to = scope.temporary("u64"),
                    word = scope.temporary("b64");
  std::string text = fmt::format(
      "bar.sync 0;\nsetp.eq.u32 {0}, %thread, 0;\nmov.u32 %u, %ctaid.y;\nmov.u32 %v, %nctaid.x;\n"
      "mov.u32 %w, %ctaid.x;\nmad.lo.u32 %u, %u, %v, %w;\nmad.wide.u32 {1}, %u, {2}, %cells;\n",
      first, to, kSumBytes);
  const auto store = [&](std::string_view from, u32 cell) {
    text += fmt::format("ld.shared.b64 {0}, [{1}];\n@{2} st.global.b64 [{3}+{4}], {0};\n", word,
                        from, first, to, kLockBytes + 8 * (kCells + cell));
  };
  for (u32 i = 0; i < kCells; ++i) store(fmt::format("sums+{}", 8 * i), i);
  store("lock+8", kCells);
  return Node(std::move(text));
}

Frame kernel_frame(Scope& scope, const Shared& shared) {
  Frame frame;
  frame.slice_bytes = kScratchBytes;
  frame.end = store_registers(scope, frame.slice_bytes) + "exit;\n}\n";
  frame.setup = kernel_setup(scope, shared, frame.slice_bytes);
  return frame;
}

/// The first thread makes the barrier object, before the first barrier.
std::string object_setup(Scope& scope, const Shared& shared) {
  const std::string first = scope.temporary("pred");
  return fmt::format(
      "setp.eq.u32 {0}, %thread, 0;\n@{0} mbarrier.init.shared.b64 [object], {1};\nbar.sync 0;\n",
      first, shared.threads);
}

std::string kernel_head(const Scope& scope, const Frame& frame, const Kernel& kernel) {
  const u32 kind = scope.below(4);
  const std::string shape = kind > 1
                                ? ""
                                : fmt::format(".{} {}, {}, {}\n", kind == 0 ? "reqntid" : "maxntid",
                                              kernel.block.x, kernel.block.y, kernel.block.z);
  return fmt::format(
      ".visible .entry {}(.param .u64 in, .param .u64 out, .param .u64 cells, "
      ".param .u64 columns, .param .align 16 .b8 pair[{}])\n{}{{\n{}{}{}{}",
      Kernel::kName, kPairBytes, shape, fixed(scope.catalogue(), true), scope.declarations(),
      begin(scope.catalogue()), frame.setup);
}

Frame function_frame(Scope& scope) {
  Frame frame;
  frame.setup = fix_registers(scope, "y", "z") + set_registers(scope);
  const std::string a = scope.any(Type::b64);
  for (u32 at = 0; at < kLocalBytes; at += 8)
    frame.setup += fmt::format("st.local.b64 [array+{}], {};\n", at, a);
  for (u32 at = 0; at < kFrameBytes; at += 8)
    frame.setup += fmt::format("st.local.b64 [frame+{}], {};\n", at, a);
  frame.end = mix_registers(scope);
  return frame;
}

std::string function_head(const Scope& scope, const Frame& frame, std::string_view name) {
  return fmt::format(
      ".func (.param .b64 r) {}({})\n{{\n{}.reg .b32 %x, %z;\n.reg .b64 %y;\n{}"
      "ld.param.b32 %members, [m];\nld.param.b64 %in, [i];\nld.param.b64 %cells, [c];\n"
      "ld.param.b32 %x, [x];\nld.param.b64 %y, [y];\nld.param.b32 %z, [z];\n{}{}",
      name, kParameters, fixed(scope.catalogue(), false), scope.declarations(),
      begin(scope.catalogue()), frame.setup);
}

}  // namespace heddle::generated
