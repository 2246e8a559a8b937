// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// multimem.ld_reduce, .st and .red (PTX ISA 9.7.9.14). The bulk forms are in
// decode_cooperation.cpp.
#include "interp/decoder.h"
#include "interp/multimem_ops.h"
#include "isa/groups.h"

namespace heddle::interp {

/// `list`: places of the elements, of `each` bytes.
Op& Decoder::multimem_access(Handler run, std::vector<Place> list, u32 each, Place address) {
  Op& op = emit_guarded(run);
  op.src[0] = address;
  op.count = static_cast<u8>(list.size());
  op.runtime[0] = static_cast<u8>(each);
  op.list = builder_.keep(std::move(list));
  return op;
}

void Decoder::multimem_load() {
  const Type type = static_cast<Type>(slot("T"));
  const Type accumulator = has("acc::f32") ? Type::f32 : has("acc::f16") ? Type::f16 : type;
  const u8 chosen = slot("atomop");  // a form without a choice adds
  const u8 operation = chosen ? chosen : static_cast<u8>(sem::Atomop::add);
  const Handler run = interp::multimem_load(operation, type, accumulator);
  const Place address = host_address(operand("a"));
  std::vector<Place> list;
  std::vector<Target> targets;
  for (const Operand& element : elements(operand("d"))) {
    targets.push_back(target(element));
    list.push_back(targets.back().place);
  }
  multimem_access(run, std::move(list), targets[0].bytes, address);
  for (const Target& target : targets) finish(target);
}

void Decoder::multimem_write(Handler run) {
  const auto b = elements(operand("b"));
  const Place address = host_address(operand("a"));
  std::vector<Place> list;
  for (const Operand& element : b) list.push_back(source(element));
  Op& op = multimem_access(run, std::move(list), bytes_of(b[0].type), address);
  if (!inst_->get_form().applies.empty()) op.atomic = applied();
}
void Decoder::multimem_store() { multimem_write(&interp::multimem_store); }
void Decoder::multimem_reduce() { multimem_write(&interp::multimem_reduce); }

}  // namespace heddle::interp
