// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Containers there and back, from memory and from files, and damaged ones.
#include "image/container.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "image/elf.h"

namespace heddle::image {
namespace {

using testing::HasSubstr;

const machine::Profile& profile() { return *machine::find_profile(""); }

const std::vector<PtxText> kTexts{{"first.ptx", ".version 8.0\n// \177ELF\n"},
                                  {"two\nlines", "", 40, false},
                                  {"", std::string(1000, 'x')}};

TEST(Container, ThereAndBack) {
  const std::string bytes = write_container(kTexts);
  const auto of_memory = read_image(bytes.data(), profile(), "ignored");
  const auto of_file = read_image(bytes.data(), profile(), "ignored", bytes.size());
  for (const auto& found : {of_memory, of_file}) {
    ASSERT_EQ(found.status, Status::ok) << found.why;
    ASSERT_EQ(found.texts.size(), kTexts.size());
    for (std::size_t i = 0; i < kTexts.size(); ++i) {
      EXPECT_EQ(found.texts[i].name, kTexts[i].name);
      EXPECT_EQ(found.texts[i].text, kTexts[i].text);
      EXPECT_EQ(found.texts[i].max_registers, kTexts[i].max_registers);
      EXPECT_EQ(found.texts[i].contract, kTexts[i].contract);
    }
  }
  EXPECT_EQ(container_size(bytes.data()), bytes.size());
  EXPECT_LT(bytes.size(), 900u) << "the thousand letters are compressed";
}

// ELF keeps numbers of sections from 0xff00 on in the first entry of the table.
TEST(Container, ManyTexts) {
  const std::vector<PtxText> many(70'000, {"k", "x"});
  const std::string bytes = write_container(many);
  EXPECT_EQ(container_size(bytes.data()), bytes.size());
  EXPECT_EQ(read_container(bytes).texts.size(), many.size());
}

TEST(Container, IsAnElfFileForNoMachine) {
  const std::string bytes = write_container(std::vector<PtxText>{{"k.ptx", "text"}});
  const auto sections = elf_sections(bytes);
  ASSERT_TRUE(sections.ok());
  std::string names;
  for (const auto& section : *sections) names += std::string(section.name) + " ";
  EXPECT_EQ(names, ".note.heddle .ptx:k.ptx .shstrtab ");
  EXPECT_FALSE(is_host_object(bytes));
  EXPECT_FALSE(is_container(bytes.substr(0, 80)));
}

TEST(Container, AnotherVersion) {
  std::string bytes = write_container(kTexts);
  bytes[84] = 7;
  const auto found = read_image(bytes.data(), profile(), "x", bytes.size());
  EXPECT_EQ(found.status, Status::invalid_image);
  EXPECT_THAT(found.why, HasSubstr("has version 7 of its layout, and this Heddle reads version 1"));
}

// Nothing is read beyond the bytes, and what is damaged is said. Only a sanitizer shows such a
// read.
TEST(Container, EveryDamageIsWithinBounds) {
  const std::string whole = write_container(kTexts);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const std::string cut(whole, 0, size);
    const auto found = read_image(cut.c_str(), profile(), "x", size);
    if (size >= 88) EXPECT_EQ(found.status, Status::invalid_image) << size;
  }
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (const int value : {0x00, 0x7f, 0xff}) {
      std::string changed = whole;
      changed[at] = static_cast<char>(value);
      const auto found = read_image(changed.c_str(), profile(), "x", changed.size());
      EXPECT_TRUE(found.status == Status::ok || !found.why.empty());
    }
  }
}

}  // namespace
}  // namespace heddle::image
