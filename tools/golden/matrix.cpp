// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "matrix.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <set>

#include "table.h"

namespace heddle::golden {
namespace {

constexpr u32 kCases = 1536, kFewestCases = 48;
constexpr u64 kInputBytes = 24 << 20;  // for all cases of an instruction
constexpr u32 kRawBytes = 32768, kMostRawCases = 96, kFewestRawCases = 3;
constexpr u32 kSharedB = 16384, kSharedBytes = 49152;  // wgmma: A is at offset 0

// --------------------------------------------------------------------------------------- reading

u32 words(u32 elements, Element element) { return elements * bits_of(element) / 32; }
u32 words_per_thread(u32 elements, Element element) {
  return std::max(words(elements, element) / 32, 1u);
}

/// Whether the instruction is four mma per warp, each with its own matrices (PTX ISA 9.7.14.5.1).
bool is_four_times(const MatrixInstruction& i) {
  return i.unit == Unit::kMma && i.m == 8 && i.k == 4 && i.a == Element::kF16;
}

/// The layouts of A and B of a wmma: `row` or `col`. Empty: not in the name.
std::pair<std::string_view, std::string_view> layouts_of(std::string_view name) {
  const auto parts = split(name, '.');
  const auto aligned = std::find(parts.begin(), parts.end(), "aligned");
  if (parts.end() - aligned < 3) return {};
  return {aligned[1], aligned[2]};
}

/// Reads shape and types from the name.
bool read_name(MatrixInstruction& matrix) {
  std::vector<Element> types;
  for (const std::string_view part : split(matrix.instruction, '.')) {
    if (const auto element = element_named(part)) types.push_back(*element);
    u32 m = 0, n = 0, k = 0;
    if (std::sscanf(std::string(part).c_str(), "m%un%uk%u", &m, &n, &k) == 3)
      matrix.m = m, matrix.n = n, matrix.k = k;
  }
  const std::string_view name = matrix.instruction;
  matrix.sparse = name.starts_with("mma.sp");
  matrix.unit = name.starts_with("wgmma.")  ? Unit::kWgmma
                : name.starts_with("wmma.") ? Unit::kWmma
                                            : Unit::kMma;
  if (types.size() == 4) {
    matrix.d = types[0], matrix.a = types[1], matrix.b = types[2], matrix.c = types[3];
  } else if (types.size() == 3 && matrix.unit == Unit::kWgmma) {
    matrix.d = matrix.c = types[0], matrix.a = types[1], matrix.b = types[2];
  } else if (types.size() == 2 && matrix.unit == Unit::kWmma) {
    matrix.d = types[0], matrix.c = types[1], matrix.a = matrix.b = Element::kF16;
  } else {
    return false;
  }
  const auto is_size = [](u32 size) { return size >= 4 && size <= 256; };
  if (!is_size(matrix.m) || !is_size(matrix.n) || !is_size(matrix.k)) return false;
  if (matrix.unit == Unit::kWmma) return !layouts_of(name).first.empty();
  return matrix.unit == Unit::kWgmma || name.starts_with("mma.");
}

bool read_number(std::string_view text, u32& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size();
}

bool read_option(std::string_view word, MatrixInstruction& matrix) {
  const auto equals = word.find('=');
  if (equals == std::string_view::npos) return false;
  const std::string_view key = word.substr(0, equals), value = word.substr(equals + 1);
  if (key == "selector") return matrix.sparse && read_number(value, matrix.selector);
  if (matrix.unit != Unit::kWgmma) return false;
  if (key == "a") return matrix.a_in_registers = value == "registers";
  if (key == "scale_d") return read_number(value, matrix.scale_d);
  if (key == "operands") return !(matrix.operands = value).empty();
  return key == "swizzle" && read_number(value, matrix.swizzle) &&
         (matrix.swizzle == 32 || matrix.swizzle == 64 || matrix.swizzle == 128);
}

// --------------------------------------------------------------------------------------- kernels

std::string_view register_type(Element element) {
  return element == Element::kF32 ? "f32" : element == Element::kF64 ? "f64" : "b32";
}
u32 register_bytes(Element element) { return element == Element::kF64 ? 8 : 4; }
u32 registers(u32 words, Element element) { return words * 4 / register_bytes(element); }

std::string declared(std::string_view name, u32 count, Element element) {
  return fmt::format(".reg .{} {}<{}>;\n", register_type(element), name, count);
}

std::string listed(std::string_view name, u32 count) {
  std::string text = "{";
  for (u32 i = 0; i < count; ++i) text += fmt::format("{}{}{}", i ? ", " : "", name, i);
  return text + "}";
}

/// Loads the registers of this thread from a case's words at `base`.
std::string loaded(std::string_view name, std::string_view base, u32 count, Element element,
                   u32 threads) {
  const u32 bytes = register_bytes(element);
  std::string text = declared(name, count, element);
  text += fmt::format("mad.wide.u32 offset, lane, {}, {};\n", bytes, base);
  for (u32 i = 0; i < count; ++i)
    text += fmt::format("ld.global.{} {}{}, [offset+{}];\n", register_type(element), name, i,
                        i * threads * bytes);
  return text;
}

std::string mma(const MatrixInstruction& i) {
  const u32 a = registers(i.words_of_a() / 32, i.a), b = registers(i.words_of_b() / 32, i.b);
  const u32 c = registers(i.words_of_c() / 32, i.c), d = registers(i.words_of_d() / 32, i.d);
  std::string text = loaded("a", "in0", a, i.a, 32) + loaded("b", "in1", b, i.b, 32) +
                     loaded("c", "in2", c, i.c, 32) + declared("d", d, i.d);
  if (i.sparse) text += loaded("metadata", "in3", 1, Element::kS32, 32);
  text += fmt::format("{} {}, {}, {}, {}", i.instruction, listed("d", d), listed("a", a),
                      listed("b", b), listed("c", c));
  if (i.sparse) text += fmt::format(", metadata0, {}", i.selector);
  return text + ";\n";
}

/// Registers of a fragment (PTX ISA 9.7.14.4.1); `rows` are m for A, n for B.
u32 fragment_of_factor(Element element, u32 rows) {
  const u32 of_a_byte = rows == 16 ? 2 : rows == 8 ? 1 : 4;
  switch (element) {
    case Element::kF16:
      return 8;
    case Element::kBf16:
      return of_a_byte * 2;
    case Element::kTf32:
      return 4;
    case Element::kS8:
    case Element::kU8:
      return of_a_byte;
    default:
      return 1;
  }
}
u32 fragment_of_sum(const MatrixInstruction& i, Element element) {
  if (i.m == 8 && i.n == 8) return 2;
  return element == Element::kF16 ? 4 : 8;
}

/// D is stored through shared memory, because the assignment of elements to threads is not
/// specified.
std::string wmma(const MatrixInstruction& i) {
  const u32 a = fragment_of_factor(i.a, i.m), b = fragment_of_factor(i.b, i.n);
  const u32 c = fragment_of_sum(i, i.c), d = fragment_of_sum(i, i.d);
  const auto [layout_of_a, layout_of_b] = layouts_of(i.instruction);
  const std::string shape = fmt::format("m{}n{}k{}", i.m, i.n, i.k);
  std::string text =
      declared("a", a, i.a) + declared("b", b, i.b) + declared("c", c, i.c) + declared("f", d, i.d);
  const auto load = [&](char matrix, std::string_view layout, Element element, u32 count,
                        int input) {
    text += fmt::format("wmma.load.{}.sync.aligned.{}.{}.global.{} {}, [in{}];\n", matrix, layout,
                        shape, name_of(element), listed(std::string(1, matrix), count), input);
  };
  load('a', layout_of_a, i.a, a, 0);
  load('b', layout_of_b, i.b, b, 1);
  load('c', "row", i.c, c, 2);
  text += fmt::format("{} {}, {}, {}, {};\n", i.instruction, listed("f", d), listed("a", a),
                      listed("b", b), listed("c", c));
  const u32 own = registers(i.words_of_d() / 32, i.d), bytes = register_bytes(i.d);
  text += fmt::format(".shared .align 32 .b8 memory[{}];\n", i.words_of_d() * 4);
  text += fmt::format(
      "wmma.store.d.sync.aligned.row.{}.shared.{} [memory], {};\nbar.warp.sync 0xffffffff;\n",
      shape, name_of(i.d), listed("f", d));
  text += declared("d", own, i.d) +
          fmt::format("mov.u32 word, memory;\nmad.lo.u32 word, lane, {}, word;\n", bytes);
  for (u32 r = 0; r < own; ++r)
    text += fmt::format("ld.shared.{} d{}, [word+{}];\n", register_type(i.d), r, r * 32 * bytes);
  return text;
}

/// Copies `words` from global to shared memory; every thread copies one word in 128.
std::string copied(std::string_view label, std::string_view base, u32 count, u32 to) {
  return fmt::format(R"(mov.u32 word, lane;
{0}:
mad.wide.u32 offset, word, 4, {1};
shl.b32 place, word, 2;
add.u32 place, place, at;
setp.lt.u32 more, word, {2};
@more ld.global.b32 value, [offset];
@more st.shared.b32 [place+{3}], value;
add.u32 word, word, 128;
@more bra {0};
)",
                     label, base, count, to);
}

/// The bits of a matrix descriptor that do not depend on the address of the matrix (PTX ISA
/// 9.7.15.5.1.2.2).
u64 descriptor(u32 swizzle) {
  const u64 mode = swizzle == 128 ? 1 : swizzle == 64 ? 2 : swizzle == 32 ? 3 : 0;
  const u64 leading = swizzle ? 1 : 128 / 16;
  const u64 stride = (swizzle ? swizzle * 8 : 256) / 16;
  return leading << 16 | stride << 32 | mode << 62;
}

std::string wgmma(const MatrixInstruction& i) {
  const u32 d = registers(i.words_of_d() / 128, i.d);
  std::string text = fmt::format(
      ".shared .align 1024 .b8 memory[{}];\n.reg .b32 at, place, value;\n.reg .b64 descriptor_a, "
      "descriptor_b;\n"
      ".reg .pred more, scale_d;\nmov.u32 at, memory;\n",
      kSharedBytes);
  text += fmt::format(R"(mov.u32 word, lane;
CLEAR:
shl.b32 place, word, 2;
add.u32 place, place, at;
setp.lt.u32 more, word, {};
@more st.shared.b32 [place], 0;
add.u32 word, word, 128;
@more bra CLEAR;
bar.sync 0;
)",
                      kSharedBytes / 4);
  if (i.a_in_registers) {
    text += loaded("a", "in0", 4, Element::kS32, 128);
  } else {
    text += copied("COPY_A", "in0", i.words_of_a(), 0);
  }
  text += copied("COPY_B", "in1", i.words_of_b(), kSharedB) + loaded("d", "in2", d, i.d, 128);
  text += "fence.proxy.async.shared::cta;\nbar.sync 0;\n";
  for (const char matrix : {'a', 'b'}) {
    text += fmt::format(R"(add.u32 place, at, {0};
bfe.u32 place, place, 4, 14;
cvt.u64.u32 descriptor_{1}, place;
or.b64 descriptor_{1}, descriptor_{1}, {2:#x};
)",
                        matrix == 'a' ? 0 : kSharedB, matrix, descriptor(i.swizzle));
  }
  text += fmt::format(
      "setp.ne.u32 scale_d, {}, 0;\nwgmma.fence.sync.aligned;\n{} {}, {}, descriptor_b, "
      "scale_d{};\n",
      i.scale_d, i.instruction, listed("d", d), i.a_in_registers ? listed("a", 4) : "descriptor_a",
      i.operands.empty() ? "" : ", " + i.operands);
  return text + "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n";
}

u32 cases_of(const MatrixInstruction& i) {
  const u64 bytes = u64{i.words_of_a() + i.words_of_b() + i.words_of_c()} * 4;
  u32 cases = kCases;
  while (cases > kFewestCases && cases * bytes > kInputBytes) cases /= 2;
  return std::max(cases / kProfiles, 1u) * kProfiles;
}

std::string kernel(const MatrixInstruction& i, const std::string& entry) {
  std::string text = fmt::format(".visible .entry {}({})\n.reqntid {}\n{{\n// {}\n{}", entry,
                                 kParameters, i.threads(), i.name, prologue());
  text += ".reg .b32 lane, word;\n.reg .b64 result, place64;\nmov.u32 lane, %tid.x;\n";
  const u32 inputs[] = {i.words_of_a(), i.words_of_b(), i.words_of_c(), i.sparse ? 32u : 0};
  for (u32 input = 0; input < 4; ++input)
    text += fmt::format("mad.wide.u32 in{0}, block, {1}, in{0};\n", input, inputs[input] * 4);
  text += i.unit == Unit::kMma ? mma(i) : i.unit == Unit::kWmma ? wmma(i) : wgmma(i);
  const u32 bytes = register_bytes(i.d), count = i.words_of_d() * 4 / bytes / i.threads();
  text += fmt::format(
      "setp.lt.u32 in_raw, block, raw_limit;\nmad.wide.u32 raw, block, {}, raw;\nmad.wide.u32 raw, "
      "lane, {}, raw;\n",
      i.words_of_d() * 4, bytes);
  for (u32 r = 0; r < count; ++r) {
    text += fmt::format("@in_raw st.global.{} [raw+{}], d{};\n", register_type(i.d),
                        r * i.threads() * bytes, r);
    text += bytes == 8 ? fmt::format("mov.b64 result, d{};\n", r)
                       : fmt::format("mov.b32 word, d{};\ncvt.u64.u32 result, word;\n", r);
    text += fmt::format("add.u32 word, lane, {};\ncvt.u64.u32 place64, word;\n", r * i.threads());
    text += add_mixed("result", "place64");
  }
  return text + epilogue() + "}\n";
}

}  // namespace

u32 MatrixInstruction::words_of_a() const {
  if (unit == Unit::kWmma) return words(m * k, a);
  if (unit == Unit::kWgmma) return a_in_registers ? 4 * 128 : m * (swizzle ? swizzle : 32) / 4;
  return words_per_thread(m * k / (sparse ? 2 : 1) * (is_four_times(*this) ? 4 : 1), a) * 32;
}
u32 MatrixInstruction::words_of_b() const {
  if (unit == Unit::kWmma) return words(k * n, b);
  if (unit == Unit::kWgmma) return n * (swizzle ? swizzle : 32) / 4;
  return words_per_thread(k * n * (is_four_times(*this) ? 4 : 1), b) * 32;
}
u32 MatrixInstruction::words_of_c() const {
  return words(m * n * (is_four_times(*this) ? 4 : 1), c);
}
u32 MatrixInstruction::words_of_d() const {
  return words(m * n * (is_four_times(*this) ? 4 : 1), d);
}

Result<std::vector<MatrixInstruction>> read_matrices(std::string_view text) {
  std::vector<MatrixInstruction> all;
  std::set<std::string> names;
  const std::string why = read_lines(text, [&](std::string_view line) -> std::string {
    const auto choices = choices_of(line);
    if (!choices) return "a { without }";
    for (const Choice& choice : *choices) {
      MatrixInstruction one;
      one.name = choice.text;
      const auto parts = split(one.name, ' ');
      one.instruction = parts[0];
      if (!read_name(one))
        return fmt::format("{} is no matrix instruction that is known here", parts[0]);
      for (std::size_t i = 1; i < parts.size(); ++i) {
        if (!read_option(parts[i], one))
          return fmt::format("{} does not go with {}", parts[i], parts[0]);
      }
      if (!names.insert(one.name).second) return fmt::format("{} is there twice", one.name);
      all.push_back(std::move(one));
    }
    return {};
  });
  if (!why.empty()) return Error{why};
  return all;
}

Subject make_subject(const MatrixInstruction& i, const std::string& entry) {
  Subject subject;
  subject.name = i.name;
  subject.identity = identity_of(i.name);
  subject.entry = entry;
  subject.kernel = kernel(i, entry);
  subject.threads = i.threads();
  subject.groups = cases_of(i);
  const auto input = [&](Matrix matrix, Element element, u32 count) {
    subject.inputs.push_back({"", 4, count, [=](u64 index) -> u64 {
                                return matrix_word(element, static_cast<u32>(index / count), matrix,
                                                   static_cast<u32>(index % count));
                              }});
  };
  input(Matrix::kA, i.a, i.words_of_a());
  input(Matrix::kB, i.b, i.words_of_b());
  input(Matrix::kC, i.c, i.words_of_c());
  if (i.sparse) {
    subject.inputs.push_back({"", 4, 32, [element = i.a](u64 index) -> u64 {
                                return metadata_word(element, static_cast<u32>(index / 32),
                                                     static_cast<u32>(index % 32));
                              }});
  }
  const u32 bytes = i.words_of_d() * 4;
  subject.raw_limit =
      std::min(subject.groups, std::clamp(kRawBytes / bytes, kFewestRawCases, kMostRawCases));
  subject.raw_columns = {register_bytes(i.d)};
  subject.raw_results = subject.raw_limit * (bytes / register_bytes(i.d));
  subject.describe = [per_case = bytes / register_bytes(i.d)](u32 result) {
    return fmt::format("case {}, result {}", result / per_case, result % per_case);
  };
  return subject;
}

}  // namespace heddle::golden
