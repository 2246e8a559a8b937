// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/contract.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include "base/check.h"
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
      return std::nullopt;  // has a rounding, or is not floating point
    }
  }
  return result.type.empty() ? std::nullopt : std::optional(result);
}

/// A mov or neg through which a product may reach an addition.
struct Carrier {
  std::string_view type;
  bool negates = false, ftz = false;

  bool carries(const Arithmetic& product) const {
    return !negates || (type == product.type && !type.ends_with("x2") && (product.ftz || !ftz));
  }
};

std::optional<Carrier> carrier(const Inst& inst) {
  const std::string_view opcode = inst.get_form().opcode;
  if ((opcode != "mov" && opcode != "neg") || inst.operands.count != 2) return std::nullopt;
  Carrier result;
  result.negates = opcode == "neg";
  for (const std::string_view word : modifiers(inst)) {
    if (word == "ftz") {
      result.ftz = true;
    } else if (result.type.empty()) {
      result.type = word;
    } else {
      return std::nullopt;
    }
  }
  return result;
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
    // Backwards: an instruction that uses a sum decides before the sum itself.
    for (u32 i = static_cast<u32>(f_.insts.size()); i-- > 0;) choose(i);
    if (!joined_.empty()) rewrite();
  }

 private:
  using Kind = Arithmetic::Kind;

  struct Product {
    u32 readers = 0;            ///< additions that read it and are not contracted with it yet
    bool computed = false;      ///< an instruction needs the product itself
    std::vector<u32> carriers;  ///< the mov and neg instructions that it passes through
    Operand factors[2];         ///< copies of factors that change before their use; else none
  };
  /// An addition's operand that is a product.
  struct Use {
    u32 product;
    bool negative;
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

  /// visit(register, written) for all registers of the instruction; reads come first.
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
    std::vector<u32> written_in(f_.registers.size(), 0);  // the last block that always wrote it
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

  /// Follows the product of instruction `at` to all its readers.
  void find_product(u32 at) {
    const Inst& mul = f_.insts[at];
    const auto& kind = arithmetic_[at];
    if (!kind || kind->kind != Kind::mul || kind->sat || mul.guard.predicate) return;
    if (operand(mul, 0).kind != OperandKind::reg) return;
    Product product;
    std::map<std::pair<u32, u32>, Use> uses;
    if (!follow(at, at, operand(mul, 0).id, false, product, uses) || uses.empty()) return;
    for (const auto& [use, what] : uses) {
      if (uses.contains({use.first, 3 - use.second})) return;
    }
    product.readers = static_cast<u32>(uses.size());
    products_[at] = std::move(product);
    product_of_.merge(uses);
  }

  /// Follows the register that instruction `from` sets to the product `at`, or its negative. False:
  /// an instruction other than a matching addition reads it.
  bool follow(u32 at, u32 from, u32 reg, bool negative, Product& product,
              std::map<std::pair<u32, u32>, Use>& uses) {
    bool overwritten = false;
    for (u32 i = from + 1; i < f_.insts.size() && !starts_[i] && !overwritten; ++i) {
      const Inst& inst = f_.insts[i];
      u32 read = 0;
      bool written = false;
      for_each_register(inst, [&](u32 one, bool writes) {
        read += !writes && one == reg;
        written |= writes && one == reg;
      });
      if (written && inst.guard.predicate) return false;
      overwritten = written;
      if (!read) continue;
      const auto& kind = arithmetic_[at];
      const auto& user = arithmetic_[i];
      const auto& carries = carrier(inst);
      if (read == 1 && user && user->kind != Kind::mul && user->same_rounding(*kind)) {
        uses[{i, names(inst, 1, reg) ? 1 : 2}] = {at, negative};
      } else if (read == 1 && carries && carries->carries(*kind) && !inst.guard.predicate &&
                 operand(inst, 0).kind == OperandKind::reg && names(inst, 1, reg)) {
        product.carriers.push_back(i);
        if (!follow(at, i, operand(inst, 0).id, negative != carries->negates, product, uses))
          return false;
      } else {
        return false;
      }
    }
    return overwritten || !exposed_[reg];
  }

  /// Contracts the addition with the one of its products that has fewer readers, or with the first.
  /// The other product must then be computed, and is not contracted elsewhere.
  void choose(u32 at) {
    Product* products[3] = {};
    for (const u32 index : {1u, 2u}) {
      const auto found = product_of_.find({at, index});
      if (found != product_of_.end()) products[index] = &products_.at(found->second.product);
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
    Operand source = value, sign, result = fresh(bits, "%minus");
    source.type = sign.type = result.type;
    sign.kind = OperandKind::immediate;
    sign.value = mask;
    emit(at, "xor", isa::type_info(result.type).name, {result, source, sign});
    result.type = value.type;
    return result;
  }

  /// A new register.
  Operand fresh(u32 bits, const char* name) {
    Operand result;
    result.kind = OperandKind::reg;
    result.type = bits == 16 ? Type::b16 : bits == 32 ? Type::b32 : Type::b64;
    result.id = static_cast<u32>(f_.registers.size());
    f_.registers.push_back({result.type, 1, name});
    return result;
  }
  void emit(SourcePoint at, std::string_view opcode, std::string_view type,
            std::initializer_list<Operand> operands) {
    Inst inst;
    inst.at = at;
    inst.operands = add(operands);
    HEDDLE_CHECK(respell(inst, opcode, std::array{type}));
    out_.push_back(inst);
  }

  Range<Operand> add(std::initializer_list<Operand> operands) {
    const u32 first = static_cast<u32>(f_.operands.size());
    f_.operands.insert(f_.operands.end(), operands);
    return {first, static_cast<u32>(operands.size())};
  }

  /// Whether the factor of product `at` may have a different value at instruction `use`.
  bool changes(u32 at, u32 index, u32 use) const {
    bool changed = false;
    for (u32 i = at; i < use; ++i) {
      if (gone_[i]) continue;
      for_each_register(f_.insts[i], [&](u32 one, bool writes) {
        changed |= writes && names(f_.insts[at], 1 + index, one);
      });
    }
    return changed;
  }

  /// Inserts, at the place of the product, copies of factors that change before the contracted
  /// additions.
  void keep_factors(u32 at, Product& product) {
    const Inst mul = f_.insts[at];
    for (const u32 index : {0u, 1u}) {
      bool needed = false;
      for (const auto& [sum, joined] : joined_) {
        needed |= product_of_.at({sum, joined}).product == at && changes(at, index, sum);
      }
      if (!needed) continue;
      Operand source = operand(mul, 1 + index);
      const Type type = source.type;
      Operand copy = fresh(isa::type_info(type).bits, "%factor");
      source.type = copy.type;
      emit(mul.at, "mov", isa::type_info(copy.type).name, {copy, source});
      copy.type = type;
      product.factors[index] = copy;
    }
  }

  void join(Inst inst, u32 at, u32 index) {
    const Arithmetic kind = *arithmetic_[at];
    const Use& use = product_of_.at({at, index});
    const Inst& mul = f_.insts[use.product];
    const Product& product = products_.at(use.product);
    const Operand d = operand(inst, 0), addend = operand(inst, 3 - index);
    Operand a = changes(use.product, 0, at) ? product.factors[0] : operand(mul, 1);
    Operand b = changes(use.product, 1, at) ? product.factors[1] : operand(mul, 2);
    Operand c = addend;
    const bool subtracts = kind.kind == Kind::sub;
    if (subtracts && index == 1) c = minus(c, kind, inst.at);
    if (use.negative != (subtracts && index == 2)) {
      Operand& factor = b.kind == OperandKind::immediate ? b : a;
      factor = minus(factor, kind, inst.at);
    }
    inst.operands = add({d, a, b, c});
    std::vector<std::string_view> words = {"rn", kind.type};
    if (kind.ftz) words.push_back("ftz");
    if (kind.sat) words.push_back("sat");
    HEDDLE_CHECK(respell(inst, "fma", words));
    out_.push_back(inst);
  }

  void rewrite() {
    std::vector<u32> moved(f_.insts.size() + 1);
    gone_.assign(f_.insts.size(), false);
    for (const auto& [at, product] : products_) {
      if (product.readers != 0) continue;
      gone_[at] = true;
      for (const u32 copy : product.carriers) gone_[copy] = true;
    }
    for (u32 i = 0; i < f_.insts.size(); ++i) {
      moved[i] = static_cast<u32>(out_.size());
      if (const auto product = products_.find(i); product != products_.end())
        keep_factors(i, product->second);
      if (gone_[i]) continue;
      const auto joined = joined_.find(i);
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
  std::map<u32, Product> products_;                // by instruction, candidates
  std::map<std::pair<u32, u32>, Use> product_of_;  // (addition, operand)
  std::vector<bool> gone_;                         // by instruction: it was removed
  std::map<u32, u32> joined_;                      // addition -> operand
  std::vector<Inst> out_;
};

}  // namespace

void contract(Module& module) {
  for (Function& function : module.functions) Contraction(function).run();
}

}  // namespace heddle::ir
