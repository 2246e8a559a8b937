// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PTX that the linker finds in objects and libraries, and the members of a library that it takes.
#include "image/link_input.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "image/device_library.h"
#include "image/test_images.h"

namespace heddle::image {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

const machine::Profile& profile(const char* name = "") { return *machine::find_profile(name); }

std::string ptx(const std::string& body) {
  return ".version 7.0\n.target sm_75\n.address_size 64\n" + body;
}
std::string object(const std::string& text) {
  return host_object({{".text", "host"}, {"__nv_relfatbin", fat_binary({{1, 75, text}})}});
}

/// "name: text" of each PTX text in an input, or the error.
std::vector<std::string> contents(const std::string& bytes, const char* device = "") {
  const auto input = read_link_input(bytes, profile(device), "in");
  if (input.status != Status::ok) return {std::string(to_string(input.status)) + " " + input.why};
  std::vector<std::string> all;
  for (const auto& unit : input.units) {
    for (const auto& each : unit.texts) all.push_back(fmt::format("{}: {}", each.name, each.text));
  }
  return all;
}

TEST(HostObject, EverySectionAndEveryFatBinary) {
  const std::string empty = fat_binary({});
  const auto bytes =
      host_object({{".nv_fatbin", empty + fat_binary({{1, 75, "one"}})},
                   {".nv_fatbin_else", "?"},
                   {"__nv_relfatbin", fat_binary({{2, 75, "code"}, {1, 75, "two", Packing::zstd}}) +
                                          std::string(16, '\0') + fat_binary({{1, 75, "three"}})}});
  EXPECT_THAT(contents(bytes), ElementsAre("in: one", "in: two", "in: three"));
}

// nvlink links what -rdc=true made; a program without such code has its own.
TEST(HostObject, CodeToLinkAlone) {
  const auto bytes = host_object({{".nv_fatbin", fat_binary({{1, 75, "whole"}})},
                                  {"__nv_relfatbin", fat_binary({{1, 75, "part"}})},
                                  {"__nv_module_id", std::string("_1_a_cu\0", 8)}});
  const auto input = read_link_input(bytes, profile(), "in", HostCode::relocatable);
  ASSERT_EQ(input.units.size(), 1u);
  ASSERT_EQ(input.units[0].texts.size(), 1u);
  EXPECT_EQ(input.units[0].texts[0].text, "part");
  EXPECT_EQ(input.units[0].module_id, "_1_a_cu");
  const auto whole = host_object({{".nv_fatbin", fat_binary({{1, 75, "whole"}})}});
  const auto none = read_link_input(whole, profile(), "in", HostCode::relocatable);
  EXPECT_EQ(none.status, Status::ok);
  EXPECT_TRUE(texts_of(none.units).empty());
}

TEST(HostObject, TheDeviceChooses) {
  const auto bytes = host_object({{"__nv_relfatbin", fat_binary({{1, 75, "75"}, {1, 90, "90"}})}});
  EXPECT_THAT(contents(bytes), ElementsAre("in: 90"));
  EXPECT_THAT(contents(bytes, "t4"), ElementsAre("in: 75"));
}

TEST(HostObject, WithoutPtx) {
  const auto code = host_object({{"__nv_relfatbin", fat_binary({{2, 90, "code"}})}});
  EXPECT_THAT(contents(code),
              ElementsAre(AllOf(HasSubstr("no binary "), HasSubstr("GPU code for sm_90"))));
  for (const auto& host : {host_object({}), host_object({{".text", "x"}}),
                           host_object({{".nv_fatbin", fat_binary({})}})}) {
    EXPECT_THAT(contents(host), ElementsAre(AllOf(HasSubstr("no binary "), HasSubstr("no code"))));
  }
  EXPECT_THAT(contents(host_object({}, EM_CUDA)),
              ElementsAre(AllOf(HasSubstr("no binary "), HasSubstr("cubin"))));
}

TEST(HostObject, Damage) {
  auto narrow = object("x");
  narrow[EI_CLASS] = ELFCLASS32;
  EXPECT_THAT(contents(narrow), ElementsAre(HasSubstr("64-bit")));
  const auto cut = host_object({{"__nv_relfatbin", fat_binary({{1, 75, "x"}}).substr(0, 40)}});
  EXPECT_THAT(contents(cut), ElementsAre(AllOf(HasSubstr("invalid image "), HasSubstr("damaged"))));
}

TEST(Library, MembersAreNamed) {
  const auto bytes = archive({{"readme", "nothing for a GPU"},
                              {"host.o", host_object({{".text", "x"}})},
                              {"a_name_longer_than_fifteen.o", object("a")},
                              {"b.fatbin", fat_binary({{1, 75, "b"}})},
                              {"c.ptx", ".version 1"}});
  EXPECT_THAT(contents(bytes), ElementsAre("in(a_name_longer_than_fifteen.o): a", "in(b.fatbin): b",
                                           "in(c.ptx): .version 1"));
}

TEST(Library, MachineCodeIsLeftOutByName) {
  const std::string code = host_object({{"__nv_relfatbin", fat_binary({{2, 90, "code"}})}});
  const std::string cubin = host_object({}, EM_CUDA);
  const auto some = read_link_input(
      archive({{"a.o", object("a")}, {"b.o", code}, {"c.cubin", cubin}}), profile(), "in");
  EXPECT_EQ(some.status, Status::ok);
  EXPECT_EQ(some.units.size(), 1u);
  EXPECT_THAT(some.left_out,
              ElementsAre(AllOf(HasSubstr("in(b.o)"), HasSubstr("GPU code for sm_90")),
                          AllOf(HasSubstr("in(c.cubin)"), HasSubstr("cubin"))));
  const auto none = read_link_input(archive({{"b.o", code}}), profile(), "in");
  EXPECT_EQ(none.status, Status::no_binary);
  EXPECT_THAT(none.why, HasSubstr("in(b.o)"));
  EXPECT_EQ(read_link_input(archive({}), profile(), "in").status, Status::ok);
}

// Libraries that are cut off or overwritten: nothing is read beyond the input, and the message
// names a damaged member. Only a sanitizer shows such a read.
TEST(Library, EveryDamageIsWithinBounds) {
  const auto whole = archive({{"a_name_longer_than_fifteen.o", object("a")}, {"b.o", object("b")}});
  for (std::size_t size = 0; size < whole.size(); ++size) {
    read_link_input(whole.substr(0, size), profile(), "in");
  }
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (const int value : {0x00, 0x7f, 0xff}) {
      std::string changed = whole;
      changed[at] = static_cast<char>(value);
      read_link_input(changed, profile(), "in");
    }
  }
  const auto cut = archive({{"a.o", object("a").substr(0, 100)}});
  EXPECT_THAT(contents(cut), ElementsAre(AllOf(HasSubstr("invalid image "), HasSubstr("a.o"))));
}

// Each unit is a letter with its PTX. A capital letter is a member of a library.
using Units = std::vector<std::pair<char, std::string>>;
std::string taken(const Units& given) {
  std::vector<LinkUnit> units;
  for (const auto& [letter, body] : given) {
    units.push_back({{{std::string(1, letter), ptx(body)}}, letter < 'a'});
  }
  std::string letters;
  for (const auto& text : texts_to_link(units, device_library_names())) letters += text.name;
  return letters;
}

TEST(Library, WhatIsTaken) {
  const std::string f = ".visible .func f() { ret; }\n", g = ".visible .func g() { ret; }\n";
  const std::string needs_f = ".extern .func f();\n", needs_g = ".extern .func g();\n";
  const struct {
    const char* why;
    Units units;
    const char* expect;
  } cases[] = {
      {"all inputs that are no libraries", {{'a', f}, {'b', g}}, "ab"},
      {"what is needed", {{'a', needs_f}, {'F', f}, {'G', g}}, "aF"},
      {"whatever the order", {{'F', f}, {'a', needs_f}}, "Fa"},
      {"what members need", {{'a', needs_f}, {'G', g}, {'F', needs_g + f}}, "aGF"},
      {"the first that has it", {{'a', needs_f}, {'F', f}, {'E', f}}, "aF"},
      {"not what is there", {{'a', f}, {'b', needs_f}, {'F', f}}, "ab"},
      {"a kernel", {{'a', ""}, {'K', ".visible .entry k() { ret; }\n"}}, "aK"},
      {"not a kernel that nobody sees", {{'a', ""}, {'K', ".entry k() { ret; }\n"}}, "a"},
      {"variables",
       {{'a', ".extern .global .u32 x;\n"}, {'X', ".visible .global .u32 x = 1;\n"}},
       "aX"},
      {"common variables",
       {{'a', ".extern .global .u32 x;\n"}, {'X', ".common .global .u32 x;\n"}},
       "aX"},
      {"another's own function", {{'a', needs_f}, {'F', ".func f() { ret; }\n"}}, "a"},
      {"a declaration without .extern", {{'a', ".visible .func f();\n"}, {'F', f}}, "aF"},
      {"declared, then defined", {{'a', needs_f + f}, {'F', f}}, "a"},
      {"aliases",
       {{'a', needs_f}, {'F', ".func g() { ret; }\n.visible .func f();\n.alias f, g;\n"}},
       "aF"},
      {"nothing that the driver has",
       {{'a', ".extern .func (.param .b64 r) cudaCGGetIntrinsicHandle(.param .b32 s);\n"},
        {'R', ".visible .func (.param .b64 r) cudaCGGetIntrinsicHandle(.param .b32 s) { ret; }"}},
       "a"},
      {"a member that does not parse", {{'a', needs_f}, {'F', "%%%"}}, "a"},
  };
  for (const auto& c : cases) EXPECT_EQ(taken(c.units), c.expect) << c.why;
}

}  // namespace
}  // namespace heddle::image
