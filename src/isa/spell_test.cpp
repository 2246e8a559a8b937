// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How forms read, and which legal ones are near to an illegal mnemonic.
#include "isa/spell.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "isa/match.h"

namespace heddle::isa {
namespace {

std::vector<u16> words_of(std::string_view mnemonic) {
  std::vector<u16> words;
  for (std::size_t at = mnemonic.find('.'); at != std::string_view::npos;) {
    const std::size_t end = mnemonic.find('.', at + 1);
    const int word = find_word(mnemonic.substr(at + 1, end - at - 1));
    words.push_back(word < 0 ? kNoWord : static_cast<u16>(word));
    at = end;
  }
  return words;
}

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
    const std::string_view mnemonic = one.mnemonic;
    const Match found = match(mnemonic.substr(0, mnemonic.find('.')), words_of(mnemonic));
    ASSERT_FALSE(found.candidates.empty()) << mnemonic;
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
    const std::string_view mnemonic = one.mnemonic;
    const auto found = nearest(mnemonic.substr(0, mnemonic.find('.')), words_of(mnemonic));
    ASSERT_FALSE(found.empty()) << mnemonic;
    EXPECT_EQ(spell_mnemonic(*found[0].candidate.form, found[0].candidate.slot_values()),
              one.nearest);
  }
}

}  // namespace
}  // namespace heddle::isa
