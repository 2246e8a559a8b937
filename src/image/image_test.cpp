// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The PTX that Heddle finds in images. The fat binaries are built here, byte by byte, as nvcc lays
// them out.
#include "image/image.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "image/container.h"
#include "image/test_images.h"

namespace heddle::image {
namespace {

using testing::HasSubstr;

const machine::Profile& profile(const char* name = "") { return *machine::find_profile(name); }

TEST(Image, PtxTextIsItself) {
  const auto found = read_image(".version 8.0\n", profile(), "a.ptx");
  EXPECT_EQ(found.status, Status::ok);
  ASSERT_EQ(found.texts.size(), 1u);
  EXPECT_EQ(found.texts[0].name, "a.ptx");
  EXPECT_EQ(found.texts[0].text, ".version 8.0\n");
}

TEST(Image, ShortTextIsNotReadPastItsEnd) {
  EXPECT_EQ(read_image("", profile(), "x").texts[0].text, "");
  EXPECT_EQ(read_image("/", profile(), "x").texts[0].text, "/");
}

TEST(Image, GpuCodeIsRefused) {
  const auto found = read_image(
      "\x7f"
      "ELF\2\1\1",
      profile(), "x.cubin");
  EXPECT_EQ(found.status, Status::no_binary);
  EXPECT_THAT(found.why, HasSubstr("cubin"));
}

TEST(FatBinary, UnpacksEveryPacking) {
  const std::string text = "\n\n\n.version 9.0\n.target sm_75\n" + std::string(500, ' ');
  for (const auto packing : {Packing::none, Packing::zstd, Packing::lz4}) {
    const auto image = fat_binary({{2, 75, "machine code"}, {1, 75, text, packing}});
    const auto found = read_image(image.data(), profile(), "x");
    EXPECT_EQ(found.status, Status::ok) << found.why;
    ASSERT_EQ(found.texts.size(), 1u);
    EXPECT_EQ(found.texts[0].text, text);
  }
}

TEST(FatBinary, BestPtxForTheDevice) {
  constexpr u64 kArch = 0x100011, kFamily = 0x200011;
  const auto image = fat_binary({{1, 75, "75"},
                                 {1, 90, "90"},
                                 {1, 90, "90a", Packing::none, kArch},
                                 {1, 120, "120"},
                                 {1, 120, "120f", Packing::none, kFamily}});
  const struct {
    const char* device;
    const char* expect;
  } cases[] = {{"t4", "75"}, {"a100", "75"}, {"", "120"}, {"rtx4090", "75"}};
  for (const auto& c : cases) {
    const auto found = read_image(image.data(), profile(c.device), "x");
    ASSERT_EQ(found.status, Status::ok) << c.device << ": " << found.why;
    EXPECT_EQ(found.texts[0].text.substr(0, 3), std::string(c.expect).substr(0, 3)) << c.device;
  }
}

TEST(FatBinary, NothingToRunSaysWhatThereIs) {
  const auto only_code = fat_binary({{2, 90, "machine code"}});
  const auto found = read_image(only_code.data(), profile(), "x");
  EXPECT_EQ(found.status, Status::no_binary);
  EXPECT_THAT(found.why, HasSubstr("GPU code for sm_90"));
  const auto too_new = fat_binary({{1, 90, "90"}});
  EXPECT_EQ(read_image(too_new.data(), profile("a100"), "x").status, Status::no_binary);
  const auto empty = fat_binary({});
  EXPECT_EQ(read_image(empty.data(), profile(), "x").status, Status::no_binary);
}

TEST(FatBinary, DamageIsNoticed) {
  auto image = fat_binary({{1, 75, std::string(300, 'x'), Packing::zstd}});
  image[16 + 64 + 6] = static_cast<char>(~image[16 + 64 + 6]);
  image[16 + 64 + 1] = 0;
  EXPECT_EQ(read_image(image.data(), profile(), "x").status, Status::invalid_image);
  auto too_long = fat_binary({{1, 75, "x"}});
  const u64 huge = u64{1} << 40;
  std::memcpy(too_long.data() + 16 + 8, &huge, sizeof huge);
  EXPECT_EQ(read_image(too_long.data(), profile(), "x").status, Status::invalid_image);
}

// Images that are cut off or overwritten: nothing is read beyond the limit. Only a sanitizer shows
// such a read.
TEST(FatBinary, EveryDamageIsWithinBounds) {
  const auto whole = fat_binary({{2, 90, "code"}, {1, 75, std::string(100, 'x'), Packing::zstd}});
  for (std::size_t size = 0; size <= whole.size(); ++size) {
    const std::string cut(whole, 0, size);
    const auto found = read_image(cut.c_str(), profile(), "x", cut.size());
    // An image that is shorter than the magic number counts as a text.
    const bool good = size < 4 || size == whole.size();
    EXPECT_EQ(found.status == Status::ok, good) << size;
  }
  for (std::size_t at = 4; at < whole.size(); ++at) {
    for (const int value : {0x00, 0x7f, 0xff}) {
      std::string changed = whole;
      changed[at] = static_cast<char>(value);
      read_image(changed.c_str(), profile(), "x", changed.size());
    }
  }
}

// A container in the place of machine code is PTX for the target of its entry.
TEST(FatBinary, Container) {
  const std::string container = write_container(std::vector<PtxText>{{"k.ptx", "inside"}});
  const auto mixed = fat_binary({{2, 75, "machine code"}, {1, 75, "text"}, {2, 80, container}});
  const auto texts_for = [&](const char* device) {
    return read_image(mixed.data(), profile(device), "x").texts.at(0).text;
  };
  EXPECT_EQ(texts_for("a100"), "inside");
  EXPECT_EQ(texts_for("t4"), "text");
}

struct Wrapper {
  u32 magic = kFatWrapperMagic;
  u32 version = 1;
  const void* data = nullptr;
  const void* const* relocatable = nullptr;
};

TEST(Wrapper, OneFatBinary) {
  const auto inner = fat_binary({{1, 75, "one"}});
  const Wrapper wrapper{.data = inner.data()};
  const auto found = read_image(&wrapper, profile(), "x");
  ASSERT_EQ(found.status, Status::ok) << found.why;
  EXPECT_EQ(found.texts[0].text, "one");
}

TEST(Wrapper, RelocatableOnesAreLinked) {
  const auto empty = fat_binary({});
  const auto a = fat_binary({{1, 75, "a"}}), b = fat_binary({{2, 75, "code"}, {1, 75, "b"}});
  const void* const list[] = {a.data(), b.data(), nullptr};
  const Wrapper wrapper{.version = 2, .data = empty.data(), .relocatable = list};
  const auto found = read_image(&wrapper, profile(), "x");
  ASSERT_EQ(found.status, Status::ok) << found.why;
  ASSERT_EQ(found.texts.size(), 2u);
  EXPECT_EQ(found.texts[0].text + found.texts[1].text, "ab");
}

}  // namespace
}  // namespace heddle::image
