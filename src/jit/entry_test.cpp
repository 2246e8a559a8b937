// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/entry.h"

#include <gtest/gtest.h>
#include <zstd.h>

#include <functional>

namespace heddle::jit {
namespace {

Image an_image() {
  Image image;
  for (int i = 0; i < 200; ++i) image.code.push_back(static_cast<u8>(i * 37));
  image.absolute = {8, 192};
  image.entry = 16;
  image.lines = {{0, 0, 0}, {50, 0, 1}, {200, 0, 2}};
  image.frame_bytes = 128;
  image.loops = true;
  image.zeroes_subnormals = true;
  image.local_bytes = 48;
  image.frame_of_call = 64;
  image.allocates = true;
  image.sites.resize(2);
  image.sites[1].inst = 2;
  image.sites[1].runtime[2] = 7;
  image.symbols = {1, 0};
  return image;
}

ir::Module a_module() {
  ir::Module module;
  module.functions.resize(1);
  module.functions[0].insts.resize(3);
  module.variables.resize(2);
  return module;
}

std::string packed(std::string_view plain) {
  std::string out(ZSTD_compressBound(plain.size()), '\0');
  out.resize(ZSTD_compress(out.data(), out.size(), plain.data(), plain.size(), 1));
  return out;
}

TEST(Entry, IsReadAsItWasWritten) {
  const std::string key("a key\0of bytes", 14);
  const std::string file = write_entry({key, an_image()});
  const auto entry = read_entry(file);
  ASSERT_TRUE(entry);
  EXPECT_EQ(entry->key, key);
  const auto& image = *std::get_if<Image>(&entry->content);
  EXPECT_EQ(image.code, an_image().code);
  EXPECT_EQ(image.absolute, an_image().absolute);
  EXPECT_EQ(image.lines.size(), 3u);
  EXPECT_EQ(image.lines[2].offset, 200u);
  EXPECT_EQ(image.sites[1].runtime[2], 7);
  EXPECT_EQ(image.symbols, an_image().symbols);
  EXPECT_TRUE(image.loops);
  EXPECT_TRUE(image.zeroes_subnormals);
  EXPECT_EQ(write_entry(*entry), file) << "all of it";

  const auto refused = read_entry(write_entry({"key", Refusal{"a loop that waits"}}));
  ASSERT_TRUE(refused);
  EXPECT_EQ(std::get_if<Refusal>(&refused->content)->message, "a loop that waits");
}

// A header with a flipped bit may mean the same; then the entry is read right, or else not at all.
TEST(Entry, DamageIsFoundOut) {
  const std::string file = write_entry({"key", an_image()});
  for (std::size_t size = 0; size < file.size(); ++size)
    EXPECT_FALSE(read_entry(file.substr(0, size))) << "cut at " << size;
  for (std::size_t bit = 0; bit < file.size() * 8; ++bit) {
    std::string flipped = file;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ 1 << bit % 8);
    const auto entry = read_entry(flipped);
    EXPECT_TRUE(!entry || write_entry(*entry) == file) << bit;
  }
  EXPECT_FALSE(read_entry(file + "x"));
  EXPECT_FALSE(read_entry(file + file));
}

TEST(Entry, ForeignFilesAreNone) {
  const std::string magic = "heddle code 11\n";
  const std::string no_key(8, '\0');
  const std::string vast(7, '\xff');
  const struct {
    const char* what;
    std::string bytes;
  } cases[] = {
      {"nothing", ""},
      {"text", "#!/bin/sh\necho\n"},
      {"zeros", std::string(4096, '\0')},
      {"packed nothing", packed("")},
      {"packed text", packed("a text that is longer than the magic")},
      {"another version", packed("heddle code 0\n" + no_key)},
      {"no content", packed(magic)},
      {"a key that is larger than all", packed(magic + vast + "\x7f")},
      {"a key of more than 2^63 bytes", packed(magic + vast + "\xff")},
      {"neither an image nor a reason", packed(magic + no_key)},
      {"an image that ends", packed(magic + no_key + "\1")},
      {"a bool that is 2", packed(magic + no_key + "\2" + no_key)},
      {"an image of vast code", packed(magic + no_key + "\1" + vast + "\x7f" + "code")},
      {"a reason and more", packed(magic + no_key + std::string(1, '\0') + no_key + "more")},
  };
  for (const auto& [what, bytes] : cases) EXPECT_FALSE(read_entry(bytes)) << what;
  EXPECT_TRUE(read_entry(packed(magic + no_key + std::string(1, '\0') + no_key)))
      << "what the cases are made of is right";
}

TEST(Entry, ImagesThatPointBeyondThemselvesAreNotSound) {
  const ir::Module module = a_module();
  EXPECT_TRUE(is_sound(an_image(), module));
  const struct {
    const char* what;
    std::function<void(Image&)> spoil;
  } cases[] = {
      {"no code", [](Image& i) { i.code.clear(), i.absolute.clear(), i.lines.clear(); }},
      {"entry", [](Image& i) { i.entry = 200; }},
      {"absolute", [](Image& i) { i.absolute[1] = 193; }},
      {"absolute, with overflow", [](Image& i) { i.absolute[1] = ~0u; }},
      {"order of lines", [](Image& i) { std::swap(i.lines[0], i.lines[1]); }},
      {"offset of a line", [](Image& i) { i.lines[2].offset = 201; }},
      {"instruction of a line", [](Image& i) { i.lines[0].inst = 3; }},
      {"function of a line", [](Image& i) { i.lines[0].function = 1; }},
      {"instruction of a site", [](Image& i) { i.sites[0].inst = 3; }},
      {"function of a site", [](Image& i) { i.sites[0].function = 1; }},
      {"space of a site", [](Image& i) { i.sites[0].space = static_cast<ir::Space>(99); }},
      {"site after a site", [](Image& i) { i.sites[0].next = 2; }},
      {"symbol", [](Image& i) { i.symbols[0] = 2; }},
      {"odd frame", [](Image& i) { i.frame_bytes = 65; }},
  };
  for (const auto& [what, spoil] : cases) {
    Image image = an_image();
    spoil(image);
    EXPECT_FALSE(is_sound(image, module)) << what;
  }
}

}  // namespace
}  // namespace heddle::jit
