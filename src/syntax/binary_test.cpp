// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "syntax/binary.h"

#include <gtest/gtest.h>

namespace heddle::syntax {
namespace {

using namespace std::string_view_literals;

struct Example {
  std::string_view bytes, said;
};

TEST(Binary, IsNamed) {
  const Example examples[] = {
      {""sv, ""},
      {".version 8.5\n"sv, ""},
      {".version 8.5\n\0"sv, ""},
      {".version 8.5 // \xc3\xa9\n"sv, ""},
      {"\x7f\x45LF\x02\x01"sv,
       "an ELF file, not PTX text; `heddle exec -- x` runs a program, `cuobjdump -ptx x` shows the "
       "PTX in it"},
      {"\x7f\x45LF\x02\x01\0\0\0\0\0\0\0\0\0\0\x01\0\x3e\0"sv,
       "an ELF object file, not PTX text; `cuobjdump -ptx x` shows the PTX in it"},
      {"\x7f\x45LF\x02\x01\0\0\0\0\0\0\0\0\0\0\x02\0\xbe\0"sv,
       "a cubin: machine code for a GPU, not PTX text; `nvcc -ptx` makes PTX of its source"},
      {"\x1f\x8b\x08"sv,
       "a gzip file, not PTX text; `zcat x | heddle check -` reads what is in it"},
      {"PK\x03\x04"sv, "a zip file, not PTX text"},
      {"\x89PNG\r\n\x1a\n\0\0\0\r"sv, "binary data, not PTX text"},
  };
  for (const Example& example : examples)
    EXPECT_EQ(about_binary(example.bytes, "x"), example.said) << example.bytes;
  EXPECT_EQ(about_binary("\x1f\x8b\x08", "-"), "a gzip file, not PTX text");
}

}  // namespace
}  // namespace heddle::syntax
