// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "isa/form.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "isa/entry.h"
#include "isa/match.h"
#include "isa/special_registers.h"

namespace heddle::isa {
namespace {

TEST(Forms, AreGroupedByOpcode) {
  std::size_t count = 0;
  for (std::string_view opcode : opcodes()) {
    std::span<const Form> group = forms_of(opcode);
    ASSERT_FALSE(group.empty()) << opcode;
    for (const Form& form : group) {
      EXPECT_EQ(form.opcode, opcode);
      EXPECT_EQ(&forms()[form.id], &form);
    }
    count += group.size();
  }
  EXPECT_EQ(count, forms().size());
  EXPECT_TRUE(std::ranges::is_sorted(opcodes()));
  EXPECT_TRUE(forms_of("frobnicate").empty());
  EXPECT_TRUE(forms_of("").empty());
}

TEST(Forms, FitIntoTheirLimits) {
  for (const Form& form : forms()) {
    EXPECT_LE(form.slots.size(), kMaxSlots) << form.source;
    EXPECT_EQ(form.rows.empty(), form.row_slots.empty()) << form.source;
    for (const Slot& slot : form.slots)
      for (const Choice& choice : slot.choices) EXPECT_NE(choice.value, kAnyValue) << form.source;
  }
}

TEST(Words, RoundTrip) {
  for (const char* text : {"u32", "global", "sat", "L2::128B"}) {
    int word = find_word(text);
    ASSERT_GE(word, 0) << text;
    EXPECT_EQ(word_text(static_cast<u16>(word)), text);
  }
  EXPECT_EQ(find_word("frobnicate"), -1);
  EXPECT_EQ(find_word(""), -1);
  EXPECT_EQ(word_text(kNoWord), "");
}

TEST(Types, AreFoundByName) {
  EXPECT_EQ(find_type("bf16x2"), Type::bf16x2);
  EXPECT_EQ(find_type("u33"), Type::none);
  EXPECT_EQ(type_info(Type::s16).bits, 16);
  EXPECT_EQ(type_info(Type::s16).cls, TypeClass::signed_);
}

/// Entries of one form are all different and stay within the form's part of the table.
TEST(Dispatch, GivesEachCombinationItsOwnEntry) {
  const Form* form = nullptr;
  for (const Form& f : forms_of("mul"))
    if (f.sem == "mul_hi") form = &f;
  ASSERT_NE(form, nullptr);
  ASSERT_EQ(form->dispatch_slots.size(), 1u);
  const Slot& slot = form->slots[form->dispatch_slots[0]];
  std::array<u8, kMaxSlots> values{};
  std::set<u32> seen;
  for (const Choice& choice : slot.choices) {
    values[form->dispatch_slots[0]] = choice.value;
    u32 index = dispatch_index(*form, values);
    EXPECT_EQ(index, form->dispatch_base + seen.size());
    seen.insert(index);
  }
}

TEST(Dispatch, IsForLanesOnly) {
  ASSERT_FALSE(forms_of("ld").empty());
  std::array<u8, kMaxSlots> values{};
  EXPECT_EQ(dispatch_index(forms_of("ld")[0], values), kNoDispatch);
}

TEST(Operands, KnowTypeLengthAndPresence) {
  const u16 words[] = {static_cast<u16>(find_word("global")),
                       static_cast<u16>(find_word("L2::cache_hint")),
                       static_cast<u16>(find_word("v4")), static_cast<u16>(find_word("f32"))};
  Match result = match("ld", words);
  ASSERT_EQ(result.candidates.size(), 1u);
  const Candidate& ld = result.candidates[0];
  const Form& form = *ld.form;
  EXPECT_EQ(operand_type(form.operands[0], ld.values), Type::f32);
  EXPECT_EQ(vector_length(form, form.operands[0], ld.values), 4);
  EXPECT_TRUE(is_vector(form, form.operands[0], ld.values));
  EXPECT_TRUE(form.operands[0].written);
  EXPECT_EQ(form.operands[1].kind, OperandKind::address);
  EXPECT_TRUE(is_present(form.operands[2], ld.values));
  EXPECT_FALSE(
      is_present(form.operands[2], match("ld", std::span(words).subspan(2)).candidates[0].values));
}

TEST(SpecialRegisters, AreFoundWithTheirComponents) {
  auto found = find_special_register("%ctaid.y");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->which, SpecialRegister::ctaid);
  EXPECT_EQ(found->component, 1);
  EXPECT_EQ(find_special_register("%tid")->component, -1);
  EXPECT_EQ(find_special_register("%envreg31")->which, SpecialRegister::envreg31);
  for (const char* bad : {"%laneid.x", "%tid.q", "%tid.", "%tid.xy", "%envreg32", "tid"})
    EXPECT_FALSE(find_special_register(bad)) << bad;
  EXPECT_EQ(special_register_info(SpecialRegister::clock64).name, "%clock64");
  EXPECT_EQ(special_register_info(SpecialRegister::tid).vector_length, 4);
}

TEST(Entries, AreFoundByName) {
  ASSERT_NE(find_directive(".maxntid"), nullptr);
  EXPECT_EQ(find_directive(".maxntid")->manual, "11.4.2");
  EXPECT_TRUE(refuse(find_directive(".maxntid")->gates, {1, 2}, {10, 0}));
  EXPECT_FALSE(refuse(find_directive(".maxntid")->gates, {1, 3}, {10, 0}));
  EXPECT_NE(find_pragma("nounroll"), nullptr);
  EXPECT_EQ(find_pragma("roll"), nullptr);
  EXPECT_NE(find_target({90, 'a'}), nullptr);
  EXPECT_EQ(find_target({91, 0}), nullptr);
}

}  // namespace
}  // namespace heddle::isa
