// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The instructions of the tables that a generated kernel may use at a version and target, and forms
// with random modifiers: one of their rows, within their rules and gates.
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

/// A form with its modifiers.
struct Instance {
  const isa::Form* form;
  std::array<u8, isa::kMaxSlots> values{};
  bool optional = false;  ///< the optional operands are written

  std::span<const u8> slots() const { return {values.data(), form->slots.size()}; }
  isa::Type type_of(const isa::OperandSpec& operand) const {
    return isa::operand_type(operand, slots());
  }
  /// The word of a group or type slot: "add", "u32"; empty when absent.
  std::string_view word(std::string_view slot) const;
};

/// Whether the slot of that name may hold that word, "" for none.
using Allow = std::function<bool(std::string_view slot, std::string_view word)>;

/// A random instance that is legal at `place`; nothing when a few tries do not find one.
std::optional<Instance> choose(const isa::Form& form, const Place& place, Random& random,
                               const Allow& allow = {});

/// Whether the form only computes registers from registers and constants. Other forms access
/// memory, communicate with other threads, or change the control flow.
bool is_plain(const isa::Form& form);
/// The plain forms that an engine runs.
std::vector<const isa::Form*> plain_forms();

/// The forms for kernels at one place; the same object serves many kernels.
class Catalogue {
 public:
  /// The plain forms without a carry, by opcode.
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
  /// The forms of instructions with a membermask.
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
