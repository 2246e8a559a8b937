// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which consecutive instructions one handler executes (joined.h): a load and the arithmetic on the
// loaded value; two instructions of arithmetic, or one and a comparison; and sums of products. An
// intermediate value never gets to the frame, so no other instruction may read it.
#include "interp/analysis/joins.h"

#include <algorithm>
#include <array>
#include <optional>

#include "interp/analysis/instruction.h"

namespace heddle::interp {
namespace {

/// The comparison of b and a that has the result of `cmp` of a and b.
sem::Cmp mirrored(sem::Cmp cmp) {
  using enum sem::Cmp;
  switch (cmp) {
    case lt:
      return gt;
    case le:
      return ge;
    case gt:
      return lt;
    case ge:
      return le;
    case ltu:
      return gtu;
    case leu:
      return geu;
    case gtu:
      return ltu;
    case geu:
      return leu;
    default:
      return cmp;
  }
}

/// Two loads, and the fma that adds the product of the loaded numbers.
struct Product {
  std::array<u32, 2> base;  ///< registers
  std::array<bool, 2> wide;
  bool first_is_same;
  u32 from, sum;  ///< registers
};

class JoinFinder {
 public:
  JoinFinder(const ir::Function& function, const Scopes& scopes, const std::vector<Life>& lives,
             const Shapes& shapes, const Leads& leads, const JoinedHandlers& handlers)
      : f_(function),
        scopes_(scopes),
        lives_(lives),
        shapes_(shapes),
        leads_(leads),
        handlers_(handlers) {}
  std::vector<Join> find() const;

 private:
  const Operand& operand(u32 index, auto which) const {
    return ir::operand_of(f_, f_.insts[index], which);
  }
  u8 slot(u32 index, std::string_view name) const { return ir::slot_of(f_.insts[index], name); }
  bool is_register(const Operand& operand, u32 bytes) const {
    return operand.kind == OperandKind::reg && bytes_of(f_.registers[operand.id].type) == bytes;
  }
  u32 source_that_is(u32 index, u32 id) const {
    return find_source(f_, f_.insts[index], [&](u32 one) { return one == id; });
  }
  bool is_wide_base(const Operand& a) const;
  bool is_only_for(u32 writer, u32 reader, u32 id) const;
  bool is_vector_arithmetic(u32 index) const;
  bool loads_affine(u32 index, bool same) const;
  std::optional<Arithmetic> plain_arithmetic(u32 index) const;
  Join join_load(u32 index) const;
  Join join_pair(u32 index) const;
  std::optional<Product> product_at(u32 index) const;
  Join join_products(u32 index) const;

  const ir::Function& f_;
  const Scopes& scopes_;
  const std::vector<Life>& lives_;
  const Shapes& shapes_;
  const Leads& leads_;
  const JoinedHandlers& handlers_;
  const std::vector<bool> targets_ = find_targets(f_);
};

/// Whether no instruction but `reader`, which comes after the writer, reads the value that the
/// writer gives the register, and `reader` has it as one source only.
bool JoinFinder::is_only_for(u32 writer, u32 reader, u32 id) const {
  const Life& life = lives_[id];
  for (u32 i = writer + 1; i < f_.insts.size(); ++i) {
    if (life.is_brief() && i > life.last) return true;
    const ir::Inst& inst = f_.insts[i];
    // Behind a branch, and in front of a label, other instructions may read or write the register.
    const bool straight = !targets_[i] && inst.get_form().sem_kind != SemKind::engine;
    if (!life.is_brief() && !straight) return false;
    u32 reads = 0;
    bool written = false;
    for_each_register(f_, inst, [&](const Operand& one, bool writes) {
      if (one.id != id) return;
      if (writes)
        written = true;
      else
        ++reads;
    });
    if (reads > (i == reader ? 1 : 0)) return false;
    if (written) return !inst.guard.predicate;
  }
  return false;
}

/// An absolute address has a zero of 64 bits as its base.
bool JoinFinder::is_wide_base(const Operand& a) const {
  return a.kind != OperandKind::reg || is_register(a, 8);
}

/// Whether the instruction is f32 arithmetic that each warp executes for all lanes.
bool JoinFinder::is_vector_arithmetic(u32 index) const {
  const LeadInst& lead = leads_.of_inst(index);
  return lead.usual && !lead.leads && scopes_.of_inst(index) == Scope::warp;
}

/// Whether the instruction loads 32 bits per lane from affine addresses: consecutive ones, or
/// (`same`) one address, and only lane 0 of the register is filled.
bool JoinFinder::loads_affine(u32 index, bool same) const {
  const LeadInst& lead = leads_.of_inst(index);
  if (!is_load(f_.insts[index]) || !lead.affine_address || scopes_.of_inst(index) != Scope::warp)
    return false;
  const Operand& d = operand(index, "d");
  if (bytes_of(d.type) != 4 || !is_register(d, 4)) return false;
  const Shape address = shapes_.of_source(operand(index, "a"));
  return same ? lead.leads && address.is_uniform() : address.stride != 0;
}

/// Without `.ftz` and `.sat`.
std::optional<Arithmetic> JoinFinder::plain_arithmetic(u32 index) const {
  if (!is_vector_arithmetic(index) || slot(index, "ftz") || slot(index, "sat")) return {};
  const std::string_view sem = f_.insts[index].get_form().sem;
  if (sem == "add_f32") return Arithmetic::add;
  if (sem == "sub_f32") return Arithmetic::sub;
  if (sem == "mul_f32") return Arithmetic::mul;
  if (sem == "fma_f32") return Arithmetic::fma;
  return {};
}

/// A load and the usual arithmetic after it.
Join JoinFinder::join_load(u32 index) const {
  Join none, join{Join::Kind::load, index, 2};
  if (!loads_affine(index, false) || !is_vector_arithmetic(index + 1)) return none;
  const u32 id = operand(index, "d").id;
  const u32 loaded = source_that_is(index + 1, id);
  if (loaded == kNoSource || !is_only_for(index, index + 1, id)) return none;
  const LeadInst& second = leads_.of_inst(index + 1);
  const bool wide = is_wide_base(operand(index, "a"));
  join.full = second.usual->loading[wide][loaded][second.spread];
  return join;
}

/// Two instructions of arithmetic, or one and a comparison.
Join JoinFinder::join_pair(u32 index) const {
  Join none, join{Join::Kind::pair, index, 2};
  const u32 next = index + 1;
  const auto first = plain_arithmetic(index);
  if (!first || leads_.of_inst(index).spread != kNoSource) return none;
  const Operand& d = operand(index, 0u);
  if (!is_register(d, 4) || !is_only_for(index, next, d.id)) return none;
  const u32 row = static_cast<u32>(*first);
  if (const auto second = plain_arithmetic(next)) {
    join.made = source_that_is(next, d.id);
    if (join.made == kNoSource || leads_.of_inst(next).spread != kNoSource) return none;
    join.full = handlers_.arithmetic[row][static_cast<u32>(*second)][join.made];
    return join;
  }
  const ir::Inst& inst = f_.insts[next];
  if (inst.get_form().sem != "setp" || operand(next, "a").type != Type::f32 || slot(next, "ftz") ||
      inst.guard.predicate || leads_.of_inst(next).leads)
    return none;
  const auto is_made = [&](const Operand& one) {
    return one.kind == OperandKind::reg && one.id == d.id;
  };
  const bool a_is_made = is_made(operand(next, "a"));
  if (!a_is_made && !is_made(operand(next, "b"))) return none;
  join.made = a_is_made ? 0 : 1;
  const auto cmp = static_cast<sem::Cmp>(slot(next, "cmp"));
  join.full = handlers_.comparison[row][static_cast<u32>(a_is_made ? cmp : mirrored(cmp))];
  return join;
}

/// The product of a sum that begins or continues with this instruction.
std::optional<Product> JoinFinder::product_at(u32 index) const {
  const u32 fma = index + 2;
  if (fma >= f_.insts.size()) return {};
  const bool first_is_same = loads_affine(index, true);
  if (!first_is_same && !loads_affine(index, false)) return {};
  if (!loads_affine(index + 1, !first_is_same)) return {};
  if (plain_arithmetic(fma) != Arithmetic::fma) return {};
  const Operand& a = operand(index, "a");
  const Operand& b = operand(index + 1, "a");
  const u32 first = operand(index, "d").id, second = operand(index + 1, "d").id;
  if (first == second || a.kind != OperandKind::reg || b.kind != OperandKind::reg) return {};
  const Operand& sum = operand(fma, 0u);
  const Operand& from = operand(fma, 3u);
  for (const Operand* one : {&sum, &from}) {
    if (!is_register(*one, 4) || one->id == a.id || one->id == b.id) return {};
  }
  // The factors are sources 0 and 1.
  if (std::max(source_that_is(fma, first), source_that_is(fma, second)) != 1) return {};
  if (!is_only_for(index, fma, first) || !is_only_for(index + 1, fma, second)) return {};
  return Product{{a.id, b.id}, {is_wide_base(a), is_wide_base(b)}, first_is_same, from.id, sum.id};
}

/// A sum of products, as long as its products have the same bases and order.
Join JoinFinder::join_products(u32 index) const {
  const auto first = product_at(index);
  if (!first) return {};
  Join join{Join::Kind::products, index, 3};
  join.first_is_same = first->first_is_same;
  Product last = *first;
  while (true) {
    const u32 at = index + join.insts;
    const auto next = product_at(at);
    if (!next || next->base != first->base || next->first_is_same != first->first_is_same ||
        next->from != last.sum || targets_[at])
      break;
    if (next->sum != last.sum && !is_only_for(at - 1, at + 2, last.sum)) break;
    join.insts += 3;
    last = *next;
  }
  if (join.insts > 3)
    join.full = handlers_.products[first->wide[0]][first->wide[1]][first->first_is_same];
  return join;
}

std::vector<Join> JoinFinder::find() const {
  std::vector<Join> joins;
  for (u32 i = 0; i + 1 < f_.insts.size(); ++i) {
    Join join = join_products(i);
    if (!join.full) join = join_load(i);
    if (!join.full) join = join_pair(i);
    if (!join.full) continue;
    joins.push_back(join);
    i += join.insts - 1;
  }
  return joins;
}

}  // namespace

std::vector<Join> find_joins(const ir::Function& function, const Scopes& scopes,
                             const std::vector<Life>& lives, const Shapes& shapes,
                             const Leads& leads, const JoinedHandlers& handlers) {
  if (!function.is_entry) return {};
  return JoinFinder(function, scopes, lives, shapes, leads, handlers).find();
}

}  // namespace heddle::interp
