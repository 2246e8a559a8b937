// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Accesses to memory and conversions of addresses (PTX ISA 9.7.9, 9.7.13.5).
#include "base/check.h"
#include "ir/strength.h"
#include "isa/groups.h"
#include "isa/sem/cache_control.h"
#include "jit/llvm/lower/lowering.h"
#include "machine/memory.h"
#include "machine/shared_address.h"

namespace heddle::jit {
namespace {

/// Accesses are made of words of 64 bits at most.
constexpr unsigned kWordBits = 64;

}  // namespace

/// Whether an access to the kernel's parameter block at a constant offset, whose `bytes` are its
/// alignment, too, needs no check.
bool FunctionLowering::lies_in_parameters(u64 offset, u64 bytes) const {
  return machine::AddressRange{0, f_.param_bytes}.contains(offset, bytes) && offset % bytes == 0;
}

/// Where a .param variable of a function lies, or null.
llvm::Value* FunctionLowering::local_storage(const Operand& operand) {
  if (operand.kind != OperandKind::local || in_memory(operand.id)) return nullptr;
  return builder_.CreateConstInBoundsGEP1_64(builder_.getInt8Ty(), locals_[operand.id],
                                             operand.value);
}

/// `words` one behind the other, the first one lowest, as numbers of `bits` bits.
std::vector<llvm::Value*> FunctionLowering::join(const std::vector<llvm::Value*>& words,
                                                 unsigned bits) {
  if (bits <= kWordBits) return words;
  std::vector<llvm::Value*> numbers;
  for (std::size_t i = 0; i < words.size(); i += bits / kWordBits) {
    llvm::Value* number = resize(words[i], bits, false);
    for (unsigned k = 1; k < bits / kWordBits; ++k)
      number = builder_.CreateOr(
          number, builder_.CreateShl(resize(words[i + k], bits, false), k * kWordBits));
    numbers.push_back(number);
  }
  return numbers;
}
std::vector<llvm::Value*> FunctionLowering::split(const std::vector<llvm::Value*>& numbers,
                                                  unsigned bits) {
  if (bits <= kWordBits) return numbers;
  std::vector<llvm::Value*> words;
  for (llvm::Value* number : numbers) {
    for (unsigned k = 0; k < bits / kWordBits; ++k)
      words.push_back(resize(builder_.CreateLShr(number, k * kWordBits), kWordBits, false));
  }
  return words;
}

/// The state space of an access: parameters of a function lie in local memory, those of a kernel
/// are accessed by generic addresses.
ir::Space FunctionLowering::space_of_access(const Operand& address) const {
  const auto space = static_cast<ir::Space>(inst_->space);
  if (address.kind == OperandKind::local) return ir::Space::local;
  if (address.kind == OperandKind::parameter) return ir::Space::param;
  if (space == ir::Space::param && !f_.is_entry) return ir::Space::local;
  return space;
}

/// A site for `words` words of `bits` bits.
u32 FunctionLowering::access_site(const Operand& address, unsigned bits, std::size_t words) {
  const u32 number = site();
  Site& site = site_of(number);
  site.space = space_of_access(address);
  site.bytes = static_cast<u8>(bits / 8);
  site.count = static_cast<u8>(words);
  // No other thread accesses local memory.
  site.strong = site.space != ir::Space::local && ir::is_strong(*inst_);
  site.ordered = site.strong && ir::is_strong_beyond_cluster(*inst_);
  return number;
}

/// Whether the fallback engine makes the access: an indivisible one of 128 bits, or one to shared
/// memory of the cluster.
bool FunctionLowering::is_beyond() const {
  const isa::Form& form = inst_->get_form();
  bool cluster = false;
  for (u32 i = 0; i < form.operands.size() && i < inst_->operands.count; ++i) {
    if (!operand(i).is_address) continue;
    if (form.operands[i].space_slot < 0) {
      cluster |= form.operands[i].space == "shared::cluster";
      continue;
    }
    const auto index = static_cast<u8>(form.operands[i].space_slot);
    for (const isa::Choice& choice : form.slots[index].choices) {
      if (choice.value == inst_->slots[index] && choice.word != isa::kNoWord)
        cluster |= isa::word_text(choice.word) == "shared::cluster";
    }
  }
  const isa::Access access = form.effects().access;
  const Operand& data = operand(access == isa::Access::load ? "d" : "b");
  const bool wide = bits_of(elements(data)[0].type) > kWordBits;
  const bool atomic = access == isa::Access::atomic;
  const bool ordered =
      ir::is_strong_beyond_cluster(*inst_) && space_of_access(operand("a")) != ir::Space::local;
  return cluster || (wide && (atomic || ordered));
}

void FunctionLowering::ld() {
  const Operand& a = operand("a");
  const auto d = elements(operand("d"));
  const unsigned whole = bits_of(d[0].type), bits = std::min(whole, kWordBits);
  const std::size_t count = d.size() * whole / bits;
  llvm::Type* word = integer(bits);
  std::vector<llvm::Value*> words;
  if (llvm::Value* storage = local_storage(a)) {
    for (std::size_t i = 0; i < count; ++i) {
      llvm::Value* at =
          builder_.CreateConstInBoundsGEP1_64(builder_.getInt8Ty(), storage, i * bits / 8);
      words.push_back(builder_.CreateAlignedLoad(word, at, llvm::Align(1)));
    }
  } else if (a.kind == OperandKind::parameter && lies_in_parameters(a.value, count * bits / 8)) {
    for (std::size_t i = 0; i < count; ++i) {
      words.push_back(emit(MachineOp::param, word,
                           {constant(static_cast<u32>(a.value + i * bits / 8))},
                           fmt::format("i{}", bits)));
    }
  } else {
    if (is_beyond()) return step(MachineOp::step);
    const u32 number = access_site(a, bits, count);
    llvm::Type* result =
        count == 1 ? word
                   : llvm::StructType::get(shared_.context, std::vector<llvm::Type*>(count, word));
    llvm::Value* loaded = emit(MachineOp::load, result, {constant(number), address(a)},
                               fmt::format("{}.i{}", count, bits));
    for (unsigned i = 0; i < count; ++i)
      words.push_back(count == 1 ? loaded : builder_.CreateExtractValue(loaded, i));
  }
  const auto values = join(words, whole);
  for (std::size_t i = 0; i < d.size(); ++i) write(d[i], values[i]);
}

void FunctionLowering::st() {
  const Operand& a = operand("a");
  const auto b = elements(operand("b"));
  const unsigned whole = bits_of(b[0].type), bits = std::min(whole, kWordBits);
  if (is_beyond()) return step(MachineOp::step);
  std::vector<llvm::Value*> values;
  for (const Operand& element : b) values.push_back(value(element));
  const auto words = split(values, whole);
  if (llvm::Value* storage = local_storage(a)) {
    for (std::size_t i = 0; i < words.size(); ++i) {
      llvm::Value* at =
          builder_.CreateConstInBoundsGEP1_64(builder_.getInt8Ty(), storage, i * bits / 8);
      builder_.CreateAlignedStore(words[i], at, llvm::Align(1));
    }
    return;
  }
  const u32 number = access_site(a, bits, words.size());
  std::vector<llvm::Value*> operands = {constant(number), address(a)};
  operands.insert(operands.end(), words.begin(), words.end());
  emit(MachineOp::store, builder_.getVoidTy(), operands, fmt::format("{}.i{}", words.size(), bits));
}

/// A step (vector/async_copies.h). Behind its site, and before the registers that the fallback
/// engine needs, it has Site::count operands: the destination, the source, and the number of bytes
/// from there (i32) or whether none are copied (i1), if the instruction says that.
void FunctionLowering::cp_async() {
  std::vector<llvm::Value*> operands = {address(operand("dst"), ir::Space::shared),
                                        address(operand("src"), ir::Space::global)};
  for (const char* name : {"src_size", "ignore"}) {
    if (operand(name).kind != OperandKind::none) operands.push_back(value(operand(name)));
  }
  const u32 number = site();
  site_of(number).space = ir::Space::shared;
  site_of(number).bytes = static_cast<u8>(operand("size").value);
  site_of(number).count = static_cast<u8>(operands.size());
  const std::vector<llvm::Value*> registers = registers_read();
  operands.insert(operands.end(), registers.begin(), registers.end());
  emit_step(MachineOp::step, number, std::move(operands));
}

/// The generic address (i64) of a shared address of any CTA of the cluster.
llvm::Value* FunctionLowering::from_shared_address(llvm::Value* address) {
  llvm::Value* slot = builder_.getInt64(machine::kSharedSlot);
  llvm::Value* window = builder_.CreateMul(builder_.CreateLShr(address, machine::kRankShift), slot);
  llvm::Value* offset =
      builder_.CreateAnd(address, builder_.getInt64(machine::first_shared_address(1) - 1));
  llvm::Value* exists = builder_.CreateAnd(
      builder_.CreateICmpULT(window, context_field(offsetof(Context, cluster_size), 64)),
      builder_.CreateICmpULT(offset, slot));
  llvm::Value* host = builder_.CreateAdd(context_field(offsetof(Context, cluster_base), 64),
                                         builder_.CreateAdd(window, offset));
  return builder_.CreateSelect(exists, host, builder_.getInt64(machine::kNoSharedAddress));
}

/// The opposite.
llvm::Value* FunctionLowering::to_shared_address(llvm::Value* address) {
  llvm::Value* slot = builder_.getInt64(machine::kSharedSlot);
  llvm::Value* place =
      builder_.CreateSub(address, context_field(offsetof(Context, cluster_base), 64));
  llvm::Value* rank = builder_.CreateUDiv(place, slot);
  llvm::Value* shared = builder_.CreateOr(builder_.CreateShl(rank, machine::kRankShift),
                                          builder_.CreateURem(place, slot));
  llvm::Value* exists =
      builder_.CreateICmpULT(place, context_field(offsetof(Context, cluster_size), 64));
  return builder_.CreateSelect(exists, shared, builder_.getInt64(machine::kNoSharedAddress));
}

void FunctionLowering::cvta() {
  const Operand& d = operand("d");
  llvm::Value* from = value(operand("a"));
  const bool to = slot("to") != 0;
  const bool of_cluster = slot("ss") == static_cast<u8>(sem::Ss::shared_cluster);
  const bool in_shared = static_cast<ir::Space>(inst_->space) == ir::Space::shared;
  if (in_shared && (of_cluster || shared_.request.clustered)) {
    llvm::Value* address = resize(from, 64, false);
    address = to ? to_shared_address(address) : from_shared_address(address);
    return write(d, resize(address, from->getType()->getIntegerBitWidth(), false));
  }
  llvm::Value* base = nullptr;
  switch (static_cast<ir::Space>(inst_->space)) {
    case ir::Space::shared:
      base = context_field(offsetof(Context, shared_base), 64);
      break;
    case ir::Space::local:
      base = emit(MachineOp::local_base, integer(64), {});
      break;
    case ir::Space::param:
      base = context_field(offsetof(Context, params), 64);
      break;
    default:
      return write(d, from);
  }
  base = resize(base, from->getType()->getIntegerBitWidth(), false);
  write(d, to ? builder_.CreateSub(from, base) : builder_.CreateAdd(from, base));
}

/// isspacep (9.7.9.19). Parameters lie in global memory (6.4.1.1).
void FunctionLowering::isspacep() {
  llvm::Value* address = resize(value(operand("a")), 64, false);
  const auto inside = [&](llvm::Value* base, llvm::Value* size) {
    return builder_.CreateICmpULT(builder_.CreateSub(address, base), size);
  };
  const auto between = [&](std::size_t base, std::size_t size) {
    return inside(context_field(base, 64), context_field(size, 64));
  };
  const auto in_cluster = [&] {
    return between(offsetof(Context, cluster_base), offsetof(Context, cluster_size));
  };
  const auto in_local = [&] {
    return inside(emit(MachineOp::local_base, integer(64), {}),
                  context_field(offsetof(Context, local_stride), 64));
  };
  const auto in_constants = [&] {
    return between(offsetof(Context, const_base), offsetof(Context, const_size));
  };
  llvm::Value* is = nullptr;
  switch (static_cast<ir::Space>(inst_->space)) {
    case ir::Space::shared:
      is = slot("ss") == static_cast<u8>(sem::Ss::shared_cluster)
               ? in_cluster()
               : inside(context_field(offsetof(Context, shared_base), 64),
                        builder_.getInt64(machine::kSharedSlot));
      break;
    case ir::Space::local:
      is = in_local();
      break;
    case ir::Space::constant:
      is = in_constants();
      break;
    case ir::Space::param:
      is = between(offsetof(Context, params), offsetof(Context, params_size));
      break;
    default:
      is = builder_.CreateNot(
          builder_.CreateOr(builder_.CreateOr(in_cluster(), in_local()), in_constants()));
  }
  write(operand("p"), is);
}

void FunctionLowering::fence() {
  // A CTA runs on one host thread, which sees its own accesses in program order.
  const auto scope = static_cast<sem::Fencescope>(slot("fencescope"));
  if (scope == sem::Fencescope::cta || scope == sem::Fencescope::cluster) return;
  const bool all = inst_->get_form().opcode == "membar" ||
                   static_cast<sem::Fencesem>(slot("fencesem")) == sem::Fencesem::sc;
  emit(MachineOp::fence, builder_.getVoidTy(), {builder_.getInt1(all)});
}

void FunctionLowering::read_modify_write() {
  const auto b = elements(operand("b"));
  const Operand& c = operand("c");
  const auto d = elements(operand("d"));
  const unsigned bits = bits_of(b[0].type);
  if (is_beyond()) return step(MachineOp::step);
  const u32 number = site();
  Site& site = site_of(number);
  site.type = b[0].type;
  site.bytes = static_cast<u8>(bits / 8);
  site.count = static_cast<u8>(b.size());
  site.dispatch = static_cast<u16>(isa::dispatch_index(inst_->get_form(), inst_->slots));
  if (inst_->get_form().applies == "atom_apply")
    site.op = slot("atomop") ? slot("atomop") : static_cast<u8>(sem::Atomop::add);
  std::vector<llvm::Value*> operands = {constant(number), address(operand("a"))};
  for (const Operand& element : b) operands.push_back(value(element));
  site_of(number).has_third = c.kind != OperandKind::none;
  if (c.kind != OperandKind::none) operands.push_back(value(c));
  llvm::Type* element = integer(bits);
  llvm::Type* result =
      b.size() == 1
          ? element
          : llvm::StructType::get(shared_.context, std::vector<llvm::Type*>(b.size(), element));
  llvm::Value* old = emit(MachineOp::atomic, result, operands,
                          fmt::format("{}.{}.i{}", b.size(), operands.size(), bits));
  for (std::size_t i = 0; i < b.size() && i < d.size(); ++i)
    write(d[i], b.size() == 1 ? old : builder_.CreateExtractValue(old, static_cast<unsigned>(i)));
}

void FunctionLowering::atom() { read_modify_write(); }
void FunctionLowering::red() { read_modify_write(); }

}  // namespace heddle::jit
