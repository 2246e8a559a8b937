// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tests/cli/tools_test.py has the messages and infos; here are targets and contents.
#include "image/assemble.h"

#include <gmock/gmock.h>

#include "image/container.h"
#include "image/fat_binary.h"

namespace heddle::image {
namespace {

using testing::HasSubstr;

PtxText text_for(std::string_view target) {
  return {"k.ptx", std::string(".version 9.0\n.target ") + std::string(target) +
                       "\n.address_size 64\n.visible .entry k() { ret; }\n"};
}

TEST(Assemble, Targets) {
  const struct {
    const char *text, *target;
    bool ok;
  } cases[] = {{"sm_75", "sm_75", true},    {"sm_75", "sm_120", true},
               {"sm_90", "sm_80", false},   {"sm_90a", "sm_90a", true},
               {"sm_90a", "sm_90", false},  {"sm_90a", "sm_100a", false},
               {"sm_100f", "sm_103", true}, {"sm_100f", "sm_120", false}};
  for (const auto& [text, target, ok] : cases) {
    const auto made = assemble({text_for(text)}, {.target = *isa::parse_target(target)});
    EXPECT_EQ(made.status == Status::ok, ok) << text << " " << target << made.messages;
    EXPECT_EQ(made.container.empty(), !ok);
    EXPECT_EQ(made.messages.empty(), ok);
  }
}

TEST(Assemble, Contents) {
  const auto made = assemble({text_for("sm_75")}, {.contract = false, .max_registers = 40});
  const auto found = read_container(made.container);
  ASSERT_EQ(found.texts.size(), 1u);
  EXPECT_EQ(found.texts[0].text, text_for("sm_75").text);
  EXPECT_EQ(found.texts[0].max_registers, 40u);
  EXPECT_FALSE(found.texts[0].contract);
  EXPECT_EQ(assemble({text_for("sm_75")}, {.only_checks = true}).container, "");
}

TEST(Assemble, WarningsAreErrors) {
  const PtxText text{"k.ptx", text_for("sm_75").text +
                                  ".extern .global .u32 v;\n"
                                  ".visible .entry r() { .reg .u32 %r; "
                                  "ld.global.u32 %r, [v]; ret; }\n"};
  EXPECT_THAT(assemble({text}, {}).messages, HasSubstr("warning[P4005]"));
  EXPECT_EQ(assemble({text}, {.warns = false}).messages, "");
  EXPECT_EQ(assemble({text}, {.warnings_are_errors = true}).status, Status::invalid_ptx);
}

TEST(FatBinary, WrittenEntriesAreReadAgain) {
  const std::string text = text_for("sm_90a").text;
  for (const Packing packing : {Packing::none, Packing::zstd, Packing::lz4}) {
    const FatEntry entries[] = {
        {.target = {90, 'a'},
         .version = {9, 0},
         .debug = true,
         .packing = packing,
         .name = "k.cu",
         .options = "-O1",
         .content = text},
        {.kind = FatKind::elf, .target = {100, 'f'}, .version = {1, 8}, .content = "\177ELF"}};
    const std::string bytes = write_fat_binary(entries);
    EXPECT_EQ(bytes.size() % 8, 0u);
    const auto read = read_fat_entries(bytes.data(), bytes.size());
    ASSERT_TRUE(read.ok());
    ASSERT_EQ(read->size(), 2u);
    const FatEntry& ptx = (*read)[0];
    EXPECT_EQ(ptx.kind, FatKind::ptx);
    EXPECT_EQ(isa::to_string(ptx.target), "sm_90a");
    EXPECT_EQ(isa::to_string(ptx.version), "9.0");
    EXPECT_TRUE(ptx.debug && ptx.packing == packing);
    EXPECT_EQ(ptx.name + " " + ptx.options, "k.cu -O1");
    EXPECT_EQ(unpacked(ptx), text);
    EXPECT_EQ(isa::to_string((*read)[1].target), "sm_100f");
  }
}

}  // namespace
}  // namespace heddle::image
