// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "isa/match.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

#include "isa/mnemonic.h"

namespace heddle::isa {
namespace {

using Reason = Mismatch::Reason;

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    std::size_t at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

Match match_text(std::string_view mnemonic) {
  const MnemonicParts parts = take_apart(mnemonic);
  return match(parts.opcode, parts.words);
}

u8 slot_value(const Candidate& candidate, std::string_view slot) {
  for (std::size_t i = 0; i < candidate.form->slots.size(); ++i)
    if (candidate.form->slots[i].name == slot) return candidate.values[i];
  ADD_FAILURE() << "no slot " << slot;
  return 0;
}

TEST(Match, FillsSlots) {
  Match result = match_text("add.u64");
  ASSERT_EQ(result.candidates.size(), 1u);
  EXPECT_EQ(static_cast<Type>(slot_value(result.candidates[0], "T")), Type::u64);
  EXPECT_FALSE(result.mismatch);
}

TEST(Match, TakesModifiersInAnyOrder) {
  for (const char* text : {"ld.global.v2.u32", "ld.v2.global.u32", "ld.u32.global.v2"}) {
    Match result = match_text(text);
    ASSERT_EQ(result.candidates.size(), 1u) << text;
    EXPECT_EQ(static_cast<Type>(slot_value(result.candidates[0], "T")), Type::u32);
  }
}

TEST(Match, KeepsTheOrderOfTypes) {
  Match result = match_text("slct.u16.s32");
  ASSERT_EQ(result.candidates.size(), 1u);
  EXPECT_EQ(static_cast<Type>(slot_value(result.candidates[0], "T")), Type::u16);
  EXPECT_TRUE(match_text("slct.s32.u16").mismatch);
}

TEST(Match, KeepsTheOrderOfWordsInTwoPlaces) {
  EXPECT_EQ(
      match_text("createpolicy.fractional.L2::evict_last.L2::evict_first.b64").candidates.size(),
      2u);
  EXPECT_TRUE(match_text("createpolicy.fractional.L2::evict_first.L2::evict_last.b64").mismatch);
}

TEST(Match, DerivesTypesFromRows) {
  Match result = match_text("mul.wide.s16");
  ASSERT_EQ(result.candidates.size(), 1u);
  EXPECT_EQ(static_cast<Type>(slot_value(result.candidates[0], "W")), Type::s32);
}

struct Explained {
  const char* mnemonic;
  Reason reason;
  int word;
  const char* slot;
};

TEST(Match, ExplainsWhatDoesNotFit) {
  const Explained cases[] = {
      {"frobnicate.u32", Reason::unknown_opcode, -1, ""},
      {"add.frob.u32", Reason::unknown_modifier, 0, ""},
      {"add.global.u32", Reason::not_of_opcode, 0, ""},
      {"add.ftz.u32", Reason::not_with_others, 0, ""},
      {"add.ftz.ftz.f32", Reason::repeated, 1, ""},
      {"and.f32", Reason::type, 0, "T"},
      {"mul.wide", Reason::missing, -1, "T"},
      {"ld.global", Reason::missing, -1, "T"},
      {"mul.u32", Reason::missing, -1, "lo"},
  };
  for (const Explained& expected : cases) {
    Match result = match_text(expected.mnemonic);
    EXPECT_TRUE(result.candidates.empty()) << expected.mnemonic;
    ASSERT_TRUE(result.mismatch) << expected.mnemonic;
    EXPECT_EQ(result.mismatch->reason, expected.reason) << expected.mnemonic;
    EXPECT_EQ(result.mismatch->word, expected.word) << expected.mnemonic;
    if (*expected.slot != 0) {
      ASSERT_GE(result.mismatch->slot, 0) << expected.mnemonic;
      EXPECT_EQ(result.mismatch->nearest->slots[result.mismatch->slot].name, expected.slot)
          << expected.mnemonic;
    }
  }
}

TEST(Match, NamesEveryWordThatIsWanted) {
  struct {
    const char* mnemonic;
    std::vector<std::string_view> wanted;
  } cases[] = {
      {"mul.u32", {"lo", "hi", "wide"}},
      {"cvt.u32.f32", {"rni", "rzi", "rmi", "rpi"}},
      {"cvt.f32.u32", {"rn", "rz", "rm", "rp"}},
      {"fma.f64", {"rn", "rz", "rm", "rp"}},
  };
  for (const auto& c : cases) {
    const Match found = match_text(c.mnemonic);
    ASSERT_TRUE(found.mismatch) << c.mnemonic;
    std::vector<std::string_view> wanted;
    for (u16 word : found.mismatch->wanted) wanted.push_back(word_text(word));
    EXPECT_EQ(wanted, c.wanted) << c.mnemonic;
  }
}

TEST(Match, SaysWhatCompletesTheWords) {
  const Match result = match_text("cvt.f16.f64");
  ASSERT_TRUE(result.mismatch);
  EXPECT_EQ(result.mismatch->reason, Reason::missing);
  std::vector<std::string_view> wanted;
  for (const u16 word : result.mismatch->wanted) wanted.push_back(word_text(word));
  EXPECT_EQ(wanted, (std::vector<std::string_view>{"rn", "rz", "rm", "rp"}));
}

TEST(Match, MoreWordsThanAnyFormHas) {
  const std::vector<u16> words(100'000, static_cast<u16>(find_word("row")));
  const Match result = match("mma", words);
  ASSERT_TRUE(result.mismatch);
  EXPECT_LE(result.mismatch->word, static_cast<int>(kMaxSlots));
  EXPECT_TRUE(nearest("mma", words).empty());
}

TEST(Match, PrefersFormsThatFit) {
  const auto is_u64 = [](const Candidate& candidate) {
    for (std::size_t i = 0; i < candidate.form->slots.size(); ++i) {
      for (const Choice& choice : candidate.form->slots[i].choices) {
        if (choice.word != kNoWord && word_text(choice.word) == "u64" &&
            candidate.values[i] == choice.value)
          return true;
      }
    }
    return false;
  };
  const auto found = nearest("max", {}, is_u64);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(word_text(found[0].added[0]), "u64");
  EXPECT_GT(nearest("max", {}).size(), 1u);
  // `fits` holds for no form: all are returned.
  EXPECT_EQ(nearest("max", {}, [](const Candidate&) { return false; }).size(),
            nearest("max", {}).size());
}

TEST(Match, NamesTheBrokenRule) {
  Match result = match_text("ld.shared.v8.b32");
  ASSERT_TRUE(result.mismatch);
  EXPECT_EQ(result.mismatch->reason, Reason::rule);
  ASSERT_NE(result.mismatch->rule, nullptr);
  EXPECT_FALSE(result.mismatch->rule->message.empty());
}

/// The generator has its own matcher in Python, which wrote these lines; both must agree on every
/// instruction.
TEST(Match, AgreesWithTheGeneratorOnEveryForm) {
  std::ifstream file(HEDDLE_GEN_DIR "/isa/form_instances.txt");
  ASSERT_TRUE(file);
  int accepted = 0, refused = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::vector<std::string_view> columns = split(line, '\t');
    ASSERT_EQ(columns.size(), 7u) << line;
    std::string_view mnemonic = columns[3].substr(0, columns[3].find_first_of(" ;"));
    std::string_view reason = columns[5];
    PtxVersion version{static_cast<u8>(columns[1][0] - '0'), static_cast<u8>(columns[1][2] - '0')};
    std::optional<Target> target = parse_target(split(columns[2], ',')[0]);
    ASSERT_TRUE(target) << line;
    std::vector<Candidate> open;
    Match result = match_text(mnemonic);
    for (const Candidate& candidate : result.candidates) {
      bool refuses = false;
      for (const ConditionalGate& gate : candidate.form->gates)
        if ((gate.operand < 0 || columns[0] == "reject") && all_hold(gate.when, candidate.values))
          refuses = refuses || refuse(gate.gate, version, *target);
      if (!refuses) open.push_back(candidate);
    }
    bool by_mnemonic = reason == "type" || reason == "rows" || reason.starts_with("require");
    if (columns[0] == "accept") {
      ++accepted;
      std::string_view source = columns[6].substr(columns[6].rfind('/') + 1);
      bool found = false;
      for (const Candidate& candidate : open) found = found || candidate.form->source == source;
      EXPECT_TRUE(found) << line;
    } else if (by_mnemonic) {
      ++refused;
      EXPECT_TRUE(result.candidates.empty()) << line;
      EXPECT_TRUE(result.mismatch) << line;
      Reason expected = reason == "rows"                ? Reason::combination
                        : reason.starts_with("require") ? Reason::rule
                                                        : result.mismatch->reason;
      // The row may lack only one more word.
      if (reason != "rows" || result.mismatch->reason != Reason::missing) {
        EXPECT_EQ(result.mismatch->reason, expected) << line;
      }
    } else if (reason == "version" || reason == "target") {
      ++refused;
      EXPECT_TRUE(open.empty()) << line;
      EXPECT_FALSE(result.candidates.empty()) << line;
    }
  }
  EXPECT_GT(accepted, 1000);
  EXPECT_GT(refused, 500);
}

}  // namespace
}  // namespace heddle::isa
