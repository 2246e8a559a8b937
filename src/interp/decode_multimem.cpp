// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// multimem.ld_reduce, .st and .red (PTX ISA 9.7.9.14); the bulk ones are in decode_cooperation.cpp.
#include "interp/decoder.h"
#include "interp/multimem_ops.h"

namespace heddle::interp {

/// `list`: places of the elements, of `each` bytes.
void Decoder::multimem(Handler run, std::vector<Place> list, u32 each, Place address) {
  Op& op = emit_guarded(run);
  op.src[0] = address;
  op.count = static_cast<u8>(list.size());
  op.runtime[0] = static_cast<u8>(each);
  op.list = builder_.keep(std::move(list));
}

std::string Decoder::multimem_load() {
  const Type type = static_cast<Type>(slot("T"));
  const Type accumulator = has("acc::f32") ? Type::f32 : has("acc::f16") ? Type::f16 : type;
  const Handler run = interp::multimem_load(atomop(), type, accumulator);
  if (!run) return "no engine runs this reduction yet";
  const Place address = host_address(operand("a"));
  std::vector<Place> list;
  std::vector<Target> targets;
  for (const Operand& element : elements(operand("d"))) {
    targets.push_back(target(element));
    list.push_back(targets.back().place);
  }
  multimem(run, std::move(list), targets[0].bytes, address);
  for (const Target& target : targets) finish(target);
  return {};
}

std::string Decoder::multimem_write(bool reduces) {
  const auto b = elements(operand("b"));
  const Handler run =
      reduces ? interp::multimem_reduce(atomop(), b[0].type) : &interp::multimem_store;
  if (!run) return "no engine runs this reduction yet";
  const Place address = host_address(operand("a"));
  std::vector<Place> list;
  for (const Operand& element : b) list.push_back(source(element));
  multimem(run, std::move(list), bytes_of(b[0].type), address);
  return {};
}

}  // namespace heddle::interp
