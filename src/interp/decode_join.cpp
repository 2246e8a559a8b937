// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which instructions in a row whole warps run as one (joined.h): a load and the arithmetic that
// alone needs what it loads; two instructions of arithmetic, or one and a comparison; and runs of
// products that are added up. What passes between them never gets to the frame, so it must be
// needed nowhere else.
#include <algorithm>

#include "interp/decoder.h"

namespace heddle::interp {
namespace {

/// What a comparison of b and a is where one of a and b is meant.
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

}  // namespace

/// Whether what instruction `index` writes to the register is needed at most by `reader`, a later
/// one, which reads it once. Registers have their lives, but no places yet.
bool Decoder::is_for_only(u32 index, u32 reader, u32 id) const {
  const Life& life = lives_[id];
  for (u32 i = index + 1; i < f_.insts.size(); ++i) {
    if (life.is_brief() && i > life.last) return true;
    const ir::Inst& inst = f_.insts[i];
    // Others may read it where threads go from here, or leave it to this instruction.
    const bool straight = !targets_[i] && inst.get_form().sem_kind != SemKind::engine;
    if (!life.is_brief() && !straight) return false;
    u32 reads = 0;
    bool written = false;
    for_each_register(inst, [&](const Operand& one, bool writes) {
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

/// Whether the instruction loads 32 bits a lane from affine addresses: consecutive ones, or
/// (`same`) one for all lanes, of which only lane 0 keeps it.
bool Decoder::loads_affine(u32 index, bool same) {
  inst_ = &f_.insts[index];
  if (!is_load(*inst_) || scopes_.of_inst(index) != Scope::warp) return false;
  const Operand& d = operand("d");
  const Operand& a = operand("a");
  if (d.kind != OperandKind::reg || bytes_of(d.type) != 4 ||
      bytes_of(f_.registers[d.id].type) != 4 || !has_affine_address(a))
    return false;
  return same ? leads_[index] && shape_of(a).is_uniform() : shape_of(a).stride != 0;
}

/// Whether the base register of an affine access has 64 bits, as the zero where there is none.
bool Decoder::is_wide(const Operand& a) const {
  return a.kind != OperandKind::reg || bytes_of(f_.registers[a.id].type) == 8;
}

/// Which plain f32 arithmetic the instruction is.
std::optional<Arithmetic> Decoder::plain_arithmetic(u32 index) {
  inst_ = &f_.insts[index];
  if (!usual_arithmetic() || leads_[index] || scopes_.of_inst(index) != Scope::warp ||
      slot("ftz") || slot("sat"))
    return std::nullopt;
  const std::string_view sem = inst_->get_form().sem;
  if (sem == "add_f32") return Arithmetic::add;
  if (sem == "sub_f32") return Arithmetic::sub;
  if (sem == "mul_f32") return Arithmetic::mul;
  if (sem == "fma_f32") return Arithmetic::fma;
  return std::nullopt;
}

/// The source of the instruction at hand, whose operands are its result and its sources, that is
/// register `id`; kNoSource: none is.
u32 Decoder::source_that_is(u32 id) const {
  return find_source([&](u32 one) { return one == id; });
}

/// A load and the usual arithmetic after it.
Decoder::Join Decoder::join_load(u32 index) {
  Join none, join{Join::Kind::load, index, 2};
  if (!loads_affine(index, false)) return none;
  const u32 id = operand("d").id;
  const bool wide = is_wide(operand("a"));
  inst_ = &f_.insts[index + 1];
  const UsualArithmetic* const usual = usual_arithmetic();
  if (!usual || leads_[index + 1] || scopes_.of_inst(index + 1) != Scope::warp) return none;
  const u32 loaded = source_that_is(id);
  if (loaded == kNoSource || !is_for_only(index, index + 1, id)) return none;
  join.full = usual->loading[wide][loaded][spread_source()];
  return join;
}

/// Two instructions of arithmetic, or one and a comparison.
Decoder::Join Decoder::join_pair(u32 index) {
  Join none, join{Join::Kind::pair, index, 2};
  const auto first = plain_arithmetic(index);
  if (!first || spread_source() != kNoSource) return none;
  const Operand& d = operand(0);
  if (d.kind != OperandKind::reg || bytes_of(f_.registers[d.id].type) != 4 ||
      !is_for_only(index, index + 1, d.id))
    return none;
  const u32 row = static_cast<u32>(*first);
  if (const auto second = plain_arithmetic(index + 1)) {
    join.made = source_that_is(d.id);
    if (join.made == kNoSource || spread_source() != kNoSource) return none;
    join.full = level_.joined.arithmetic[row][static_cast<u32>(*second)][join.made];
    return join;
  }
  if (inst_->get_form().sem != "setp" || operand("a").type != Type::f32 || slot("ftz") ||
      inst_->guard.predicate || leads_[index + 1])
    return none;
  const auto is_made = [&](const Operand& one) {
    return one.kind == OperandKind::reg && one.id == d.id;
  };
  const auto cmp = static_cast<sem::Cmp>(slot("cmp"));
  if (!is_made(operand("a")) && !is_made(operand("b"))) return none;
  join.made = is_made(operand("a")) ? 0 : 1;
  join.full = level_.joined.comparison[row][static_cast<u32>(join.made ? mirrored(cmp) : cmp)];
  return join;
}

/// The product that a run may begin or go on with here.
Decoder::Product Decoder::product_at(u32 index) {
  Product product;
  if (index + 2 >= f_.insts.size()) return product;
  product.first_is_same = loads_affine(index, true);
  if (!product.first_is_same && !loads_affine(index, false)) return product;
  const Operand a = operand("a");
  const u32 first = operand("d").id;
  if (!loads_affine(index + 1, !product.first_is_same)) return product;
  const Operand b = operand("a");
  const u32 second = operand("d").id;
  product.wide = {is_wide(a), is_wide(b)};
  if (plain_arithmetic(index + 2) != Arithmetic::fma || first == second ||
      a.kind != OperandKind::reg || b.kind != OperandKind::reg)
    return product;
  const u32 factors[] = {source_that_is(first), source_that_is(second)};
  const Operand& sum = operand(0);
  const Operand& from = operand(3);
  for (const Operand* one : {&sum, &from}) {
    if (one->kind != OperandKind::reg || bytes_of(f_.registers[one->id].type) != 4 ||
        one->id == a.id || one->id == b.id)
      return product;
  }
  product.from = from.id;
  product.sum = sum.id;
  if (std::max(factors[0], factors[1]) != 1 || !is_for_only(index, index + 2, first) ||
      !is_for_only(index + 1, index + 2, second))
    return product;
  product.base[0] = a.id, product.base[1] = b.id;
  return product;
}

/// A run of products that are added up.
Decoder::Join Decoder::join_products(u32 index) {
  const Product first = product_at(index);
  if (!first.is_there()) return {};
  Join join{Join::Kind::products, index, 3};
  join.first_is_same = first.first_is_same;
  Product last = first;
  while (true) {
    const u32 at = index + join.insts;
    const Product next = product_at(at);
    if (next.base != first.base || next.first_is_same != first.first_is_same ||
        next.from != last.sum || targets_[at])
      break;
    if (next.sum != last.sum && !is_for_only(at - 1, at + 2, last.sum)) break;
    join.insts += 3;
    last = next;
  }
  if (join.insts > 3)
    join.full = level_.joined.products[first.wide[0]][first.wide[1]][first.first_is_same];
  return join;
}

/// Fills joins_.
void Decoder::find_joins() {
  if (suffices_.empty()) return;
  for (u32 i = 0; i + 1 < f_.insts.size(); ++i) {
    Join join = join_products(i);
    if (!join.full) join = join_load(i);
    if (!join.full) join = join_pair(i);
    if (!join.full) continue;
    joins_.push_back(join);
    i += join.insts - 1;
  }
}

/// The Ops of a run of products, as the handler wants to know them. False: it cannot do that.
bool Decoder::describe_products(std::span<Op> ops, bool first_is_same) {
  constexpr s64 kMostApart = s64{1} << 30;
  Products all;
  all.offsets.resize(ops.size() / 3);
  for (u32 f = 0; f < all.factors.size(); ++f) {
    const auto offset = [&](std::size_t i) { return static_cast<s64>(ops[3 * i + f].offset); };
    s64 least = offset(0), most = least;
    for (std::size_t i = 0; i < all.offsets.size(); ++i) {
      least = std::min(least, offset(i));
      most = std::max(most, offset(i));
    }
    if (most - least > kMostApart) return false;
    for (std::size_t i = 0; i < all.offsets.size(); ++i) {
      all.offsets[i][f] = static_cast<u32>(offset(i) - least);
      if (all.offsets[i][f] % sizeof(float)) return false;
    }
    const bool same = first_is_same == (f == 0);
    all.factors[f] = {ops[f].src[0], ops[f].window, static_cast<u64>(least),
                      static_cast<u64>(most - least) + sizeof(float) * (same ? 1 : kLanes)};
  }
  all.from = ops[2].src[2];
  all.to = ops.back().dst[0];
  builder_.program.products.push_back(std::move(all));
  ops[2].products = &builder_.program.products.back();
  return true;
}

/// The first of two Ops becomes both: with the sources of both, and the second's result.
void Decoder::describe_pair(std::span<Op> ops, u32 made) const {
  const auto sources = [&](const Op& op) {
    return f_.insts[op.inst].get_form().sem == "fma_f32" ? 3u : 2u;
  };
  Op& op = ops[0];
  u32 count = sources(op);
  for (u32 i = 0; i < sources(ops[1]); ++i) {
    if (i != made) op.src[count++] = ops[1].src[i];
  }
  std::ranges::copy(ops[1].dst, op.dst);
  op.flags = ops[1].flags;
}

/// Changes Code::whole_ops accordingly, where each of the instructions has become one Op.
void Decoder::apply_joins(std::span<const u32> op_of_inst) {
  for (const Join& join : joins_) {
    const u32 first = op_of_inst[join.first];
    if (op_of_inst[join.first + join.insts] != first + join.insts) continue;
    const std::span<Op> ops = std::span(code_.whole_ops).subspan(first, join.insts);
    if (join.kind == Join::Kind::pair) describe_pair(ops, join.made);
    if (join.kind == Join::Kind::products && !describe_products(ops, join.first_is_same)) continue;
    ops[0].full = join.full;
  }
}

}  // namespace heddle::interp
