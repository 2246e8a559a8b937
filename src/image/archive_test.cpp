// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "image/archive.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "image/test_images.h"

namespace heddle::image {
namespace {

using testing::HasSubstr;

/// "name=content " of each member, or the error.
std::string listing(const std::string& bytes) {
  const auto members = read_archive(bytes);
  if (!members.ok()) return members.error().message;
  std::string all;
  for (const auto& [name, content] : *members) all += name + "=" + std::string(content) + " ";
  return all;
}

TEST(Archive, Members) {
  EXPECT_EQ(listing(ARMAG), "");
  EXPECT_EQ(listing(archive({{"a.o", "odd"}, {"b.o", ""}, {"c d.o", "even"}})),
            "a.o=odd b.o= c d.o=even ");
  EXPECT_EQ(listing(archive({{"a_name_longer_than_fifteen.o", "1"},
                             {"short.o", "2"},
                             {"another_long_name_in_it.o", "3"}})),
            "a_name_longer_than_fifteen.o=1 short.o=2 another_long_name_in_it.o=3 ");
}

TEST(Archive, NamesOfBsd) {
  EXPECT_EQ(listing(ARMAG + member("#1/12", std::string("__.SYMDEF\0\0\0table", 17)) +
                    member("#1/8", std::string("b.o\0\0\0\0\0x", 9)) + member("plain.o", "y")),
            "b.o=x plain.o=y ");
}

TEST(Archive, TheLastPaddingMayBeMissing) {
  auto bytes = archive({{"a.o", "odd"}});
  bytes.pop_back();
  EXPECT_EQ(listing(bytes), "a.o=odd ");
}

TEST(Archive, Damage) {
  const std::string good = archive({{"a_name_longer_than_fifteen.o", "1234"}});
  const struct {
    std::string bytes;
    const char* why;
  } cases[] = {
      {"", "no archive"},
      {"!<arch>", "no archive"},
      {"!<thin>\n", "thin"},
      {good.substr(0, 30), "within a member's header"},
      {good.substr(0, good.size() - 1), "ends within"},
      {ARMAG + member("/5", "x"), "name is missing"},
      {ARMAG + member("/x", "x"), "name is missing"},
      {ARMAG + member("#1/2", "x"), "name is missing"},
      {ARMAG + std::string(60, ' '), "header is not valid"},
      {ARMAG + member("a/", "x").replace(48, 10, "-1        "), "header is not valid"},
      {ARMAG + member("a/", "x").replace(48, 10, "1x        "), "header is not valid"},
      {ARMAG + member("a/", "x").replace(48, 10, "9999999999"), "ends within a/"},
  };
  for (const auto& c : cases) EXPECT_THAT(listing(c.bytes), HasSubstr(c.why)) << c.bytes;
}

}  // namespace
}  // namespace heddle::image
