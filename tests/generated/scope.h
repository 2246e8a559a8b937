// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The registers of one function, and instructions over them. The pool holds registers of every
// type; all are set at the start, any instruction may read or write them. Fixed registers are
// written once, at the start, and are computed from parameters and the thread's numbers: engines
// compute such values for many threads at once. Temporaries belong to one statement, and no other
// statement writes them: masks, counters, addresses.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "forms.h"

namespace heddle::generated {

struct Register {
  std::string name;
  isa::Type type;
};

/// Texts for the operands of these names, instead of registers from the pool.
using Pins = std::initializer_list<std::pair<std::string_view, std::string>>;

class Scope {
 public:
  /// `rich`: a large pool.
  Scope(Random& random, const Catalogue& catalogue, bool rich);

  Random& random() const { return random_; }
  const Catalogue& catalogue() const { return catalogue_; }
  const std::vector<Register>& pool() const { return pool_; }

  /// 0 <= result < bound.
  u32 below(u32 bound) const { return random_.below(bound); }
  bool one_in(u32 count) const { return below(count) == 0; }

  std::string temporary(std::string_view type);
  std::string label() { return "L" + std::to_string(labels_++); }
  /// A register for an operand of this type that is read; one for an operand that is written.
  std::string any(isa::Type type) const { return pick(type, {}, {}, 0); }
  std::string target(isa::Type type) const;
  /// Fixed registers: one that the caller sets, and one that an instruction computes from others.
  void fix(std::string name, isa::Type type) { fixed_.push_back({std::move(name), type}); }
  std::string derive();
  /// "", "@%p1 " or "@!%p1 ".
  std::string guard() const;
  /// The text of the instruction with its newline; nothing when the pool has no register for an
  /// operand.
  std::optional<std::string> instruction(const Instance& instance, Pins pins = {},
                                         std::string_view guard = {}) const;

  std::string declarations() const;

 private:
  /// `bits`: the size that it must have, 0: any.
  std::string pick(isa::Type type, const isa::OperandSpec& spec,
                   const std::vector<std::string>& taken, u32 bits) const;
  std::string elements(isa::Type type, const isa::OperandSpec& spec, u32 length,
                       std::vector<std::string>& written) const;
  std::string operand(const Instance& instance, const isa::OperandSpec& spec, Pins pins,
                      std::vector<std::string>& written) const;
  std::string scalar(isa::Type type, const isa::OperandSpec& spec, bool plain,
                     std::vector<std::string>& written) const;
  isa::Type type_of(std::string_view name) const;
  std::string constant(isa::Type type, const isa::OperandSpec& spec) const;
  std::string special(u32 length) const;

  Random& random_;
  const Catalogue& catalogue_;
  std::vector<Register> pool_, fixed_, temporaries_;
  bool only_fixed_ = false;  ///< sources are fixed registers
  u32 labels_ = 0;
};

}  // namespace heddle::generated
