// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a checked kernel to LLVM IR of one thread. Each PTX register is a variable (an alloca), each
// function an LLVM function; tidy() turns both into values.
#include <llvm/IR/DIBuilder.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Verifier.h>

#include <map>
#include <set>

#include <fmt/format.h>

#include "base/check.h"
#include "isa/groups.h"
#include "isa/sem/cache_control.h"
#include "isa/special_registers.h"
#include "jit/context.h"
#include "jit/llvm/scalar.h"
#include "jit/llvm/semantics.h"

namespace heddle::jit {

using ir::Operand;
using ir::OperandKind;
using isa::SemId;
using isa::SemKind;
using isa::Type;

llvm::StringRef machine_call(const llvm::Instruction& call) {
  const auto* one = llvm::dyn_cast<llvm::CallInst>(&call);
  if (!one || !one->getCalledFunction()) return {};
  llvm::StringRef name = one->getCalledFunction()->getName();
  if (!name.consume_front(kPrefix)) return {};
  const std::size_t types = name.find(':');
  return types == llvm::StringRef::npos ? name : name.take_front(types);
}

namespace {

bool is_predicate(Type type) { return type == Type::pred; }
unsigned bits_of(Type type) { return is_predicate(type) ? 1 : unsigned(isa::type_info(type).bits); }
bool is_signed(Type type) { return isa::type_info(type).cls == isa::TypeClass::signed_; }

bool is_ordered(u8 order) {
  using sem::Order;
  return order != static_cast<u8>(Order::none) && order != static_cast<u8>(Order::weak);
}

/// What all functions of a kernel share.
struct Shared {
  const Request& request;
  ScalarKernel& kernel;
  llvm::LLVMContext& context;
  llvm::Module& module;
  Semantics& semantics;
  llvm::DIBuilder debug;
  llvm::DIFile* file = nullptr;
  std::map<u32, llvm::Function*> functions;

  llvm::Function* declare(const std::string& name, llvm::Type* result,
                          llvm::ArrayRef<llvm::Type*> operands, bool pure) {
    auto* type = llvm::FunctionType::get(result, operands, false);
    auto* function =
        llvm::cast<llvm::Function>(module.getOrInsertFunction(kPrefix + name, type).getCallee());
    function->setDoesNotThrow();
    if (pure) {
      function->setDoesNotAccessMemory();
      function->setWillReturn();
      function->setSpeculatable();
    }
    return function;
  }
};

class FunctionLowering {
 public:
  FunctionLowering(Shared& shared, u32 id)
      : shared_(shared),
        id_(id),
        f_(shared.request.module->functions[id]),
        builder_(shared.context),
        entry_builder_(shared.context) {}

  std::string run();

 private:
  llvm::Type* integer(unsigned bits) { return builder_.getIntNTy(bits); }
  llvm::Value* constant(u32 value) { return builder_.getInt32(value); }

  llvm::AllocaInst* variable(llvm::Type* type, const std::string& name) {
    return entry_builder_.CreateAlloca(type, nullptr, name);
  }
  llvm::Value* call(const std::string& name, llvm::Type* result,
                    llvm::ArrayRef<llvm::Value*> operands, bool pure) {
    std::vector<llvm::Type*> types;
    for (llvm::Value* one : operands) types.push_back(one->getType());
    return builder_.CreateCall(shared_.declare(name, result, types, pure), operands);
  }
  llvm::Value* context_field(std::size_t offset, unsigned bits) {
    return call(bits == 64 ? "context.i64" : "context.i32", integer(bits),
                {constant(static_cast<u32>(offset))}, true);
  }

  u32 site() {
    Site site;
    site.sem = inst_->get_form().sem_id;
    site.function = id_;
    site.inst = inst_index_;
    site.space = static_cast<ir::Space>(inst_->space);
    shared_.kernel.sites.push_back(site);
    return static_cast<u32>(shared_.kernel.sites.size() - 1);
  }
  Site& site_of(u32 number) { return shared_.kernel.sites[number]; }

  const Operand& operand(u32 index) const { return f_.operands[inst_->operands.first + index]; }
  const Operand& operand(std::string_view name) const {
    const auto specs = inst_->get_form().operands;
    for (u32 i = 0; i < specs.size() && i < inst_->operands.count; ++i) {
      if (specs[i].name == name) return operand(i);
    }
    static const Operand none;
    return none;
  }
  u8 slot(std::string_view name) const {
    const auto slots = inst_->get_form().slots;
    for (u32 i = 0; i < slots.size(); ++i) {
      if (slots[i].name == name) return inst_->slots[i];
    }
    return 0;
  }
  std::span<const Operand> elements(const Operand& operand) const {
    if (operand.kind == OperandKind::vector)
      return std::span(f_.operands).subspan(operand.id, operand.value);
    return {&operand, 1};
  }

  llvm::Value* resize(llvm::Value* value, unsigned bits, bool sign) {
    return sign ? builder_.CreateSExtOrTrunc(value, integer(bits))
                : builder_.CreateZExtOrTrunc(value, integer(bits));
  }
  llvm::Value* special(const Operand& operand);
  llvm::Value* symbol_address(const Operand& operand);
  llvm::Value* value(const Operand& operand);
  llvm::Value* address(const Operand& operand);
  void write(const Operand& to, llvm::Value* value);
  llvm::Value* local_storage(const Operand& operand);

  void fail(std::string why) {
    if (why_.empty()) {
      why_ = fmt::format("{}:{}: {}", shared_.request.module->name,
                         inst_ ? inst_->at.line : f_.at.line, std::move(why));
    }
  }

  void find_blocks();
  void instruction();
  void lane_instruction();
  std::vector<llvm::Value*> join(const std::vector<llvm::Value*>& words, unsigned bits);
  std::vector<llvm::Value*> split(const std::vector<llvm::Value*>& numbers, unsigned bits);
  u32 access_site(unsigned bits, std::size_t words);
  void load();
  void store();
  void convert_address();
  void is_space();
  void pack();
  void unpack();
  void move_vector();
  void branch();
  void branch_indexed();
  void call_function();
  void barrier();
  void atomic(bool returns);
  void warp_operation();
  void fence();
  void trap();
  void leave();

  Shared& shared_;
  const u32 id_;
  const ir::Function& f_;
  llvm::Function* function_ = nullptr;
  llvm::IRBuilder<> builder_, entry_builder_;
  std::vector<llvm::AllocaInst*> registers_;
  std::vector<llvm::Value*> locals_;       // storage of .param variables
  std::vector<u64> local_offsets_;         // of .local variables
  std::vector<llvm::BasicBlock*> blocks_;  // by instruction: where a block begins
  llvm::BasicBlock* exit_ = nullptr;
  const ir::Inst* inst_ = nullptr;
  u32 inst_index_ = 0;
  std::string why_;
};

// --- operands ---

llvm::Value* FunctionLowering::special(const Operand& operand) {
  using isa::SpecialRegister;
  const auto reg = static_cast<SpecialRegister>(operand.id);
  const u32 component = operand.component;
  const unsigned bits = bits_of(isa::special_register_info(reg).type);
  const machine::Dim3& block = shared_.request.block;
  const u32 size[] = {block.x, block.y, block.z, 1};
  // What LLVM may count on.
  const auto below = [&](u32 bound, llvm::Value* value) {
    llvm::cast<llvm::CallInst>(value)->setMetadata(
        llvm::LLVMContext::MD_range,
        llvm::MDBuilder(shared_.context).createRange(llvm::APInt(32, 0), llvm::APInt(32, bound)));
    return value;
  };
  const auto lane_mask = [&](auto make) {
    llvm::Value* lane = call("lane", integer(32), {}, true);
    return make(builder_.CreateShl(constant(1), lane));
  };
  switch (reg) {
    case SpecialRegister::tid:
      if (component >= 3) return constant(0);
      return below(size[component], call("tid", integer(32), {constant(component)}, true));
    case SpecialRegister::ntid:
      return constant(size[component]);
    case SpecialRegister::laneid:
      return below(kLanes, call("lane", integer(32), {}, true));
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
      if (bits == 1) {
        fail("this special register is not compiled");
        return builder_.getFalse();
      }
      const u32 number = site();
      llvm::Value* all = call("special:i64", integer(64),
                              {constant(number), constant(operand.id << 2 | component)}, false);
      return resize(all, bits, false);
    }
  }
}

/// The address of a symbol, in its own state space.
llvm::Value* FunctionLowering::symbol_address(const Operand& operand) {
  switch (operand.kind) {
    case OperandKind::variable: {
      const ir::Variable& variable = shared_.request.module->variables[operand.id];
      if (variable.space == ir::Space::shared)
        return builder_.getInt64(shared_.request.shared->offset.at(operand.id) + operand.value);
      auto& symbols = shared_.kernel.symbols;
      const auto found = std::find(symbols.begin(), symbols.end(), operand.id);
      const u32 index = static_cast<u32>(found - symbols.begin());
      if (found == symbols.end()) symbols.push_back(operand.id);
      return builder_.CreateAdd(call("symbol", integer(64), {constant(index)}, true),
                                builder_.getInt64(operand.value));
    }
    case OperandKind::local:
      if (f_.locals[operand.id].space != ir::Space::local)
        fail("the address of a parameter is taken");
      return builder_.getInt64(local_offsets_[operand.id] + operand.value);
    case OperandKind::function:
      fail("the address of a function is taken");
      return builder_.getInt64(0);
    default:
      return builder_.getInt64(operand.value);  // immediate; parameter: offset in the block
  }
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
  }
  if (predicate) return operand.negated ? builder_.CreateNot(from) : from;
  return resize(from, bits, false);
}

/// An address operand as i64, counted from the start of its window.
llvm::Value* FunctionLowering::address(const Operand& operand) {
  if (operand.kind != OperandKind::reg) {
    if (operand.kind == OperandKind::special)
      return builder_.CreateAdd(resize(special(operand), 64, false),
                                builder_.getInt64(operand.value));
    return symbol_address(operand);
  }
  llvm::Value* base =
      builder_.CreateLoad(registers_[operand.id]->getAllocatedType(), registers_[operand.id]);
  const unsigned bits = base->getType()->getIntegerBitWidth();
  llvm::Value* sum =
      operand.value ? builder_.CreateAdd(base, llvm::ConstantInt::get(integer(bits), operand.value))
                    : base;
  return resize(sum, 64, false);
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

void FunctionLowering::lane_instruction() {
  const isa::Form& form = inst_->get_form();
  const u32 index = isa::dispatch_index(form, inst_->slots);
  HEDDLE_CHECK(index != isa::kNoDispatch);
  const LaneFunction& lane = shared_.semantics.lane(index);
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
  auto results = shared_.semantics.emit(lane, sources, builder_, entry_builder_);
  HEDDLE_CHECK(targets.size() <= results.size());
  for (std::size_t i = 0; i < targets.size(); ++i) {
    if (lane.late_canonical) {
      llvm::Value* raw = builder_.CreateBitCast(results[i], builder_.getFloatTy());
      results[i] = builder_.CreateBitCast(call("canonical:f32", builder_.getFloatTy(), {raw}, true),
                                          integer(32));
    } else if (is_predicate(targets[i]->type)) {
      results[i] = builder_.CreateTrunc(results[i], integer(1));
    }
  }
  for (std::size_t i = 0; i < targets.size(); ++i) write(*targets[i], results[i]);
}

/// Where a .param variable of a function lies, or null.
llvm::Value* FunctionLowering::local_storage(const Operand& operand) {
  if (operand.kind != OperandKind::local || f_.locals[operand.id].space == ir::Space::local)
    return nullptr;
  return builder_.CreateConstInBoundsGEP1_64(builder_.getInt8Ty(), locals_[operand.id],
                                             operand.value);
}

/// Accesses are made of words of 64 bits at most.
constexpr unsigned kWordBits = 64;

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

/// A site for `words` words of `bits` bits.
u32 FunctionLowering::access_site(unsigned bits, std::size_t words) {
  const u32 number = site();
  Site& site = site_of(number);
  site.bytes = static_cast<u8>(bits / 8);
  site.count = static_cast<u8>(words);
  site.ordered = is_ordered(slot("order"));
  return number;
}

void FunctionLowering::load() {
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
  } else if (a.kind == OperandKind::parameter) {
    for (std::size_t i = 0; i < count; ++i) {
      words.push_back(call(fmt::format("param:i{}", bits), word,
                           {constant(static_cast<u32>(a.value + i * bits / 8))}, true));
    }
  } else {
    if (static_cast<ir::Space>(inst_->space) == ir::Space::param)
      return fail("an indexed parameter");
    const u32 number = access_site(bits, count);
    if (whole > bits && site_of(number).ordered)
      return fail("ordered 128-bit accesses are not compiled");
    llvm::Type* result =
        count == 1 ? word
                   : llvm::StructType::get(shared_.context, std::vector<llvm::Type*>(count, word));
    llvm::Value* loaded = call(fmt::format("load:{}.i{}", count, bits), result,
                               {constant(number), address(a)}, false);
    for (unsigned i = 0; i < count; ++i)
      words.push_back(count == 1 ? loaded : builder_.CreateExtractValue(loaded, i));
  }
  const auto values = join(words, whole);
  for (std::size_t i = 0; i < d.size(); ++i) write(d[i], values[i]);
}

void FunctionLowering::store() {
  const Operand& a = operand("a");
  const auto b = elements(operand("b"));
  const unsigned whole = bits_of(b[0].type), bits = std::min(whole, kWordBits);
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
  if (static_cast<ir::Space>(inst_->space) == ir::Space::param)
    return fail("a store to a parameter");
  const u32 number = access_site(bits, words.size());
  if (whole > bits && site_of(number).ordered)
    return fail("ordered 128-bit accesses are not compiled");
  std::vector<llvm::Value*> operands = {constant(number), address(a)};
  operands.insert(operands.end(), words.begin(), words.end());
  call(fmt::format("store:{}.i{}", words.size(), bits), builder_.getVoidTy(), operands, false);
}

void FunctionLowering::convert_address() {
  const Operand& d = operand("d");
  llvm::Value* from = value(operand("a"));
  const bool to = slot("to") != 0;
  if (slot("ss") == static_cast<u8>(sem::Ss::shared_cluster))
    return fail("addresses of a cluster's shared memory are not compiled");
  llvm::Value* base = nullptr;
  switch (static_cast<ir::Space>(inst_->space)) {
    case ir::Space::shared:
      base = context_field(offsetof(Context, shared_base), 64);
      break;
    case ir::Space::local:
      base = call("local.base", integer(64), {}, true);
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

void FunctionLowering::pack() {
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

void FunctionLowering::unpack() {
  const auto d = elements(operand("d"));
  llvm::Value* from = value(operand("a"));
  const unsigned whole = from->getType()->getIntegerBitWidth(),
                 part = whole / static_cast<unsigned>(d.size());
  std::vector<llvm::Value*> pieces;
  for (std::size_t i = 0; i < d.size(); ++i)
    pieces.push_back(resize(builder_.CreateLShr(from, i * part), part, false));
  for (std::size_t i = 0; i < d.size(); ++i) write(d[i], pieces[i]);
}

void FunctionLowering::move_vector() {
  const auto d = elements(operand("d"));
  const auto a = elements(operand("a"));
  std::vector<llvm::Value*> values;
  for (const Operand& element : a) values.push_back(value(element));
  for (std::size_t i = 0; i < d.size() && i < values.size(); ++i) write(d[i], values[i]);
}

void FunctionLowering::branch() { builder_.CreateBr(blocks_[operand(0).id]); }

void FunctionLowering::branch_indexed() {
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
}

void FunctionLowering::trap() {
  call("trap", builder_.getVoidTy(), {constant(site())}, false);
  leave();
}

void FunctionLowering::fence() {
  // A CTA runs on one host thread, which sees its own accesses in order.
  const auto scope = static_cast<sem::Fencescope>(slot("fencescope"));
  if (scope == sem::Fencescope::cta || scope == sem::Fencescope::cluster) return;
  const bool all = inst_->get_form().opcode == "membar" ||
                   static_cast<sem::Fencesem>(slot("fencesem")) == sem::Fencesem::sc;
  call("fence", builder_.getVoidTy(), {builder_.getInt1(all)}, false);
}

void FunctionLowering::atomic(bool returns) {
  const auto b = elements(operand("b"));
  const Operand& c = operand("c");
  const auto d = elements(operand("d"));
  const unsigned bits = bits_of(b[0].type);
  if (bits > 64) return fail("128-bit accesses are not compiled");
  const u32 number = site();
  Site& site = site_of(number);
  site.type = b[0].type;
  site.bytes = static_cast<u8>(bits / 8);
  site.count = static_cast<u8>(b.size());
  const u8 chosen = slot("atomop");
  site.op = chosen ? chosen : static_cast<u8>(sem::Atomop::add);
  std::vector<llvm::Value*> operands = {constant(number), address(operand("a"))};
  for (const Operand& element : b) operands.push_back(value(element));
  if (c.kind != OperandKind::none) operands.push_back(value(c));
  llvm::Type* element = integer(bits);
  llvm::Type* result =
      b.size() == 1
          ? element
          : llvm::StructType::get(shared_.context, std::vector<llvm::Type*>(b.size(), element));
  llvm::Value* old = call(fmt::format("atomic:{}.{}.i{}", b.size(), operands.size(), bits), result,
                          operands, false);
  if (!returns) return;
  for (std::size_t i = 0; i < b.size() && i < d.size(); ++i)
    write(d[i], b.size() == 1 ? old : builder_.CreateExtractValue(old, static_cast<unsigned>(i)));
}

void FunctionLowering::warp_operation() {
  const isa::Form& form = inst_->get_form();
  const u32 number = site();
  std::vector<llvm::Value*> operands = {constant(number)};
  std::vector<const Operand*> targets;
  std::vector<llvm::Type*> results;
  std::string name = "warp_op:";
  for (std::size_t i = 0; i < form.runtime_slots.size(); ++i)
    site_of(number).runtime[i] = inst_->slots[form.runtime_slots[i]];
  for (u32 i = 0; i < form.operands.size() && i < inst_->operands.count; ++i) {
    const Operand& one = operand(i);
    if (form.operands[i].written) {
      // Left out, or a second result that nobody wants.
      if (one.type == Type::none || (!targets.empty() && one.kind == OperandKind::none)) continue;
      targets.push_back(&one);
      results.push_back(integer(bits_of(one.type)));
      name += fmt::format("r{}", bits_of(one.type));
    } else {
      if (form.operands[i].name == "m") site_of(number).has_members = true;
      operands.push_back(value(one));
      name += fmt::format("i{}", operands.back()->getType()->getIntegerBitWidth());
    }
  }
  llvm::Type* result =
      results.size() == 1 ? results[0] : llvm::StructType::get(shared_.context, results);
  llvm::Value* all = call(name, result, operands, false);
  llvm::cast<llvm::CallInst>(all)->getCalledFunction()->setConvergent();
  for (std::size_t i = 0; i < targets.size(); ++i)
    write(*targets[i],
          results.size() == 1 ? all : builder_.CreateExtractValue(all, static_cast<unsigned>(i)));
}

void FunctionLowering::call_function() {
  const isa::Form& form = inst_->get_form();
  std::vector<llvm::Value*> arguments;
  std::vector<std::pair<const Operand*, llvm::AllocaInst*>> returned;
  const Operand* callee = nullptr;
  for (u32 i = 0; i < inst_->operands.count && i < form.operands.size(); ++i) {
    const Operand& one = operand(i);
    const std::string_view name = form.operands[i].name;
    if (name == "f") callee = &one;
    if ((name != "d" && name != "a") || one.kind == OperandKind::none) continue;
    for (const Operand& element : elements(one)) {
      if (llvm::Value* storage = local_storage(element)) {
        arguments.push_back(storage);
        continue;
      }
      const unsigned bits =
          std::max(8u, element.kind == OperandKind::reg ? bits_of(f_.registers[element.id].type)
                                                        : bits_of(element.type));
      auto* place = variable(integer(bits), "argument");
      if (name == "d")
        returned.emplace_back(&element, place);
      else
        builder_.CreateStore(resize(value(element), bits, false), place);
      arguments.push_back(place);
    }
  }
  HEDDLE_CHECK(callee);
  if (callee->kind != OperandKind::function) return fail("indirect calls are not compiled");
  const auto found = shared_.functions.find(callee->id);
  if (found == shared_.functions.end())
    return fail(fmt::format("calls of '{}' are not compiled",
                            shared_.request.module->functions[callee->id].name));
  if (found->second->arg_size() != arguments.size())
    return fail("a call that does not match its function");
  builder_.CreateCall(found->second, arguments);
  for (const auto& [to, place] : returned) {
    llvm::Value* loaded = builder_.CreateLoad(place->getAllocatedType(), place);
    if (to->kind == OperandKind::reg && is_predicate(f_.registers[to->id].type))
      loaded = builder_.CreateTrunc(loaded, integer(1));
    write(*to, loaded);
  }
}

void FunctionLowering::barrier() {
  const isa::Form& form = inst_->get_form();
  const bool arrive = form.sem_id == SemId::bar_arrive;
  if (form.sem_id != SemId::bar_sync || arrive)
    return fail("this barrier instruction is not compiled");
  if (operand("b").kind != OperandKind::none)
    return fail("barriers with a thread count are not compiled");
  Operand number = operand("a");
  if (number.kind != OperandKind::immediate)
    return fail("a barrier with a number from a register is not compiled");
  if (number.type == Type::none) number.type = Type::u32;
  const u32 at = site();
  auto* made = llvm::cast<llvm::CallInst>(
      call("barrier", builder_.getVoidTy(), {constant(at), value(number)}, false));
  made->getCalledFunction()->setConvergent();
}

void FunctionLowering::leave() { builder_.CreateBr(exit_); }

void FunctionLowering::instruction() {
  const isa::Form& form = inst_->get_form();
  switch (form.sem_kind) {
    case SemKind::lane:
      return lane_instruction();
    case SemKind::warp:
      return warp_operation();
    case SemKind::pending:
      return fail(fmt::format("'{}' is not compiled", form.opcode));
    default:
      break;
  }
  switch (form.sem_id) {
    case SemId::ld:
      return load();
    case SemId::st:
      return store();
    case SemId::atom:
      return atomic(true);
    case SemId::red:
      return atomic(false);
    case SemId::cvta:
      return convert_address();
    case SemId::fence:
      return fence();
    case SemId::warp_barrier:
      // The lanes of a warp run together; vectorize() sees to it that they do here.
      call("warp_barrier", builder_.getVoidTy(), {value(operand("m"))}, false);
      return;
    case SemId::policy:
      return write(operand("d"), builder_.getInt64(sem::kCachePolicy));
    case SemId::trap:
    case SemId::brkpt:
      return trap();
    case SemId::mov_pack:
      return pack();
    case SemId::mov_unpack:
      return unpack();
    case SemId::mov_vector:
      return move_vector();
    case SemId::bra:
      return branch();
    case SemId::brx_idx:
      return branch_indexed();
    case SemId::call:
      return call_function();
    case SemId::ret:
      return leave();
    case SemId::exit:
      if (!f_.is_entry) return fail("'exit' outside of the kernel is not compiled");
      return leave();
    case SemId::bar_sync:
    case SemId::bar_arrive:
    case SemId::bar_red:
    case SemId::bar_red_popc:
      return barrier();
    case SemId::prefetch:
    case SemId::nop:
    case SemId::pmevent:
    case SemId::pmevent_mask:
    case SemId::proxy_fence:
      return;
    default:
      return fail(fmt::format("'{}' is not compiled", form.opcode));
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
  exit_ = llvm::BasicBlock::Create(shared_.context, "exit", function_);
}

std::string FunctionLowering::run() {
  function_ = shared_.functions.at(id_);
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
  locals_.assign(f_.locals.size(), nullptr);
  local_offsets_.assign(f_.locals.size(), 0);
  for (std::size_t i = 0; i < f_.locals.size(); ++i) {
    const ir::Variable& local = f_.locals[i];
    if (local.space == ir::Space::local) {
      u64& end = shared_.kernel.local_bytes;
      end = (end + local.align - 1) / local.align * local.align;
      local_offsets_[i] = end;
      end += local.size;
    } else {
      auto* storage = variable(
          llvm::ArrayType::get(builder_.getInt8Ty(), std::max<u64>(local.size, 1)), "local");
      storage->setAlignment(llvm::Align(16));
      locals_[i] = storage;
    }
  }
  find_blocks();
  // Formals.
  unsigned argument = 0;
  std::vector<std::pair<const ir::Parameter*, llvm::Value*>> returns;
  if (!f_.is_entry) {
    for (const ir::Parameter& formal : f_.signature.returns) {
      llvm::Value* place = function_->getArg(argument++);
      if (formal.in_register)
        returns.emplace_back(&formal, place);
      else
        locals_[formal.local.value] = place;
    }
    for (const ir::Parameter& formal : f_.signature.params) {
      llvm::Value* place = function_->getArg(argument++);
      if (!formal.in_register) {
        locals_[formal.local.value] = place;
        continue;
      }
      llvm::Type* type = registers_[formal.reg.value]->getAllocatedType();
      llvm::Value* loaded =
          builder_.CreateLoad(integer(std::max(8u, type->getIntegerBitWidth())), place);
      builder_.CreateStore(builder_.CreateTrunc(loaded, type), registers_[formal.reg.value]);
    }
  }

  for (u32 i = 0; i < f_.insts.size() && why_.empty(); ++i) {
    inst_ = &f_.insts[i];
    inst_index_ = i;
    locate(i);
    if (blocks_[i]) {
      if (!builder_.GetInsertBlock()->getTerminator()) builder_.CreateBr(blocks_[i]);
      builder_.SetInsertPoint(blocks_[i]);
    } else if (builder_.GetInsertBlock()->getTerminator()) {
      // What no label leads to.
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
  for (const auto& [formal, place] : returns) {
    llvm::AllocaInst* from = registers_[formal->reg.value];
    llvm::Value* loaded = builder_.CreateLoad(from->getAllocatedType(), from);
    builder_.CreateStore(
        resize(loaded, std::max(8u, loaded->getType()->getIntegerBitWidth()), false), place);
  }
  builder_.CreateRetVoid();
  entry_builder_.CreateBr(first);
  return {};
}

/// Functions that the kernel calls, or why they cannot be compiled with it.
std::string find_called(const ir::Module& module, u32 id, std::vector<u32>& path,
                        std::set<u32>& found) {
  if (std::find(path.begin(), path.end(), id) != path.end()) return "recursion is not compiled";
  path.push_back(id);
  found.insert(id);
  const ir::Function& f = module.functions[id];
  for (const ir::Inst& inst : f.insts) {
    if (inst.get_form().sem_id != SemId::call) continue;
    for (const Operand& one :
         std::span(f.operands).subspan(inst.operands.first, inst.operands.count)) {
      if (one.kind != OperandKind::function || !module.functions[one.id].has_body) continue;
      if (std::string why = find_called(module, one.id, path, found); !why.empty()) return why;
    }
  }
  path.pop_back();
  return {};
}

}  // namespace

std::string lower(const Request& request, llvm::LLVMContext& context, ScalarKernel& kernel) {
  const ir::Module& module = *request.module;
  if (module.address_size != 64) return "modules with 32-bit addresses are not compiled";
  std::vector<u32> path;
  std::set<u32> called;
  if (std::string why = find_called(module, request.entry.value, path, called); !why.empty())
    return why;
  Shared shared{
      request, kernel, context, *kernel.module, *kernel.semantics, llvm::DIBuilder(*kernel.module),
      nullptr, {}};
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
  for (u32 id : called) {
    const ir::Function& f = module.functions[id];
    const std::size_t formals =
        f.is_entry ? 0 : f.signature.returns.size() + f.signature.params.size();
    if (f.is_entry && id != request.entry.value)
      return "a kernel that calls a kernel is not compiled";
    auto* type = llvm::FunctionType::get(
        llvm::Type::getVoidTy(context),
        std::vector<llvm::Type*>(formals, llvm::PointerType::get(context, 0)), false);
    auto* function = llvm::Function::Create(
        type, f.is_entry ? llvm::Function::ExternalLinkage : llvm::Function::InternalLinkage,
        "ptx." + f.name, *kernel.module);
    function->setDoesNotThrow();
    shared.functions[id] = function;
  }
  for (u32 id : called) {
    if (std::string why = FunctionLowering(shared, id).run(); !why.empty()) return why;
  }
  kernel.function = shared.functions.at(request.entry.value);
  shared.debug.finalize();
  kernel.local_bytes = (kernel.local_bytes + 15) / 16 * 16;
  return {};
}

}  // namespace heddle::jit
