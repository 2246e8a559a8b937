// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads and stores of matrices (PTX ISA 9.7.14.4.3, 9.7.14.4.4, 9.7.14.5.15, 9.7.14.5.16).
#include <ranges>

#include "interp/decoder.h"
#include "interp/matrix_ops.h"
#include "ir/print.h"
#include "isa/groups.h"

namespace heddle::interp {

/// An instruction at which all threads of the warp meet, over registers.
Op& Decoder::warp_access(Handler run, std::vector<Place> registers) {
  const Place members = constant(kAllLanes, sizeof(u32));
  Op& op = emit_control(Control::warp_op);
  op.run = run;
  op.members = members;
  op.flags = kMembers;
  op.count = static_cast<u8>(registers.size());
  op.list = builder_.keep(std::move(registers));
  return op;
}

/// ldmatrix and stmatrix: rows of matrices in shared memory.
void Decoder::row_access(Handler run, std::vector<Place> registers) {
  const Operand& a = operand("a");
  const auto base = address_base(a);
  Op& op = warp_access(run, std::move(registers));
  access_address(a, op, base);
  const sem::MatrixOrder transposed =
      has("b16") ? sem::MatrixOrder::columns_b16 : sem::MatrixOrder::columns_b8;
  op.runtime[0] = static_cast<u8>(has("trans") ? transposed : sem::MatrixOrder::rows);
  switch (static_cast<sem::MatrixSmall>(slot("matrix_small"))) {
    case sem::MatrixSmall::b6x16_p32:
      op.runtime[1] = 6;
      break;
    case sem::MatrixSmall::b4x16_p64:
      op.runtime[1] = 4;
      break;
    default:
      op.runtime[1] = 0;
  }
}

std::vector<Place> Decoder::sources_of(const Operand& whole) {
  std::vector<Place> places;
  for (const Operand& element : elements(whole)) places.push_back(source(element));
  return places;
}
std::vector<Decoder::Target> Decoder::targets_of(const Operand& whole) {
  std::vector<Target> targets;
  for (const Operand& element : elements(whole)) targets.push_back(target(element));
  return targets;
}
std::vector<Place> Decoder::places_of(const std::vector<Target>& targets) {
  std::vector<Place> places;
  for (const Target& target : targets) places.push_back(target.place);
  return places;
}

void Decoder::ldmatrix() {
  const std::vector<Target> targets = targets_of(operand("d"));
  row_access(&interp::ldmatrix, places_of(targets));
  for (const Target& target : targets) finish(target);
}
void Decoder::stmatrix() { row_access(&interp::stmatrix, sources_of(operand("r"))); }

namespace {

/// The word of the mnemonic that is a shape, `m16n8k4`.
bool is_shape(std::string_view word) {
  return word.size() > 1 && word[0] == 'm' && word[1] >= '0' && word[1] <= '9';
}

/// The matrix that a mnemonic such as `wmma.load.a.sync.aligned.row.m16n16k16.f16` moves.
sem::Fragment fragment_of(std::string_view mnemonic) {
  sem::Fragment f{};
  f.operand = sem::MatrixOperand::accumulator;
  for (const auto part : std::views::split(mnemonic, '.')) {
    const std::string_view word(part.begin(), part.end());
    if (word == "a") f.operand = sem::MatrixOperand::a;
    if (word == "b") f.operand = sem::MatrixOperand::b;
    if (is_shape(word)) {
      u32* number = &f.m;
      for (const char one : word.substr(1)) {
        if (one == 'n' || one == 'k')
          number = one == 'n' ? &f.n : &f.k;
        else
          *number = *number * 10 + static_cast<u32>(one - '0');
      }
    }
    if (const Type type = isa::find_type(word); type != Type::none)
      f.bits = isa::type_info(type).bits;
  }
  return f;
}

}  // namespace

/// wmma.load and wmma.store: a matrix in shared or global memory.
void Decoder::matrix_access(Handler run, std::vector<Place> registers) {
  const sem::Fragment f = fragment_of(ir::mnemonic(*inst_));
  const bool by_columns = static_cast<sem::Layout>(slot("layout")) == sem::Layout::col;
  const Operand& stride = operand("stride");
  const Place base = host_address(operand("a"));
  const Place distance = stride.kind == OperandKind::none
                             ? constant(by_columns ? rows_of(f) : columns_of(f), sizeof(u32))
                             : source(stride);
  Op& op = warp_access(run, std::move(registers));
  op.src[0] = base;
  op.src[1] = distance;
  describe_fragment(op, f);
  if (by_columns) op.flags |= kColumnMajor;
  if (space() == ir::Space::shared) op.flags |= kInShared;
}

void Decoder::wmma_load() {
  const std::vector<Target> targets = targets_of(operand("d"));
  matrix_access(&interp::wmma_load, places_of(targets));
  for (const Target& target : targets) finish(target);
}
void Decoder::wmma_store() { matrix_access(&interp::wmma_store, sources_of(operand("r"))); }

}  // namespace heddle::interp
