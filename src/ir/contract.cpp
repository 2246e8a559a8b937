// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/contract.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include "ir/respell.h"

namespace heddle::ir {
namespace {

/// A mul, add or sub that may be contracted.
struct Arithmetic {
  enum class Kind : u8 { mul, add, sub };
  Kind kind;
  std::string_view type;
  bool ftz = false, sat = false;

  bool same_rounding(const Arithmetic& other) const {
    return type == other.type && ftz == other.ftz;
  }
};

std::optional<Arithmetic> arithmetic(const Inst& inst) {
  const std::string_view opcode = inst.get_form().opcode;
  Arithmetic result{};
  if (opcode == "mul") {
    result.kind = Arithmetic::Kind::mul;
  } else if (opcode == "add" || opcode == "sub") {
    result.kind = opcode == "add" ? Arithmetic::Kind::add : Arithmetic::Kind::sub;
  } else {
    return std::nullopt;
  }
  static constexpr std::string_view kTypes[] = {"f32",  "f64",    "f16",  "f16x2",
                                                "bf16", "bf16x2", "f32x2"};
  for (const std::string_view word : modifiers(inst)) {
    if (word == "ftz") {
      result.ftz = true;
    } else if (word == "sat") {
      result.sat = true;
    } else if (result.type.empty() && std::ranges::find(kTypes, word) != std::end(kTypes)) {
      result.type = word;
    } else {
      return std::nullopt;  // a rounding, or no floating point
    }
  }
  return result.type.empty() ? std::nullopt : std::optional(result);
}

class Contraction {
 public:
  explicit Contraction(Function& function) : f_(function) {}

  void run() {
    if (!find_arithmetic()) return;
    find_blocks();
    find_exposed();
    for (u32 i = 0; i < f_.insts.size(); ++i) find_product(i);
    if (products_.empty()) return;
    // Backwards: what is computed from a sum decides before the sum itself.
    for (u32 i = static_cast<u32>(f_.insts.size()); i-- > 0;) choose(i);
    if (!joined_.empty()) rewrite();
  }

 private:
  using Kind = Arithmetic::Kind;

  struct Product {
    u32 readers = 0;        ///< additions that read it and are not joined with it yet
    bool computed = false;  ///< something needs the product itself
  };

  bool find_arithmetic() {
    bool products = false;
    for (const Inst& inst : f_.insts) {
      arithmetic_.push_back(arithmetic(inst));
      products |= arithmetic_.back() && arithmetic_.back()->kind == Kind::mul;
    }
    return products;
  }

  /// Marks where basic blocks start.
  void find_blocks() {
    starts_.assign(f_.insts.size() + 1, false);
    for (const auto& [name, at] : f_.labels) starts_[at] = true;
    for (const Operand& operand : f_.operands) {
      if (operand.kind == OperandKind::label) starts_[operand.id] = true;
    }
    for (const TargetList& list : f_.target_lists) {
      for (const u32 at : list.labels) starts_[at] = true;
    }
    static constexpr std::string_view kEnds[] = {"bra", "brx", "ret", "exit", "trap"};
    for (u32 i = 0; i < f_.insts.size(); ++i) {
      if (std::ranges::find(kEnds, f_.insts[i].get_form().opcode) != std::end(kEnds))
        starts_[i + 1] = true;
    }
  }

  /// visit(register, written) for all that the instruction names; reads come first.
  template <class Visit>
  void for_each_register(const Inst& inst, Visit visit) const {
    const auto specs = inst.get_form().operands;
    for (const bool writes : {false, true}) {
      for (u32 i = 0; i < inst.operands.count; ++i) {
        const bool carry = i >= specs.size();
        const bool written = carry || specs[i].written;
        const bool read = carry || !specs[i].written || specs[i].also_read;
        if (writes ? written : read) {
          for_each_register(f_.operands[inst.operands.first + i],
                            [&](u32 reg) { visit(reg, writes); });
        }
      }
    }
  }
  template <class Visit>
  void for_each_register(const Operand& operand, const Visit& visit) const {
    if (operand.kind == OperandKind::reg) visit(operand.id);
    if (operand.kind != OperandKind::vector) return;
    for (u64 i = 0; i < operand.value; ++i) for_each_register(f_.operands[operand.id + i], visit);
  }

  /// Finds the registers whose values may pass from one block to another: those that some block
  /// reads before it writes them.
  void find_exposed() {
    exposed_.assign(f_.registers.size(), false);
    std::vector<u32> written_in(f_.registers.size(), 0);  // the last block that surely wrote it
    u32 block = 1;
    for (u32 i = 0; i < f_.insts.size(); ++i) {
      block += starts_[i];
      const bool surely = !f_.insts[i].guard.predicate;
      for_each_register(f_.insts[i], [&](u32 reg, bool written) {
        if (!written && written_in[reg] != block) exposed_[reg] = true;
        if (written && surely) written_in[reg] = block;
      });
    }
    for (const Parameter& parameter : f_.signature.returns) {
      if (parameter.in_register) exposed_[parameter.reg.value] = true;
    }
  }

  const Operand& operand(const Inst& inst, u32 index) const {
    return f_.operands[inst.operands.first + index];
  }
  static bool is_register(const Operand& operand, u32 reg) {
    return operand.kind == OperandKind::reg && operand.id == reg;
  }
  bool names(const Inst& inst, u32 index, u32 reg) const {
    return is_register(operand(inst, index), reg);
  }

  /// Follows the product of instruction `at` to all that read it.
  void find_product(u32 at) {
    const Inst& mul = f_.insts[at];
    const auto& kind = arithmetic_[at];
    if (!kind || kind->kind != Kind::mul || kind->sat || mul.guard.predicate) return;
    if (operand(mul, 0).kind != OperandKind::reg) return;
    const u32 reg = operand(mul, 0).id;
    const auto changes_factor = [&](u32 written) {
      return names(mul, 1, written) || names(mul, 2, written);
    };
    bool stale = changes_factor(reg), overwritten = false;
    std::vector<std::pair<u32, u32>> uses;  // instruction, operand
    for (u32 i = at + 1; i < f_.insts.size() && !starts_[i] && !overwritten; ++i) {
      const Inst& inst = f_.insts[i];
      u32 read = 0;
      bool written = false, changed = false;
      for_each_register(inst, [&](u32 one, bool writes) {
        if (!writes) read += one == reg;
        if (writes) written |= one == reg, changed |= changes_factor(one);
      });
      const auto& user = arithmetic_[i];
      if (read) {
        const bool fits =
            read == 1 && !stale && user && user->kind != Kind::mul && user->same_rounding(*kind);
        if (!fits) return;
        uses.emplace_back(i, names(inst, 1, reg) ? 1 : 2);
      }
      if (written && inst.guard.predicate) return;
      overwritten = written;
      stale |= changed;
    }
    if (uses.empty() || (!overwritten && exposed_[reg])) return;
    products_[at].readers = static_cast<u32>(uses.size());
    for (const auto& use : uses) product_of_[use] = at;
  }

  /// Joins the addition with that of its products which has fewer readers, or with the first. The
  /// other one is computed then, and joined no more.
  void choose(u32 at) {
    Product* products[3] = {};
    for (const u32 index : {1u, 2u}) {
      const auto found = product_of_.find({at, index});
      if (found != product_of_.end()) products[index] = &products_.at(found->second);
    }
    const auto joins = [](const Product* product) { return product && !product->computed; };
    const bool second =
        joins(products[2]) && (!joins(products[1]) || products[2]->readers < products[1]->readers);
    if (!second && !joins(products[1])) return;
    const u32 index = second ? 2 : 1;
    joined_[at] = index;
    --products[index]->readers;
    if (Product* other = products[3 - index]) other->computed = true;
  }

  Operand minus(Operand value, const Arithmetic& kind, SourcePoint at) {
    const u32 bits = isa::type_info(value.type).bits;
    const u64 one = u64{1} << (bits - 1);
    const u64 mask = kind.type == "f32x2"        ? one | one >> 32
                     : kind.type.ends_with("x2") ? one | one >> 16
                                                 : one;
    if (value.kind == OperandKind::immediate) {
      value.value ^= mask;
      return value;
    }
    const Type type = bits == 16 ? Type::b16 : bits == 32 ? Type::b32 : Type::b64;
    Operand result;
    result.kind = OperandKind::reg;
    result.type = type;
    result.id = static_cast<u32>(f_.registers.size());
    f_.registers.push_back({type, 1, "%minus"});
    Operand source = value, sign;
    source.type = sign.type = type;
    sign.kind = OperandKind::immediate;
    sign.value = mask;
    Inst flip;
    flip.at = at;
    flip.operands = add({result, source, sign});
    respell(flip, "xor", std::array{isa::type_info(type).name});
    out_.push_back(flip);
    result.type = value.type;
    return result;
  }

  Range<Operand> add(std::initializer_list<Operand> operands) {
    const u32 first = static_cast<u32>(f_.operands.size());
    f_.operands.insert(f_.operands.end(), operands);
    return {first, static_cast<u32>(operands.size())};
  }

  void join(Inst inst, u32 at, u32 index) {
    const Arithmetic kind = *arithmetic_[at];
    const Inst& mul = f_.insts[product_of_.at({at, index})];
    const Operand d = operand(inst, 0), addend = operand(inst, 3 - index);
    Operand a = operand(mul, 1), b = operand(mul, 2), c = addend;
    if (kind.kind == Kind::sub && index == 1) c = minus(c, kind, inst.at);
    if (kind.kind == Kind::sub && index == 2) {
      Operand& factor = b.kind == OperandKind::immediate ? b : a;
      factor = minus(factor, kind, inst.at);
    }
    inst.operands = add({d, a, b, c});
    std::vector<std::string_view> words = {"rn", kind.type};
    if (kind.ftz) words.push_back("ftz");
    if (kind.sat) words.push_back("sat");
    respell(inst, "fma", words);
    out_.push_back(inst);
  }

  void rewrite() {
    std::vector<u32> moved(f_.insts.size() + 1);
    for (u32 i = 0; i < f_.insts.size(); ++i) {
      moved[i] = static_cast<u32>(out_.size());
      const auto product = products_.find(i);
      const auto joined = joined_.find(i);
      const bool gone = product != products_.end() && product->second.readers == 0;
      if (gone) continue;
      if (joined == joined_.end()) {
        out_.push_back(f_.insts[i]);
      } else {
        join(f_.insts[i], i, joined->second);
      }
    }
    moved[f_.insts.size()] = static_cast<u32>(out_.size());
    f_.insts = std::move(out_);
    for (auto& [name, at] : f_.labels) at = moved[at];
    for (Operand& operand : f_.operands) {
      if (operand.kind == OperandKind::label) operand.id = moved[operand.id];
    }
    for (TargetList& list : f_.target_lists) {
      for (u32& at : list.labels) at = moved[at];
    }
  }

  Function& f_;
  std::vector<std::optional<Arithmetic>> arithmetic_;  // by instruction
  std::vector<bool> starts_;
  std::vector<bool> exposed_;                      // by register
  std::map<u32, Product> products_;                // by instruction: what can be joined
  std::map<std::pair<u32, u32>, u32> product_of_;  // (addition, operand) -> mul
  std::map<u32, u32> joined_;                      // addition -> operand
  std::vector<Inst> out_;
};

}  // namespace

void contract(Module& module) {
  for (Function& function : module.functions) Contraction(function).run();
}

}  // namespace heddle::ir
