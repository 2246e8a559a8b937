// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests the text of forms, and the legal forms near an illegal mnemonic.
#include "isa/spell.h"

#include <gtest/gtest.h>

#include "isa/match.h"
#include "isa/mnemonic.h"

namespace heddle::isa {
namespace {

TEST(Spell, Forms) {
  constexpr struct {
    const char* mnemonic;
    const char* spelled;
  } kCases[] = {
      {"add.u32", "add.u32 d, a, b"},
      {"setp.lt.f32", "setp.lt.f32 p:pred{|q:pred}, a, b"},
      {"popc.b64", "popc.b64 d:u32, a"},
      {"st.v4.global.f32", "st.global.v4.f32 [a], {b0, b1, b2, b3}"},
      {"ret", "ret"},
      {"shfl.sync.down.b32", "shfl.sync.down.b32 d{|p:pred}, a, b, c, m:u32"},
  };
  for (const auto& one : kCases) {
    const MnemonicParts parts = take_apart(one.mnemonic);
    const Match found = match(parts.opcode, parts.words);
    ASSERT_FALSE(found.candidates.empty()) << one.mnemonic;
    EXPECT_EQ(spell(*found.candidates[0].form, found.candidates[0].slot_values()), one.spelled);
  }
}

TEST(Nearest, FewestChanges) {
  constexpr struct {
    const char* mnemonic;
    const char* nearest;  ///< mnemonic of the first
  } kCases[] = {
      {"mul.u32", "mul.lo.u32"},
      {"fma.f32", "fma.rn.f32"},
      {"add.sat.u32", "add.u32"},
      {"and.f32", "and.b32"},
      {"neg.u32", "neg.s32"},
      {"add.b32", "add.u32"},
      {"and.f64", "and.b64"},
      {"cvt.u32.f32", "cvt.rni.u32.f32"},
      {"ld.frob.shared.u8", "ld.shared.u8"},
      {"bar.frob", "bar.sync"},
      {"add.rn.sat.ftz.u32", "add.rn.ftz.sat.f32"},
  };
  for (const auto& one : kCases) {
    const MnemonicParts parts = take_apart(one.mnemonic);
    const auto found = nearest(parts.opcode, parts.words);
    ASSERT_FALSE(found.empty()) << one.mnemonic;
    EXPECT_EQ(spell_mnemonic(*found[0].candidate.form, found[0].candidate.slot_values()),
              one.nearest);
  }
}

}  // namespace
}  // namespace heddle::isa
