// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "isa/gate.h"

#include <gtest/gtest.h>

namespace heddle::isa {
namespace {

Target target(std::string_view text) { return parse_target(text).value_or(Target{}); }

TEST(Target, Parses) {
  EXPECT_EQ(parse_target("sm_90a"), (Target{90, 'a'}));
  EXPECT_EQ(parse_target("sm_120f"), (Target{120, 'f'}));
  EXPECT_EQ(parse_target("compute_75"), (Target{75, 0}));
  for (const char* bad :
       {"", "sm_", "sm90", "sm_90b", "sm_90af", "sm_-1", "sm_0", "sm_99999", "debug"})
    EXPECT_FALSE(parse_target(bad)) << bad;
  EXPECT_EQ(to_string(target("sm_103f")), "sm_103f");
}

struct Admission {
  const char* needed;
  const char* have;
  bool admitted;
};

// PTX ISA 11.1.2, table 58.
TEST(Target, AdmitsByGenerationArchitectureAndFamily) {
  const Admission cases[] = {
      {"sm_80", "sm_80", true},      {"sm_80", "sm_90a", true},     {"sm_80", "sm_75", false},
      {"sm_90a", "sm_90a", true},    {"sm_90a", "sm_90", false},    {"sm_90a", "sm_100a", false},
      {"sm_100f", "sm_100f", true},  {"sm_100f", "sm_103f", true},  {"sm_100f", "sm_103a", true},
      {"sm_100f", "sm_100a", true},  {"sm_100f", "sm_103", false},  {"sm_103f", "sm_100f", false},
      {"sm_100f", "sm_110f", false}, {"sm_100f", "sm_120f", false}, {"sm_120f", "sm_121a", true},
      {"sm_110a", "sm_101a", true},  {"sm_101f", "sm_110f", true},  {"sm_101a", "sm_103a", false},
  };
  for (const Admission& c : cases)
    EXPECT_EQ(admits(target(c.needed), target(c.have)), c.admitted) << c.needed << " " << c.have;
}

TEST(Gate, SaysWhatIsMissing) {
  const GateAlternative plain[] = {{{8, 0}, {90, 0}}};
  const GateAlternative either[] = {{{8, 6}, {100, 'a'}}, {{8, 8}, {100, 'f'}}};
  EXPECT_EQ(refuse({plain, {}}, {8, 0}, {90, 0}), std::nullopt);
  EXPECT_EQ(refuse({plain, {}}, {7, 8}, {90, 0}), "needs `.version 8.0` or newer");
  EXPECT_EQ(refuse({plain, {}}, {8, 0}, {89, 0}), "needs `.target sm_90` or newer");
  EXPECT_EQ(refuse({plain, {}}, {7, 8}, {89, 0}),
            "needs `.version 8.0` or newer and `.target sm_90` or newer");
  EXPECT_EQ(refuse({either, {}}, {8, 6}, {100, 'a'}), std::nullopt);
  EXPECT_EQ(refuse({either, {}}, {8, 7}, {100, 'f'}), "needs `.version 8.8` or newer");
  EXPECT_EQ(refuse({either, {}}, {8, 8}, {100, 0}),
            "needs `.target sm_100a`, or `.target sm_100f` or a newer target of its family");
  EXPECT_EQ(refuse(Gate{}, {1, 0}, {10, 0}), std::nullopt);
}

TEST(Gate, EndsWhenVersionAndTargetAreBothNewer) {
  const Gate gate{{}, {{6, 3}, {62, 0}}};
  EXPECT_EQ(refuse(gate, {6, 3}, {70, 0}), std::nullopt);
  EXPECT_EQ(refuse(gate, {7, 0}, {62, 0}), std::nullopt);
  EXPECT_EQ(refuse(gate, {6, 4}, {70, 0}),
            "PTX has it up to `.version 6.3` for targets up to `sm_62`");
  EXPECT_EQ(refuse({{}, {{8, 8}, {}}}, {9, 0}, {20, 0}), "PTX has it up to `.version 8.8`");
}

}  // namespace
}  // namespace heddle::isa
