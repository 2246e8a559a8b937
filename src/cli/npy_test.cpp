// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/npy.h"

#include <gtest/gtest.h>

namespace heddle::cli {
namespace {

/// A version 1 file as NumPy writes it.
std::string file(std::string header, std::string elements, char version = 1) {
  while ((header.size() + 11) % 64) header += ' ';
  header += '\n';
  std::string text = "\x93NUMPY";
  text += {version, 0, static_cast<char>(header.size()), 0};
  if (version == 2) text += {0, 0};
  return text + header + elements;
}

TEST(Npy, ReadsWhatNumPyWrites) {
  const auto array = parse_npy(file("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 1), }",
                                    std::string("\0\0\x80\x3f\0\0\0\xc0", 8)));
  ASSERT_TRUE(array.ok()) << array.error().message;
  EXPECT_EQ(array->type, Scalar::f32);
  EXPECT_EQ(array->shape, (std::vector<u64>{2, 1}));
  EXPECT_EQ(array->count(), 2u);
  EXPECT_EQ(array->bytes, (std::vector<u8>{0, 0, 0x80, 0x3f, 0, 0, 0, 0xc0}));
}

TEST(Npy, ReadsOtherShapesAndVersion2) {
  EXPECT_TRUE(
      parse_npy(file("{'descr': '|u1', 'fortran_order': False, 'shape': (3,), }", "abc", 2)).ok());
  EXPECT_TRUE(
      parse_npy(file("{'descr': '<i2', 'fortran_order': False, 'shape': (), }", "ab")).ok());
  EXPECT_TRUE(
      parse_npy(file("{'shape': (0, 5), 'descr': '<f8', 'fortran_order': False}", "")).ok());
  EXPECT_TRUE(
      parse_npy(file("{'descr': '|b1', 'fortran_order': True, 'shape': (3,), }", "abc")).ok());
}

struct Refused {
  std::string file, message;
};

TEST(Npy, RefusesWithTheReason) {
  const Refused cases[] = {
      {"", "is not a .npy file"},
      {"PK\x03\x04 a zip file", "is not a .npy file"},
      {std::string("\x93NUMPY\x03\0\0\0\0\0", 12), "has .npy version 3, only 1 and 2 are read"},
      {std::string("\x93NUMPY\x01\0\xff\0{", 11), "ends inside its header"},
      {std::string("\x93NUMPY\x02\0\xff\0", 10), "ends inside its header"},
      {file("{'descr': '<f4', 'shape': (1,), }", "abcd"),
       "has a header that is not {'descr': ..., 'fortran_order': ..., 'shape': ...}"},
      {file("{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (1,), }", "abcd"),
       "has a header that is not {'descr': ..., 'fortran_order': ..., 'shape': ...}"},
      {file("{'descr': [('x', '<f4')], 'fortran_order': False, 'shape': (1,), }", "abcd"),
       "has a header that is not {'descr': ..., 'fortran_order': ..., 'shape': ...}"},
      {file("{'descr': '>f4', 'fortran_order': False, 'shape': (1,), }", "abcd"),
       "holds elements of type '>f4'; only little-endian numbers of one kind are read"},
      {file("{'descr': '<c8', 'fortran_order': False, 'shape': (1,), }", "abcdefgh"),
       "holds elements of type '<c8'; only little-endian numbers of one kind are read"},
      {file("{'descr': '<f4', 'fortran_order': True, 'shape': (1, 1), }", "abcd"),
       "is in Fortran order; save it with numpy.ascontiguousarray"},
      {file("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }", "abcd"),
       "has 4 bytes of elements, its shape asks for 8"},
      {file("{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904, 4), }", ""),
       "has 0 bytes of elements, its shape asks for more than 2^64"},
  };
  for (const Refused& c : cases) {
    const auto array = parse_npy(c.file);
    ASSERT_FALSE(array.ok()) << c.message;
    EXPECT_EQ(array.error().message, c.message);
  }
}

TEST(Npy, WritesWhatItReads) {
  for (const char* name :
       {"u8", "u16", "u32", "u64", "s8", "s16", "s32", "s64", "f16", "f32", "f64"}) {
    for (const std::vector<u64>& shape : {std::vector<u64>{}, {6}, {2, 3}, {0, 3}}) {
      Array array{*find_scalar(name), shape, {}};
      u64 count = 1;
      for (const u64 extent : shape) count *= extent;
      for (u64 i = 0; i < count * bytes_of(array.type); ++i)
        array.bytes.push_back(static_cast<u8>(i));
      const std::string text = print_npy(array);
      EXPECT_EQ((text.size() - array.bytes.size()) % 64, 0u);
      const auto again = parse_npy(text);
      ASSERT_TRUE(again.ok()) << name << ": " << again.error().message;
      EXPECT_EQ(again->type, array.type);
      EXPECT_EQ(again->shape, shape);
      EXPECT_EQ(again->bytes, array.bytes);
    }
  }
}

TEST(Npy, WritesTheHeaderAsNumPyDoes) {
  const std::string text = print_npy({Scalar::f32, {3}, std::vector<u8>(12)});
  EXPECT_NE(text.find("{'descr': '<f4', 'fortran_order': False, 'shape': (3, ), }"), text.npos);
  EXPECT_NE(print_npy({Scalar::bf16, {1}, {0, 0}}).find("'<u2'"), text.npos);
}

}  // namespace
}  // namespace heddle::cli
