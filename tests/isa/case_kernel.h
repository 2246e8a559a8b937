// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cases as PTX: one kernel runs all cases of one mnemonic, one case per lane, so that lanes differ
// in their values, with all lanes active and with the odd or the even lanes inactive. A second
// kernel has the inputs as immediates.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "case_file.h"

namespace heddle::isa_cases {

/// Lanes of the CTA: a whole warp and a part of one.
inline constexpr u32 kThreads = 48;
/// Bytes of an element in the buffers, whatever its type.
inline constexpr u32 kElementBytes = 16;

enum class Mask : u8 { all, odd, even };
inline constexpr Mask kMasks[] = {Mask::all, Mask::odd, Mask::even};
bool is_active(Mask mask, u32 thread);

/// Cases that one kernel can run: same form and mnemonic, same operands that must be immediates.
struct Group {
  std::vector<const Case*> cases;
  u32 inputs = 0;   ///< registers that are read: elements of a thread in the input buffer
  u32 outputs = 0;  ///< registers that are written
  const Case& first() const { return *cases[0]; }
  /// The case that a thread runs.
  const Case& of(u32 thread) const { return *cases[thread % cases.size()]; }
};
std::vector<Group> group(std::span<const Case> cases);

/// All elements of the values, in order, without the immediates.
std::vector<const Element*> registers(const std::vector<Value>& values);

/// `.entry name(.param .u64 in, .param .u64 out)`, or .u32 in a module with 32-bit addresses.
/// Thread t reads its inputs at in + 16 * inputs * t. For each of the three masks m it reads the
/// old values of the destinations, and writes their new values, at out + 16 * outputs * (3 * t +
/// m).
std::string kernel(const Group& group, const std::string& name, u32 address_bits);

/// The final value of a destination register of an inactive lane: its old value, `poison`, unless
/// it is a carry that the instruction also reads.
Bits untouched(const Case& test, const Value& output, const Element& element, Bits poison);

/// True when every input of the case may be written as a number.
bool can_be_immediate(const Case& test);
/// A kernel without inputs; all threads run case c and write at out + 16 * outputs * c.
std::string immediate_kernel(std::span<const Case* const> cases, const std::string& name,
                             u32 address_bits);

}  // namespace heddle::isa_cases
