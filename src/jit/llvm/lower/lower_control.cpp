// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Branches, calls, traps (PTX ISA 9.7.12).
#include <algorithm>

#include "jit/llvm/lower/cold_functions.h"
#include "jit/llvm/lower/lowering.h"

namespace heddle::jit {

void FunctionLowering::bra() { builder_.CreateBr(blocks_[operand(0).id]); }

void FunctionLowering::brx_idx() {
  llvm::Value* index = value(operand(0));
  const auto& labels = f_.target_lists[operand(1).id].labels;
  auto* nowhere = llvm::BasicBlock::Create(shared_.context, "nowhere", function_);
  auto* choice = builder_.CreateSwitch(index, nowhere, static_cast<unsigned>(labels.size()));
  for (std::size_t i = 0; i < labels.size(); ++i) {
    auto* number = llvm::cast<llvm::ConstantInt>(llvm::ConstantInt::get(index->getType(), i));
    choice->addCase(number, blocks_[labels[i]]);
  }
  builder_.SetInsertPoint(nowhere);
  trap();
  // The branch is never taken. With a target of the list it adds no way for lanes to diverge.
  builder_.CreateBr(labels.empty() ? exit_ : blocks_[labels[0]]);
}

/// No thread continues behind a trap.
void FunctionLowering::trap() { emit(MachineOp::trap, builder_.getVoidTy(), {constant(site())}); }
void FunctionLowering::brkpt() { trap(); }

/// Arguments and the result are passed as 64-bit numbers.
void FunctionLowering::system_call(const ir::Function& callee) {
  const isa::Form& form = inst_->get_form();
  std::vector<llvm::Value*> operands = {constant(site())};
  const Operand* to = nullptr;
  const auto whole = [&](u32 local) {
    const unsigned bits = std::min<u32>(64, static_cast<u32>(f_.locals[local].size * 8));
    return integer(bits);
  };
  // A structure is passed as several words.
  const auto words_of = [&](u32 local, llvm::Value* storage) {
    const u64 size = f_.locals[local].size;
    for (u64 at = 0; at < size; at += 8) {
      llvm::Value* from = builder_.CreateConstInBoundsGEP1_64(builder_.getInt8Ty(), storage, at);
      auto* word = integer(static_cast<unsigned>(std::min<u64>(size - at, 8) * 8));
      operands.push_back(resize(builder_.CreateAlignedLoad(word, from, llvm::Align(1)), 64, false));
    }
  };
  for (u32 i = 0; i < inst_->operands.count && i < form.operands.size(); ++i) {
    const Operand& one = operand(i);
    const std::string_view name = form.operands[i].name;
    if ((name != "d" && name != "a") || one.kind == OperandKind::none) continue;
    for (const Operand& element : elements(one)) {
      if (name == "d") {
        to = &element;
        continue;
      }
      if (llvm::Value* storage = local_storage(element))
        words_of(element.id, storage);
      else if (element.kind == OperandKind::local)
        return fail(
            fmt::format("calls of '{}' with an indexed argument are not compiled", callee.name));
      else
        operands.push_back(resize(value(element), 64, false));
    }
  }
  llvm::Value* result =
      emit(MachineOp::system_call, integer(64), operands, std::to_string(operands.size() - 1));
  if (!to) return;
  if (llvm::Value* storage = local_storage(*to))
    builder_.CreateAlignedStore(resize(result, whole(to->id)->getIntegerBitWidth(), false), storage,
                                llvm::Align(1));
  else if (to->kind == OperandKind::local)
    fail(fmt::format("calls of '{}' with an indexed result are not compiled", callee.name));
  else
    write(*to, result);
}

FunctionLowering::Call FunctionLowering::gather_arguments() {
  const isa::Form& form = inst_->get_form();
  Call call;
  for (u32 i = 0; i < inst_->operands.count && i < form.operands.size(); ++i) {
    const Operand& one = operand(i);
    const std::string_view name = form.operands[i].name;
    if ((name != "d" && name != "a") || one.kind == OperandKind::none) continue;
    for (const Operand& element : elements(one)) {
      if (name == "d") ++call.returns;
      if (llvm::Value* storage = local_storage(element)) {
        call.places.push_back({storage, f_.locals[element.id].size});
        continue;
      }
      if (element.kind == OperandKind::local) {
        const u64 size = f_.locals[element.id].size;
        llvm::AllocaInst* copy = bytes(size);
        if (name == "d")
          call.returned.emplace_back(&element, copy);
        else
          copy_local(element.id, copy, false);
        call.places.push_back({copy, size});
        continue;
      }
      const unsigned bits =
          std::max(8u, element.kind == OperandKind::reg ? bits_of(f_.registers[element.id].type)
                                                        : bits_of(element.type));
      auto* place = variable(integer(bits), "argument");
      if (name == "d")
        call.returned.emplace_back(&element, place);
      else
        builder_.CreateStore(resize(value(element), bits, false), place);
      call.places.push_back({place, bits / 8});
    }
  }
  return call;
}

/// Of return values, then of parameters, in bytes.
std::vector<u64> FunctionLowering::formal_sizes(const ir::Function& function) {
  std::vector<u64> sizes;
  for (const auto* formals : {&function.signature.returns, &function.signature.params}) {
    for (const ir::Parameter& formal : *formals) {
      const bool predicate =
          formal.in_register && is_predicate(function.registers[formal.reg.value].type);
      sizes.push_back(predicate ? 1 : formal.size);
    }
  }
  return sizes;
}

/// Calls the function. Where a parameter is larger than the argument, which a call through a
/// pointer permits, the rest is zero.
void FunctionLowering::call_one(u32 id, const Call& call) {
  const auto found = shared_.functions.find(id);
  const ir::Function& callee = shared_.request.module->functions[id];
  if (found == shared_.functions.end())
    return fail(fmt::format("calls of '{}' are not compiled", callee.name));
  const ir::Signature& signature = callee.signature;
  const std::vector<u64> sizes = formal_sizes(callee);
  if (sizes.size() != call.places.size() || signature.returns.size() != call.returns)
    return fail("a call that does not match its function");
  std::vector<llvm::Value*> arguments;
  const auto copy = [&](llvm::Value* to, llvm::Value* from, u64 to_size, u64 from_size) {
    if (to_size > from_size)
      builder_.CreateMemSet(to, builder_.getInt8(0), to_size, llvm::Align(1));
    builder_.CreateMemCpy(to, llvm::Align(1), from, llvm::Align(1), std::min(to_size, from_size));
  };
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const Place& place = call.places[i];
    arguments.push_back(place.size == sizes[i] ? place.at : bytes(sizes[i]));
    if (arguments[i] != place.at && i >= call.returns)
      copy(arguments[i], place.at, sizes[i], place.size);
  }
  llvm::Value* gone = builder_.CreateCall(found->second, arguments);
  auto* back = llvm::BasicBlock::Create(shared_.context, "back", function_);
  builder_.CreateCondBr(gone, gone_, back);
  builder_.SetInsertPoint(back);
  for (std::size_t i = 0; i < call.returns; ++i) {
    if (arguments[i] != call.places[i].at)
      copy(call.places[i].at, arguments[i], call.places[i].size, sizes[i]);
  }
}

/// Whether arguments and results have the sizes of the function's parameters and return values.
bool FunctionLowering::matches(u32 id, const Call& call) const {
  const ir::Function& callee = shared_.request.module->functions[id];
  const auto same = [](const Place& place, u64 size) { return place.size == size; };
  return callee.signature.returns.size() == call.returns &&
         std::ranges::equal(call.places, formal_sizes(callee), same);
}

/// The fallback engine runs the function for the active lanes.
void FunctionLowering::call_below(const ir::Function& callee, const Call& call) {
  const std::vector<u64> sizes = formal_sizes(callee);
  std::vector<llvm::Value*> operands = {constant(site())};
  std::vector<std::pair<llvm::Value*, unsigned>> results;  // places, and bytes there
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    for (u64 at = 0; at < sizes[i]; at += 8) {
      const auto bytes = static_cast<unsigned>(std::min<u64>(sizes[i] - at, 8));
      llvm::Value* place =
          builder_.CreateConstInBoundsGEP1_64(builder_.getInt8Ty(), call.places[i].at, at);
      if (i < call.returns) {
        results.emplace_back(place, bytes);
        continue;
      }
      llvm::Value* word = builder_.CreateAlignedLoad(integer(bytes * 8), place, llvm::Align(1));
      operands.push_back(resize(word, 64, false));
    }
  }
  auto* type =
      llvm::StructType::get(shared_.context, std::vector<llvm::Type*>(results.size(), integer(64)));
  llvm::Value* all = emit(MachineOp::cold_call, type, operands,
                          fmt::format("{}.{}", operands.size() - 1, results.size()));
  for (unsigned i = 0; i < results.size(); ++i) {
    const auto [place, bytes] = results[i];
    builder_.CreateAlignedStore(resize(builder_.CreateExtractValue(all, i), bytes * 8, false),
                                place, llvm::Align(1));
  }
}

/// Tries the functions that the pointer may hold, one after the other: lanes with the same target
/// call it together.
void FunctionLowering::call_through(const Operand& pointer, const Call& call) {
  llvm::Value* to = resize(value(pointer), 64, false);
  auto* behind = llvm::BasicBlock::Create(shared_.context, "behind", function_);
  for (const u32 id : shared_.pointed) {
    const ir::Function& callee = shared_.request.module->functions[id];
    if (callee.signature.returns.size() != call.returns ||
        callee.signature.params.size() + call.returns != call.places.size())
      continue;
    auto* same = llvm::BasicBlock::Create(shared_.context, "same", function_);
    auto* other = llvm::BasicBlock::Create(shared_.context, "other", function_);
    builder_.CreateCondBr(builder_.CreateICmpEQ(to, function_address(id)), same, other);
    builder_.SetInsertPoint(same);
    call_one(id, call);
    if (!why_.empty()) return;
    builder_.CreateBr(behind);
    builder_.SetInsertPoint(other);
  }
  emit(MachineOp::trap_at, builder_.getVoidTy(), {constant(site()), to});
  builder_.CreateBr(behind);
  builder_.SetInsertPoint(behind);
}

void FunctionLowering::call() {
  Operand callee = operand("f");
  if (callee.kind == OperandKind::function) {
    const ir::Function& function = shared_.request.module->functions[callee.id];
    if (!function.has_body) return system_call(function);
  }
  const Call call = gather_arguments();
  if (is_cold_call(*shared_.request.module, f_, inst_index_) && matches(callee.id, call)) {
    call_below(shared_.request.module->functions[callee.id], call);
  } else if (callee.kind == OperandKind::function) {
    call_one(callee.id, call);
  } else {
    callee.type = f_.registers[callee.id].type;
    call_through(callee, call);
  }
  if (!why_.empty()) return;
  for (const auto& [to, place] : call.returned) {
    if (to->kind == OperandKind::local) {
      copy_local(to->id, place, true);
      continue;
    }
    llvm::Value* loaded = builder_.CreateLoad(place->getAllocatedType(), place);
    if (to->kind == OperandKind::reg && is_predicate(f_.registers[to->id].type))
      loaded = builder_.CreateTrunc(loaded, integer(1));
    write(*to, loaded);
  }
}

void FunctionLowering::ret() { builder_.CreateBr(exit_); }
void FunctionLowering::exit() { builder_.CreateBr(gone_); }

/// The numbers of functions whose address is taken, in an instruction or in a variable.
std::set<u32> find_pointed(const ir::Module& module) {
  std::set<u32> found;
  for (const ir::Function& f : module.functions) {
    for (const ir::Inst& inst : f.insts) {
      const isa::Form& form = inst.get_form();
      for (u32 i = 0; i < inst.operands.count && i < form.operands.size(); ++i) {
        const Operand& one = f.operands[inst.operands.first + i];
        const bool called = form.effects().flow == isa::Flow::call && form.operands[i].name == "f";
        if (one.kind == OperandKind::function && !called) found.insert(one.id);
      }
    }
    for (const ir::TargetList& list : f.target_lists) {
      for (const ir::FunctionId id : list.functions) found.insert(id.value);
    }
  }
  for (const ir::Variable& variable : module.variables) {
    for (const ir::Relocation& relocation : variable.relocations) {
      if (relocation.is_function) found.insert(relocation.symbol);
    }
  }
  return found;
}

}  // namespace heddle::jit
