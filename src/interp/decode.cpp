// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From the checked module to Ops: registers become places in the frame, immediates places in the
// constant block, addresses a base and an offset. Where an operand is wider than its instruction
// (PTX ISA 9.4.1), a width change goes before or after. A scalar .param variable that is only
// loaded, stored and passed whole becomes a register (7.1).
#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "interp/analysis/overwrites.h"
#include "interp/decoder.h"
#include "interp/stack_ops.h"
#include "ir/print.h"

namespace heddle::interp {

/// Finds the .param variables of one scalar element that are only loaded, stored, and passed whole.
void Decoder::find_promotable() {
  promoted_.assign(f_.locals.size(), kNoPlace);
  std::vector<bool> ok(f_.locals.size());
  for (u32 i = 0; i < f_.locals.size(); ++i) {
    const ir::Variable& local = f_.locals[i];
    ok[i] = local.space == ir::Space::param && !local.is_array && local.vector == 1 &&
            local.size <= 16 && local.size == bytes_of(local.type);
  }
  for (const ir::Inst& inst : f_.insts) {
    const isa::Form& form = inst.get_form();
    const isa::Access kind = form.effects().access;
    const bool access = kind == isa::Access::load || kind == isa::Access::store;
    for (u32 i = 0; i < inst.operands.count; ++i) {
      const Operand& operand = f_.operands[inst.operands.first + i];
      if (operand.kind != OperandKind::local) continue;
      if (form.effects().flow == isa::Flow::call)
        continue;  // arguments are elements of vector operands
      u32 accessed = 0;
      if (access && operand.is_address && operand.value == 0) {
        for (u32 j = 0; j < inst.operands.count; ++j) {
          const Operand& other = f_.operands[inst.operands.first + j];
          if (!other.is_address && other.kind != OperandKind::none &&
              other.kind != OperandKind::vector &&
              (form.operands[j].name == "d" || form.operands[j].name == "b")) {
            accessed = bytes_of(other.type);
          }
        }
      }
      if (accessed != f_.locals[operand.id].size) ok[operand.id] = false;
    }
  }
  for (u32 i = 0; i < f_.locals.size(); ++i) {
    if (ok[i]) promoted_[i] = take_register(f_.locals[i].type);
  }
}

/// By register: whether an instruction names it or a value is passed in it.
std::vector<bool> Decoder::find_named() const {
  std::vector<bool> named(f_.registers.size());
  for (const Operand& operand : f_.operands) {
    if (operand.kind == OperandKind::reg) named[operand.id] = true;
  }
  for (const ir::Inst& inst : f_.insts) {
    if (inst.guard.predicate) named[inst.guard.predicate.value] = true;
  }
  for (const auto* list : {&f_.signature.params, &f_.signature.returns}) {
    for (const ir::Parameter& parameter : *list) {
      if (parameter.in_register) named[parameter.reg.value] = true;
    }
  }
  return named;
}

/// A register that is only ever a copy of a special register gets that special register's place.
void Decoder::place_copies() {
  for (u32 i = 0; i < f_.insts.size(); ++i) {
    if (!scopes_.is_copy(i)) continue;
    const auto operands = operands_of(f_.insts[i]);
    registers_[operands[0].id] = special(operands[1]);
  }
}

/// Gives the brief registers places. A register of which lane 0 suffices shares its place with no
/// other: its other lanes are filled when the warp diverges, which can be at any instruction.
void Decoder::place_brief() {
  std::map<u32, std::vector<Place>> free;  // by size; the place freed last is in the cache
  const auto size = [&](u32 r) { return place_bytes(f_.registers[r].type); };
  for (u32 r = 0; r < lives_.size(); ++r) {
    if (!lives_[r].is_brief() || !leads_.suffices(r)) continue;
    registers_[r] = take_register(f_.registers[r].type);
    lives_[r] = {};
  }
  for (u32 i = 0; i < f_.insts.size(); ++i) {
    // A result never shares a place with a source: the instruction may write it before it has read
    // all sources.
    for_each_register(f_.insts[i], [&](const Operand& one, bool) {
      const Life& life = lives_[one.id];
      if (!life.is_brief() || life.first != i || registers_[one.id] != kNoPlace) return;
      std::vector<Place>& places = free[size(one.id)];
      if (places.empty()) places.push_back(take(size(one.id)));
      registers_[one.id] = places.back();
      places.pop_back();
    });
    const auto ends = [&](u32 id) {
      Life& life = lives_[id];
      if (!life.is_brief() || life.last != i) return;
      free[size(id)].push_back(registers_[id]);
      life = {};
    };
    if (f_.insts[i].guard.predicate) ends(f_.insts[i].guard.predicate.value);
    for_each_register(f_.insts[i], [&](const Operand& one, bool) { ends(one.id); });
  }
}

void Decoder::lay_out() {
  registers_.assign(f_.registers.size(), kNoPlace);
  place_copies();
  const std::vector<bool> named = find_named();
  for (u32 i = 0; i < f_.registers.size(); ++i) {
    if (registers_[i] == kNoPlace && named[i] && !lives_[i].is_brief()) {
      registers_[i] = take_register(f_.registers[i].type);
    }
  }
  find_promotable();
  u64 at = 0;
  for (u32 i = 0; i < f_.locals.size(); ++i) {
    const ir::Variable& local = f_.locals[i];
    const u64 align = std::max<u32>(local.align, 1);
    at = (at + align - 1) / align * align;
    local_offsets_.push_back(at);
    if (promoted_[i] == kNoPlace) at += local.size;
  }
  code_.moves_stack = std::ranges::any_of(
      f_.insts, [](const ir::Inst& inst) { return inst.get_form().effects().stack; });
  // Even a call that keeps nothing in memory uses some stack, so that endless recursion ends.
  code_.local_bytes =
      std::max<u64>((at + 15) / 16 * 16, f_.is_entry && !code_.moves_stack ? 0 : 16);
  if (code_.moves_stack && !f_.is_entry) code_.stack_at_entry = take(8);
  builder_.program.moves_stack |= code_.moves_stack;
  if (!f_.is_entry && f_.has_body) {
    for (const ir::Parameter& parameter : f_.signature.params)
      code_.params.push_back(slot_of(parameter));
    for (const ir::Parameter& parameter : f_.signature.returns)
      code_.returns.push_back(slot_of(parameter));
  }
}

Slot Decoder::slot_of(const ir::Parameter& parameter) const {
  Slot slot;
  slot.bytes = static_cast<u32>(parameter.size);
  if (parameter.in_register) {
    slot.place = registers_[parameter.reg.value];
    slot.bytes = place_bytes(f_.registers[parameter.reg.value].type);
  } else if (promoted_[parameter.local.value] != kNoPlace) {
    slot.place = promoted_[parameter.local.value];
  } else {
    slot.in_register = false;
    slot.offset = local_offsets_[parameter.local.value];
  }
  return slot;
}

void Decoder::lane_function(const isa::Form& form) {
  const u32 index = isa::dispatch_index(form, inst_->slots);
  HEDDLE_CHECK(index != isa::kNoDispatch && level_.lanes[index]);
  std::vector<Place> sources;
  std::vector<Target> targets;
  for (u32 i = 0; i < inst_->operands.count; ++i) {
    const Operand& one = operand(i);
    const bool carry = i >= form.operands.size();
    const bool written = carry ? form.carry == isa::CarryUse::out : form.operands[i].written;
    if (carry) {
      if (form.carry != isa::CarryUse::out) sources.push_back(source(one));
      if (form.carry != isa::CarryUse::in) targets.push_back(target(one));
    } else if (written) {
      for (const Operand& element : elements(one)) targets.push_back(target(element));
    } else {
      for (const Operand& element : elements(one)) sources.push_back(source(element));
    }
  }
  Op& op = emit_guarded(level_.lanes[index]);
  op.pure = true;
  HEDDLE_CHECK(sources.size() <= std::size(op.src) && targets.size() <= std::size(op.dst));
  std::copy(sources.begin(), sources.end(), op.src);
  for (std::size_t i = 0; i < targets.size(); ++i) op.dst[i] = targets[i].place;
  if (targets.size() == 2 && targets[1].unwanted) op.flags = kNoSecond;
  for (std::size_t i = 0; i < form.runtime_slots.size(); ++i)
    op.runtime[i] = inst_->slots[form.runtime_slots[i]];
  if (scope_ == Scope::warp) choose_by_lead(op, level_.lanes[index]);
  for (const Target& target : targets) finish(target);
}

void Decoder::instruction() {
  const isa::Form& form = inst_->get_form();
  switch (form.sem_kind) {
    case SemKind::lane:
      return lane_function(form);
    case SemKind::warp:
      return warp_function(form);
    case SemKind::memory:
    case SemKind::engine:
      break;
  }
  switch (form.sem_id) {
#define HEDDLE_HANDLER(name) \
  case SemId::name:          \
    return name();
#include "isa/handlers.inc"
#undef HEDDLE_HANDLER
    default:
      HEDDLE_UNREACHABLE();
  }
}

std::string Decoder::decode() {
  const std::vector<Join> joins = find_joins(f_, scopes_, lives_, shapes_, leads_, level_.joined);
  const std::vector<bool> pauses = find_overwrites(f_, scopes_);
  place_brief();
  list_affine();
  std::vector<u32> op_of_inst(f_.insts.size() + 1);
  u32 permanent = code_.register_bytes;
  u32 most = permanent;
  const std::size_t first_table = builder_.program.branch_tables.size();
  ops_ = &code_.ops;
  if (code_.moves_stack && !f_.is_entry) emit(interp::stack_save(8)).dst[0] = code_.stack_at_entry;
  for (u32 i = 0; i < f_.insts.size(); ++i) {
    inst_ = &f_.insts[i];
    inst_index_ = i;
    op_of_inst[i] = static_cast<u32>(code_.ops.size());
    scope_ = scopes_.of_inst(i);
    if (scope_ == Scope::instant) continue;
    ops_ = scope_ == Scope::warp ? &code_.ops : &code_.prologues[static_cast<u32>(scope_)].ops;
    // Scratch places live for one instruction. But where threads may wait within an instruction,
    // its scratch places stay taken, because other threads of the warp execute other instructions
    // meanwhile.
    const isa::Form& form = inst_->get_form();
    const bool waits = form.sem_kind == SemKind::warp || form.sem_kind == SemKind::engine ||
                       form.effects().aligned;
    code_.register_bytes = waits ? most : permanent;
    if (pauses[i]) emit_control(Control::pause);
    instruction();
    if (!why_.empty()) {
      return fmt::format("{}:{}: '{}' in '{}': {}", builder_.loaded.module().name, inst_->at.line,
                         ir::mnemonic(*inst_), f_.name, why_);
    }
    most = std::max(most, code_.register_bytes);
    if (waits) permanent = code_.register_bytes;
  }
  code_.register_bytes = (most + 63) / 64 * 64;
  code_.registers = registers_;
  op_of_inst[f_.insts.size()] = static_cast<u32>(code_.ops.size());
  ops_ = &code_.ops;
  inst_index_ = f_.insts.empty() ? 0 : static_cast<u32>(f_.insts.size() - 1);
  Op end;
  end.control = Control::finish;
  end.full = &full_control;
  end.inst = inst_index_;
  code_.ops.push_back(end);
  for (Prologue& prologue : code_.prologues) prologue.ops.push_back(end);
  for (u32 i = 0; i < code_.ops.size(); ++i) {
    Op& op = code_.ops[i];
    if (op.control != Control::bra) continue;
    op.target = op_of_inst[op.target];
    op.jump = static_cast<s32>(op.target) - static_cast<s32>(i);
  }
  for (std::size_t i = first_table; i < builder_.program.branch_tables.size(); ++i) {
    for (u32& target : builder_.program.branch_tables[i]) target = op_of_inst[target];
  }
  find_loops();
  if (!joins.empty() ||
      std::any_of(whole_.begin(), whole_.end(), [](FullHandler full) { return full; })) {
    code_.whole_ops = code_.ops;
    for (std::size_t i = 0; i < whole_.size(); ++i) {
      if (whole_[i]) code_.whole_ops[i].full = whole_[i];
    }
    apply_joins(joins, op_of_inst);
  }
  return {};
}

/// Marks instructions over the lanes of a warp that are in no loop: no backward branch spans them.
void Decoder::find_loops() {
  std::vector<Op>& ops = code_.ops;
  std::vector<u32> furthest(ops.size());  // the last Op that branches back to here, plus 1
  for (u32 i = 0; i < ops.size(); ++i) {
    const auto leads = [&](u64 target) {
      if (target <= i) furthest[target] = i + 1;
    };
    if (ops[i].control == Control::bra) leads(ops[i].target);
    if (ops[i].control != Control::brx_idx) continue;
    for (const u32 target : builder_.program.branch_tables[ops[i].table]) leads(target);
  }
  u32 end = 0;  // of the loops that have begun
  for (u32 i = 0; i < ops.size(); ++i) {
    end = std::max(end, furthest[i]);
    if (ops[i].control == Control::warp_op && i >= end) ops[i].flags |= kInNoLoop;
  }
}

namespace {

/// Whether a thread that executes the Op may branch back, or wait for another CTA.
bool may_linger(const Op& op) {
  switch (op.control) {
    case Control::bra:
      return op.jump <= 0;
    case Control::none:
    case Control::ret:
    case Control::exit:
    case Control::bar_sync:
    case Control::bar_arrive:
    case Control::bar_red:
    case Control::warp_barrier:
    case Control::warp_op:
    case Control::pause:
    case Control::trap:
    case Control::brkpt:
    case Control::refresh_special:
    case Control::finish:
      return false;
    case Control::brx_idx:
    case Control::call:
    case Control::nanosleep:
    case Control::mbarrier_wait:
    case Control::cluster_arrive:
    case Control::cluster_wait:
    case Control::try_cancel:
      return true;
  }
  HEDDLE_UNREACHABLE();
}

}  // namespace

Result<std::shared_ptr<const Interpreted>> decode(
    const std::shared_ptr<const machine::Loaded>& loaded, ir::FunctionId entry, const Level& level,
    std::optional<u32> rank) {
  auto program = std::make_shared<Interpreted>();
  program->loaded = loaded;
  program->entry = entry;
  program->level = &level;
  Builder builder{*program, level, *loaded, loaded->shared_layout(entry), rank};
  std::vector<Decoder> decoders;
  const std::vector<ir::FunctionId> functions = loaded->reachable(entry);
  decoders.reserve(functions.size());
  for (const ir::FunctionId id : functions) {
    auto code = std::make_unique<Code>();
    code->id = id;
    code->index = static_cast<u32>(program->codes.size());
    code->function = &loaded->module().functions[id.value];
    if (!code->function->has_body)
      code->system = machine::find_system_function(code->function->name);
    decoders.emplace_back(builder, *code).lay_out();
    program->codes[id.value] = std::move(code);
  }
  for (const auto& [id, code] : program->codes) program->local_bytes += code->local_bytes;
  program->calls = program->codes.size() > 1;
  for (Decoder& decoder : decoders) {
    if (std::string why = decoder.decode(); !why.empty()) return Error{std::move(why)};
  }
  program->straight = std::ranges::none_of(program->codes, [](const auto& code) {
    return std::ranges::any_of(code.second->ops, may_linger);
  });
  return std::shared_ptr<const Interpreted>(std::move(program));
}

const Interpreted& Interpreted::in_cluster(u32 rank) const {
  const std::lock_guard lock(mutex_);
  std::shared_ptr<const Interpreted>& program = in_cluster_[rank];
  if (!program) {
    auto decoded = decode(loaded, entry, *level, rank);
    HEDDLE_CHECK(decoded.ok());  // as this one was
    program = std::move(*decoded);
  }
  return *program;
}

}  // namespace heddle::interp
