// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a checked kernel to LLVM IR of one thread. Each PTX register is a variable (an alloca), each
// function an LLVM function; passes turn both into values.
#include <llvm/ADT/SetVector.h>
#include <llvm/IR/DIBuilder.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Verifier.h>

#include <set>

#include "base/check.h"
#include "isa/groups.h"
#include "isa/sem/cache_control.h"
#include "isa/special_registers.h"
#include "isa/spell.h"
#include "jit/float_mode.h"
#include "jit/llvm/lower/call_graph.h"
#include "jit/llvm/lower/lowering.h"
#include "jit/llvm/scalar/local_memory.h"

namespace heddle::jit {

std::optional<u64> context_offset(const llvm::Instruction& call) {
  const MachineOp op = machine_op(call);
  if (op != MachineOp::context_i32 && op != MachineOp::context_i64) return std::nullopt;
  const auto* offset = llvm::dyn_cast<llvm::ConstantInt>(call.getOperand(0));
  return offset ? std::optional(offset->getZExtValue()) : std::nullopt;
}

bool is_made_of(const llvm::Value* value, std::size_t most, const IsSuch& is_such,
                const IsSuch& is_known) {
  llvm::SetVector<const llvm::Value*> made_of;
  made_of.insert(value);
  for (std::size_t i = 0; i < made_of.size(); ++i) {
    const auto* inst = llvm::dyn_cast<llvm::Instruction>(made_of[i]);
    if (!inst || (is_known && is_known(*inst))) continue;
    if (is_such(*inst)) return true;
    made_of.insert(inst->value_op_begin(), inst->value_op_end());
    if (made_of.size() > most) return true;
  }
  return false;
}

// --- operands ---

llvm::Value* FunctionLowering::special(const Operand& operand) {
  using isa::SpecialRegister;
  const auto reg = static_cast<SpecialRegister>(operand.id);
  const u32 component = operand.component;
  const unsigned bits = bits_of(isa::special_register_info(reg).type);
  const machine::Dim3& block = shared_.request.block;
  const u32 size[] = {block.x, block.y, block.z, 1};
  // Adds the range of the number.
  const auto below = [&](u32 bound, llvm::Value* value) {
    llvm::cast<llvm::CallInst>(value)->setMetadata(
        llvm::LLVMContext::MD_range,
        llvm::MDBuilder(shared_.context).createRange(llvm::APInt(32, 0), llvm::APInt(32, bound)));
    return value;
  };
  const auto lane_mask = [&](auto make) {
    llvm::Value* lane = emit(MachineOp::lane, integer(32), {});
    return make(builder_.CreateShl(constant(1), lane));
  };
  switch (reg) {
    case SpecialRegister::tid:
      if (component >= 3) return constant(0);
      return below(size[component], emit(MachineOp::tid, integer(32), {constant(component)}));
    case SpecialRegister::ntid:
      return constant(size[component]);
    case SpecialRegister::laneid:
      return below(kLanes, emit(MachineOp::lane, integer(32), {}));
    case SpecialRegister::warpid:
      return context_field(offsetof(Context, warp), 32);
    case SpecialRegister::ctaid:
      return component < 3 ? context_field(offsetof(Context, ctaid) + 4 * component, 32)
                           : constant(0);
    case SpecialRegister::nctaid:
      return component < 3 ? context_field(offsetof(Context, nctaid) + 4 * component, 32)
                           : constant(1);
    case SpecialRegister::lanemask_eq:
      return lane_mask([](llvm::Value* bit) { return bit; });
    case SpecialRegister::lanemask_lt:
      return lane_mask([&](llvm::Value* bit) { return builder_.CreateSub(bit, constant(1)); });
    case SpecialRegister::lanemask_le:
      return lane_mask([&](llvm::Value* bit) {
        return builder_.CreateOr(bit, builder_.CreateSub(bit, constant(1)));
      });
    case SpecialRegister::lanemask_gt:
      return lane_mask([&](llvm::Value* bit) {
        return builder_.CreateNot(builder_.CreateOr(bit, builder_.CreateSub(bit, constant(1))));
      });
    case SpecialRegister::lanemask_ge:
      return lane_mask([&](llvm::Value* bit) {
        return builder_.CreateNot(builder_.CreateSub(bit, constant(1)));
      });
    default: {
      const u32 number = site();
      llvm::Value* all = emit(MachineOp::special, integer(64),
                              {constant(number), constant(operand.id << 2 | component)}, "i64");
      return bits == 1 ? builder_.CreateICmpNE(all, builder_.getInt64(0))
                       : resize(all, bits, false);
    }
  }
}

/// A number of ScalarKernel::symbols.
llvm::Value* FunctionLowering::symbol(u32 number) {
  auto& symbols = shared_.kernel.symbols;
  const auto found = std::find(symbols.begin(), symbols.end(), number);
  const u32 index = static_cast<u32>(found - symbols.begin());
  if (found == symbols.end()) symbols.push_back(number);
  return emit(MachineOp::symbol, integer(64), {constant(index)});
}
llvm::Value* FunctionLowering::function_address(u32 id) { return symbol(id | kFunctionSymbol); }

/// The address of a local variable, plus a distance in bytes. A recursive function has its
/// variables once for each activation.
llvm::Value* FunctionLowering::local_address(u32 local, u64 distance) {
  llvm::Value* begin = nullptr;
  if (recursive_) {
    begin = emit(MachineOp::activation, integer(64), {});
    distance += local_places_[local];
  } else {
    begin = emit(MachineOp::local, integer(64), {constant(static_cast<u32>(local_places_[local]))});
  }
  return distance ? builder_.CreateAdd(begin, builder_.getInt64(distance)) : begin;
}

bool FunctionLowering::is_shared_variable(const Operand& operand) const {
  return operand.kind == OperandKind::variable &&
         shared_.request.module->variables[operand.id].space == ir::Space::shared;
}

/// The address of a symbol, in its own state space; of a shared variable, the offset in the CTA's
/// window.
llvm::Value* FunctionLowering::symbol_address(const Operand& operand) {
  switch (operand.kind) {
    case OperandKind::variable: {
      if (is_shared_variable(operand))
        return builder_.getInt64(shared_.request.shared->offset.at(operand.id) + operand.value);
      return builder_.CreateAdd(symbol(operand.id), builder_.getInt64(operand.value));
    }
    case OperandKind::local:
      return local_address(operand.id, operand.value);
    case OperandKind::function:
      return function_address(operand.id);
    default:
      return builder_.getInt64(operand.value);  // immediate; parameter: offset in the block
  }
}

/// The address of the first byte of the CTA's shared memory; 0 without clusters.
llvm::Value* FunctionLowering::first_shared(unsigned bits) {
  if (!shared_.request.clustered) return llvm::ConstantInt::get(integer(bits), 0);
  return resize(context_field(offsetof(Context, first_shared), 64), bits, false);
}

/// As an integer of the size that the instruction has there; a predicate as i1.
llvm::Value* FunctionLowering::value(const Operand& operand) {
  const bool predicate = is_predicate(operand.type);
  const unsigned bits = bits_of(operand.type);
  llvm::Value* from = nullptr;
  switch (operand.kind) {
    case OperandKind::reg:
      from =
          builder_.CreateLoad(registers_[operand.id]->getAllocatedType(), registers_[operand.id]);
      break;
    case OperandKind::special:
      from = special(operand);
      break;
    case OperandKind::none:
      return llvm::ConstantInt::get(integer(bits), 0);
    case OperandKind::immediate:
      if (predicate) return builder_.getInt1((operand.value != 0) != operand.negated);
      return llvm::ConstantInt::get(integer(bits), operand.value);
    default:
      from = symbol_address(operand);
      if (is_shared_variable(operand)) from = builder_.CreateAdd(from, first_shared(64));
  }
  if (predicate) return operand.negated ? builder_.CreateNot(from) : from;
  return resize(from, bits, false);
}

/// An address operand as i64, counted from the start of its space's window.
llvm::Value* FunctionLowering::address(const Operand& operand, ir::Space space) {
  // In a kernel it may be an offset into the parameter block.
  const bool in_params = space == ir::Space::param && f_.is_entry;
  const bool in_cluster = space == ir::Space::shared && shared_.request.clustered;
  const auto from_window = [&](llvm::Value* all, unsigned bits) {
    return in_cluster ? builder_.CreateSub(all, first_shared(bits)) : all;
  };
  if (operand.kind != OperandKind::reg) {
    if (operand.kind == OperandKind::special)
      return from_window(
          builder_.CreateAdd(resize(special(operand), 64, false), builder_.getInt64(operand.value)),
          64);
    llvm::Value* place = symbol_address(operand);
    if (operand.kind == OperandKind::immediate) return from_window(place, 64);
    if (operand.kind != OperandKind::parameter) return place;
    return builder_.CreateAdd(context_field(offsetof(Context, params), 64), place);
  }
  llvm::Value* base =
      builder_.CreateLoad(registers_[operand.id]->getAllocatedType(), registers_[operand.id]);
  const unsigned bits = base->getType()->getIntegerBitWidth();
  if (in_params)
    base =
        builder_.CreateAdd(base, resize(context_field(offsetof(Context, params), 64), bits, false));
  llvm::Value* sum =
      operand.value ? builder_.CreateAdd(base, llvm::ConstantInt::get(integer(bits), operand.value))
                    : base;
  return resize(from_window(sum, bits), 64, false);
}

void FunctionLowering::write(const Operand& to, llvm::Value* value) {
  if (to.kind != OperandKind::reg) return;  // a sink
  llvm::AllocaInst* variable = registers_[to.id];
  const unsigned bits = variable->getAllocatedType()->getIntegerBitWidth();
  if (value->getType()->getIntegerBitWidth() != bits)
    value = resize(value, bits, is_signed(to.type));
  builder_.CreateStore(value, variable);
}

// --- instructions ---

bool is_alike_in_any_mode(const isa::Form& form, std::span<const u8> slots) {
  const auto is_opcode = [&](std::string_view name) { return name.starts_with(form.opcode); };
  return std::ranges::any_of(kAlikeInAnyMode, is_opcode) &&
         std::ranges::count(kAlikeInAnyMode, isa::spell_mnemonic(form, slots)) != 0;
}

void FunctionLowering::lane_function() {
  const isa::Form& form = inst_->get_form();
  const u32 index = isa::dispatch_index(form, inst_->slots);
  HEDDLE_CHECK(index != isa::kNoDispatch);
  const LaneFunction& lane = shared_.semantics.lane(index);
  if (lane.is_long) return step(MachineOp::step);
  std::vector<llvm::Value*> sources;
  std::vector<const Operand*> targets;
  for (u8 runtime : form.runtime_slots) sources.push_back(builder_.getInt8(inst_->slots[runtime]));
  for (u32 i = 0; i < inst_->operands.count; ++i) {
    const Operand& one = operand(i);
    const bool carry = i >= form.operands.size();
    if (carry) {
      if (form.carry != isa::CarryUse::out) sources.push_back(value(one));
      if (form.carry != isa::CarryUse::in) targets.push_back(&one);
    } else if (form.operands[i].written) {
      for (const Operand& element : elements(one)) targets.push_back(&element);
    } else {
      for (const Operand& element : elements(one)) sources.push_back(value(element));
    }
  }
  HEDDLE_CHECK(sources.size() >= lane.operands);
  sources.resize(lane.operands);
  for (u32 i = 0; i < lane.operands; ++i) {
    llvm::Value*& from = sources[i];
    if (from->getType()->isIntegerTy(1)) from = builder_.CreateZExt(from, builder_.getInt8Ty());
    HEDDLE_CHECK(from->getType()->getIntegerBitWidth() == lane.operand_bytes[i] * 8);
  }
  auto results =
      shared_.semantics.emit(lane, sources, builder_, entry_builder_,
                             is_alike_in_any_mode(form, inst_->slots) ? kAnyMode : nullptr);
  HEDDLE_CHECK(targets.size() <= results.size());
  for (std::size_t i = 0; i < targets.size(); ++i) {
    if (lane.late_canonical) {
      llvm::Value* raw = builder_.CreateBitCast(results[i], builder_.getFloatTy());
      results[i] = builder_.CreateBitCast(
          emit(MachineOp::canonical, builder_.getFloatTy(), {raw}, "f32"), integer(32));
    } else if (is_predicate(targets[i]->type)) {
      results[i] = builder_.CreateTrunc(results[i], integer(1));
    }
  }
  for (std::size_t i = 0; i < targets.size(); ++i) write(*targets[i], results[i]);
}

void FunctionLowering::mov_pack() {
  const auto a = elements(operand("a"));
  const Operand& d = operand("d");
  const unsigned whole = bits_of(d.type), part = whole / static_cast<unsigned>(a.size());
  llvm::Value* sum = llvm::ConstantInt::get(integer(whole), 0);
  for (std::size_t i = 0; i < a.size(); ++i) {
    llvm::Value* piece = resize(resize(value(a[i]), part, false), whole, false);
    sum = builder_.CreateOr(sum, builder_.CreateShl(piece, i * part));
  }
  write(d, sum);
}

void FunctionLowering::mov_unpack() {
  const auto d = elements(operand("d"));
  llvm::Value* from = value(operand("a"));
  const unsigned whole = from->getType()->getIntegerBitWidth(),
                 part = whole / static_cast<unsigned>(d.size());
  std::vector<llvm::Value*> pieces;
  for (std::size_t i = 0; i < d.size(); ++i)
    pieces.push_back(resize(builder_.CreateLShr(from, i * part), part, false));
  for (std::size_t i = 0; i < d.size(); ++i) write(d[i], pieces[i]);
}

void FunctionLowering::mov_vector() {
  const auto d = elements(operand("d"));
  const auto a = elements(operand("a"));
  std::vector<llvm::Value*> values;
  for (const Operand& element : a) values.push_back(value(element));
  for (std::size_t i = 0; i < d.size() && i < values.size(); ++i) write(d[i], values[i]);
}

void FunctionLowering::nop() {}
void FunctionLowering::policy() { write(operand("d"), builder_.getInt64(sem::kCachePolicy)); }

void FunctionLowering::instruction() {
  const isa::Form& form = inst_->get_form();
  switch (form.sem_kind) {
    case SemKind::lane:
      return lane_function();
    case SemKind::warp:
      return warp_function();
    case SemKind::memory:
    case SemKind::engine:
      break;
  }
  switch (form.sem_id) {
#define HEDDLE_LOWERED(name) \
  case SemId::name:          \
    return name();
#include "jit/llvm/lower/lowered.def"
#undef HEDDLE_LOWERED
    default:
      return step(form.effects().aligned ? MachineOp::warp_op : MachineOp::step);
  }
}

/// A .param variable of a function stays a value, or several, when it is read and written at known
/// places and passed whole.
void FunctionLowering::find_indexed() {
  indexed_.assign(f_.locals.size(), false);
  for (const ir::Inst& inst : f_.insts) {
    const isa::Form& form = inst.get_form();
    const isa::Access kind = form.effects().access;
    const bool access = kind == isa::Access::load || kind == isa::Access::store;
    u64 bytes = 0;
    const auto operands = std::span(f_.operands).subspan(inst.operands.first, inst.operands.count);
    for (const Operand& one : operands) {
      if (one.is_address || one.kind == OperandKind::none) continue;
      const auto parts = elements(one);
      if (!parts.empty()) bytes = std::max<u64>(bytes, parts.size() * bits_of(parts[0].type) / 8);
    }
    for (const Operand& one : operands) {
      if (one.kind != OperandKind::local || form.effects().flow == isa::Flow::call) continue;
      const machine::AddressRange whole{0, f_.locals[one.id].size};
      if (!access || !one.is_address || !whole.contains(one.value, bytes)) indexed_[one.id] = true;
    }
  }
}

void FunctionLowering::lay_out_locals() {
  locals_.assign(f_.locals.size(), nullptr);
  local_places_.assign(f_.locals.size(), 0);
  for (u32 i = 0; i < f_.locals.size(); ++i) {
    const ir::Variable& local = f_.locals[i];
    if (in_memory(i) && recursive_) {
      local_places_[i] = take_local(recursive_->local_bytes, local.size, local.align);
      recursive_->align = std::max<u64>(recursive_->align, local.align);
    } else if (in_memory(i)) {
      local_places_[i] = shared_.kernel.locals.size();
      shared_.kernel.locals.push_back({local.size, local.align});
    } else {
      auto* storage = variable(
          llvm::ArrayType::get(builder_.getInt8Ty(), std::max<u64>(local.size, 1)), "local");
      storage->setAlignment(llvm::Align(16));
      locals_[i] = storage;
    }
  }
}

/// Copies between a .param variable in memory and the place of an argument.
void FunctionLowering::copy_local(u32 local, llvm::Value* place, bool to_memory) {
  const ir::Variable& from = f_.locals[local];
  const u64 unit = std::min<u64>(from.align ? from.align & (~from.align + 1) : 1, 8);
  LocalMemory memory(shared_.kernel, builder_);
  for (u64 at = 0; at < from.size;) {
    u64 bytes = unit;
    while (at + bytes > from.size || at % bytes) bytes /= 2;
    llvm::Type* word = integer(static_cast<unsigned>(bytes * 8));
    llvm::Value* address = local_address(local, at);
    llvm::Value* piece = builder_.CreateConstInBoundsGEP1_64(builder_.getInt8Ty(), place, at);
    if (to_memory)
      memory.store(builder_.CreateAlignedLoad(word, piece, llvm::Align(1)), address, bytes);
    else
      builder_.CreateAlignedStore(memory.load(word, address, bytes), piece, llvm::Align(1));
    at += bytes;
  }
}

void FunctionLowering::take_formals() {
  if (f_.is_entry) return;
  unsigned argument = 0;
  for (const ir::Parameter& formal : f_.signature.returns) {
    llvm::Value* place = function_->getArg(argument++);
    if (formal.in_register || in_memory(formal.local.value))
      returns_.emplace_back(&formal, place);
    else
      locals_[formal.local.value] = place;
  }
  for (const ir::Parameter& formal : f_.signature.params) {
    llvm::Value* place = function_->getArg(argument++);
    if (!formal.in_register) {
      if (in_memory(formal.local.value))
        copy_local(formal.local.value, place, true);
      else
        locals_[formal.local.value] = place;
      continue;
    }
    llvm::Type* type = registers_[formal.reg.value]->getAllocatedType();
    llvm::Value* loaded =
        builder_.CreateLoad(integer(std::max(8u, type->getIntegerBitWidth())), place);
    builder_.CreateStore(builder_.CreateTrunc(loaded, type), registers_[formal.reg.value]);
  }
}

void FunctionLowering::give_returns() {
  for (const auto& [formal, place] : returns_) {
    if (!formal->in_register) {
      copy_local(formal->local.value, place, false);
      continue;
    }
    llvm::AllocaInst* from = registers_[formal->reg.value];
    llvm::Value* loaded = builder_.CreateLoad(from->getAllocatedType(), from);
    builder_.CreateStore(
        resize(loaded, std::max(8u, loaded->getType()->getIntegerBitWidth()), false), place);
  }
}

void FunctionLowering::find_blocks() {
  std::set<u32> begins;
  for (const ir::Inst& inst : f_.insts) {
    const auto operands = std::span(f_.operands).subspan(inst.operands.first, inst.operands.count);
    for (const Operand& one : operands) {
      if (one.kind == OperandKind::label) begins.insert(one.id);
      if (one.kind == OperandKind::targets)
        for (u32 label : f_.target_lists[one.id].labels) begins.insert(label);
    }
  }
  blocks_.assign(f_.insts.size() + 1, nullptr);
  for (u32 at : begins)
    blocks_[at] = llvm::BasicBlock::Create(shared_.context, fmt::format("L{}", at), function_);
  exit_ = gone_ = llvm::BasicBlock::Create(shared_.context, "exit", function_);
  if (!f_.is_entry) {
    gone_ = llvm::BasicBlock::Create(shared_.context, "gone", function_);
    llvm::IRBuilder<>(gone_).CreateRet(builder_.getTrue());
  }
}

std::string FunctionLowering::run() {
  function_ = shared_.functions.at(id_);
  if (const auto found = shared_.kernel.recursive.find(function_);
      found != shared_.kernel.recursive.end()) {
    recursive_ = &found->second;
    recursive_->returns = f_.signature.returns.size();
    recursive_->sizes = formal_sizes(f_);
  }
  auto* entry = llvm::BasicBlock::Create(shared_.context, "entry", function_);
  auto* first = llvm::BasicBlock::Create(shared_.context, "start", function_);
  entry_builder_.SetInsertPoint(entry);
  builder_.SetInsertPoint(first);
  auto* program = shared_.debug.createFunction(
      shared_.file, f_.name, f_.name, shared_.file, 1,
      shared_.debug.createSubroutineType(shared_.debug.getOrCreateTypeArray({})), 1,
      llvm::DINode::FlagZero, llvm::DISubprogram::SPFlagDefinition);
  function_->setSubprogram(program);
  const auto locate = [&](u32 inst) {
    builder_.SetCurrentDebugLocation(llvm::DILocation::get(
        shared_.context, shared_.kernel.first_line[id_] + inst + 1, 0, program));
  };
  locate(0);
  for (std::size_t i = 0; i < f_.registers.size(); ++i) {
    llvm::Type* type = integer(bits_of(f_.registers[i].type));
    registers_.push_back(variable(type, fmt::format("r{}", i)));
    entry_builder_.CreateStore(llvm::Constant::getNullValue(type), registers_.back());
  }
  inst_ = f_.insts.data();
  find_indexed();
  lay_out_locals();
  find_blocks();
  begin_stack();
  take_formals();

  for (u32 i = 0; i < f_.insts.size() && why_.empty(); ++i) {
    inst_ = &f_.insts[i];
    inst_index_ = i;
    locate(i);
    if (blocks_[i]) {
      if (!builder_.GetInsertBlock()->getTerminator()) builder_.CreateBr(blocks_[i]);
      builder_.SetInsertPoint(blocks_[i]);
    } else if (builder_.GetInsertBlock()->getTerminator()) {
      // No label leads to this instruction.
      builder_.SetInsertPoint(llvm::BasicBlock::Create(shared_.context, "unreachable", function_));
    }
    if (!inst_->guard.predicate) {
      instruction();
      continue;
    }
    llvm::AllocaInst* predicate = registers_[inst_->guard.predicate.value];
    llvm::Value* guard = builder_.CreateLoad(predicate->getAllocatedType(), predicate);
    if (inst_->guard.negated) guard = builder_.CreateNot(guard);
    auto* run = llvm::BasicBlock::Create(shared_.context, "guarded", function_);
    auto* next = llvm::BasicBlock::Create(shared_.context, "next", function_);
    builder_.CreateCondBr(guard, run, next);
    builder_.SetInsertPoint(run);
    instruction();
    if (!builder_.GetInsertBlock()->getTerminator()) builder_.CreateBr(next);
    builder_.SetInsertPoint(next);
  }
  if (!why_.empty()) return why_;
  if (llvm::BasicBlock* last = blocks_[f_.insts.size()]) {
    if (!builder_.GetInsertBlock()->getTerminator()) builder_.CreateBr(last);
    builder_.SetInsertPoint(last);
  }
  if (!builder_.GetInsertBlock()->getTerminator()) builder_.CreateBr(exit_);
  builder_.SetInsertPoint(exit_);
  give_returns();
  give_back_stack();
  if (f_.is_entry)
    builder_.CreateRetVoid();
  else
    builder_.CreateRet(builder_.getFalse());
  entry_builder_.CreateBr(first);
  return {};
}

std::string lower(const Request& request, llvm::LLVMContext& context, ScalarKernel& kernel) {
  const ir::Module& module = *request.module;
  std::set<u32> pointed = find_pointed(module);
  std::erase_if(pointed, [&](u32 id) { return module.functions[id].is_entry; });
  const CallGraph graph(module, pointed, request.entry.value);
  if (std::string why = graph.why_not(); !why.empty()) return why;
  Shared shared{request,           kernel,
                context,           *kernel.module,
                *kernel.semantics, llvm::DIBuilder(*kernel.module),
                nullptr,           {},
                std::move(pointed)};
  shared.file = shared.debug.createFile(module.name, "");
  shared.debug.createCompileUnit(llvm::dwarf::DW_LANG_C, shared.file, "heddle", true, "", 0, "",
                                 llvm::DICompileUnit::LineTablesOnly);
  kernel.module->addModuleFlag(llvm::Module::Warning, "Debug Info Version",
                               llvm::DEBUG_METADATA_VERSION);
  u32 line = 0;
  for (const ir::Function& f : module.functions) {
    kernel.first_line.push_back(line);
    line += static_cast<u32>(f.insts.size());
  }
  for (const auto& [id, callees] : graph.calls()) {
    const ir::Function& f = module.functions[id];
    for (const ir::Inst& inst : f.insts) {
      shared.unusual_barriers |= is_unusual_barrier(f, inst);
      if (inst.get_form().effects().stack && !kernel.stack_pointer) {
        kernel.stack_pointer = kernel.locals.size();
        kernel.locals.push_back({8, 8});
      }
    }
    const std::size_t formals =
        f.is_entry ? 0 : f.signature.returns.size() + f.signature.params.size();
    // Functions return whether the thread has exited.
    auto* type = llvm::FunctionType::get(
        f.is_entry ? llvm::Type::getVoidTy(context) : llvm::Type::getInt1Ty(context),
        std::vector<llvm::Type*>(formals, llvm::PointerType::get(context, 0)), false);
    auto* function = llvm::Function::Create(
        type, f.is_entry ? llvm::Function::ExternalLinkage : llvm::Function::InternalLinkage,
        "ptx." + f.name, *kernel.module);
    function->setDoesNotThrow();
    shared.functions[id] = function;
    if (const auto scc = graph.scc_of(id)) kernel.recursive[function].scc = *scc;
  }
  for (const auto& [id, callees] : graph.calls()) {
    if (std::string why = FunctionLowering(shared, id).run(); !why.empty()) return why;
  }
  // Removes functions that only the fallback engine calls.
  for (const auto& [id, function] : shared.functions) {
    if (id == request.entry.value || !function->use_empty()) continue;
    kernel.recursive.erase(function);
    function->eraseFromParent();
  }
  kernel.function = shared.functions.at(request.entry.value);
  kernel.shared_bytes = request.shared->static_bytes;
  shared.debug.finalize();
  return {};
}

}  // namespace heddle::jit