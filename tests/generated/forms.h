// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which instructions of the tables a generated kernel may use at a version and target, and a form
// with modifiers chosen at random: one of its rows, within its rules and gates.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "isa/form.h"
#include "kernel.h"
#include "machine/schedule.h"

namespace heddle::generated {

using machine::Random;

/// A form and what its modifiers are.
struct Instance {
  const isa::Form* form;
  std::array<u8, isa::kMaxSlots> values{};
  bool optional = false;  ///< the operands that may be missing are there

  std::span<const u8> slots() const { return {values.data(), form->slots.size()}; }
  isa::Type type_of(const isa::OperandSpec& operand) const {
    return isa::operand_type(operand, slots());
  }
  /// What stands for a group or type: "add", "u32"; empty when absent.
  std::string_view word(std::string_view slot) const;
};

/// Whether the slot of that name may hold that word, "" for none.
using Allow = std::function<bool(std::string_view slot, std::string_view word)>;

/// At random, legal at `place`; nothing when a few tries do not find one.
std::optional<Instance> choose(const isa::Form& form, const Place& place, Random& random,
                               const Allow& allow = {});

/// Computes registers from registers and constants, and nothing else. Other ones of the tables
/// read or write memory, other threads, or control.
bool is_plain(const isa::Form& form);
/// Plain, and an engine runs it.
std::vector<const isa::Form*> plain_forms();

/// The forms that a kernel is made of at one place; the same object serves many kernels.
class Catalogue {
 public:
  /// Of plain forms without a carry: those of one opcode together.
  struct Opcode {
    std::string_view name;
    std::vector<const isa::Form*> forms;
  };

  explicit Catalogue(const Place& place);

  const Place& place() const { return place_; }
  bool has(const isa::Form& form) const { return exists_[form.id]; }
  std::span<const Opcode> plain() const { return plain_; }
  std::span<const isa::Form* const> carry(isa::CarryUse use) const {
    return carry_[static_cast<u8>(use)];
  }
  /// Of the instructions that name the threads of a warp that take part.
  std::span<const isa::Form* const> warp() const { return warp_; }

 private:
  Place place_;
  std::vector<bool> exists_;  ///< by id, of plain forms
  std::vector<Opcode> plain_;
  std::vector<const isa::Form*> carry_[4], warp_;
};

/// The places that kernels are generated for.
std::span<const Catalogue> catalogues();
/// The first of them, with Place::flushes.
const Catalogue& flushing_catalogue();

}  // namespace heddle::generated
