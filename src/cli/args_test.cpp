// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/args.h"

#include <gtest/gtest.h>

#include <cstring>

namespace heddle::cli {
namespace {

template <class T>
std::vector<T> filled(std::string_view text) {
  const auto argument = parse_argument(text);
  EXPECT_TRUE(argument.ok()) << text << ": " << argument.error().message;
  const auto& buffer = std::get<BufferArg>(*argument);
  std::vector<T> values(buffer.count);
  EXPECT_EQ(bytes_of(buffer.type), sizeof(T));
  fill(buffer, reinterpret_cast<u8*>(values.data()));
  return values;
}

TEST(ParseArgument, Kinds) {
  EXPECT_EQ(std::get<NumberArg>(*parse_argument("-3")).text, "-3");
  EXPECT_EQ(std::get<FileArg>(*parse_argument("@a/b.npy")).path, "a/b.npy");
  EXPECT_EQ(std::get<BytesArg>(*parse_argument("bytes:00ffA1")).bytes,
            (std::vector<u8>{0, 0xff, 0xa1}));
  EXPECT_EQ(std::get<BytesArg>(*parse_argument("bytes:")).bytes, std::vector<u8>{});
}

TEST(ParseArgument, Buffers) {
  EXPECT_EQ(filled<u32>("u32[3]"), (std::vector<u32>{0, 0, 0}));
  EXPECT_EQ(filled<s16>("s16[2]=-7"), (std::vector<s16>{-7, -7}));
  EXPECT_EQ(filled<float>("f32[2]=2.5"), (std::vector<float>{2.5f, 2.5f}));
  EXPECT_EQ(filled<float>("f32[3]=iota"), (std::vector<float>{0, 1, 2}));
  EXPECT_EQ(filled<u8>("u8[258]=iota").back(), 1);
  EXPECT_EQ(filled<u16>("f16[2]=iota"), (std::vector<u16>{0, 0x3c00}));
  EXPECT_EQ(filled<u64>("u64[5]=rand:1"), filled<u64>("u64[5]=rand:1"));
  EXPECT_NE(filled<u64>("u64[5]=rand:1"), filled<u64>("u64[5]=rand:2"));
  for (const double x : filled<double>("f64[1000]=rand:3")) EXPECT_TRUE(x >= -1 && x < 1) << x;
}

struct Refused {
  const char* text;
  const char* message;
};

TEST(ParseArgument, RefusesWithTheReason) {
  const Refused cases[] = {
      {"", "an argument is empty"},
      {"b32[4]",
       "'b32' is not an element type; there are u8, u16, u32, u64, s8, s16, s32, s64, f16, bf16, "
       "f32, f64"},
      {"[4]",
       "'' is not an element type; there are u8, u16, u32, u64, s8, s16, s32, s64, f16, bf16, f32, "
       "f64"},
      {"f32[4", "'f32[4' has no ']'"},
      {"f32[]", "'f32[]': the number of elements must be 1 to 1099511627776"},
      {"f32[0]", "'f32[0]': the number of elements must be 1 to 1099511627776"},
      {"f32[-1]", "'f32[-1]': the number of elements must be 1 to 1099511627776"},
      {"f32[99999999999999999999]",
       "'f32[99999999999999999999]': the number of elements must be 1 to 1099511627776"},
      {"f32[4]iota", "'f32[4]iota': expected '=' after ']'"},
      {"u8[4]=256", "'256' does not fit .u8; a buffer is filled with a number, iota or rand:SEED"},
      {"u8[4]=itoa",
       "'itoa' is not a number of type .u8; a buffer is filled with a number, iota or rand:SEED"},
      {"u8[4]=rand:", "'rand:': the seed after rand: must be a number"},
      {"u8[4]=rand:x", "'rand:x': the seed after rand: must be a number"},
      {"bytes:0", "'0' has an odd number of hexadecimal digits"},
      {"bytes:0g", "'0g' is not a hexadecimal byte"},
      {"bytes:-1", "'-1' is not a hexadecimal byte"},
  };
  for (const Refused& c : cases) {
    const auto argument = parse_argument(c.text);
    ASSERT_FALSE(argument.ok()) << c.text;
    EXPECT_EQ(argument.error().message, c.message);
  }
}

ir::Parameter parameter(isa::Type type, u64 size, u64 offset = 0) {
  ir::Parameter result;
  result.name = "p";
  result.type = type;
  result.size = size;
  result.offset = offset;
  return result;
}

ir::Parameter array(u64 size) {
  ir::Parameter result = parameter(isa::Type::b8, size);
  result.is_array = true;
  return result;
}

u64 stored(const ir::Parameter& parameter, std::string_view text) {
  std::vector<u8> block(parameter.offset + parameter.size);
  const auto argument = parse_argument(text);
  const auto result = store_value(parameter, *argument, block);
  EXPECT_TRUE(result.ok()) << text << ": " << result.error().message;
  u64 bits = 0;
  std::memcpy(&bits, block.data() + parameter.offset, std::min<u64>(parameter.size, 8));
  return bits;
}

TEST(StoreValue, TypesTheNumberByTheParameter) {
  using isa::Type;
  EXPECT_EQ(stored(parameter(Type::u32, 4), "-1"), 0xffffffffu);
  EXPECT_EQ(stored(parameter(Type::f32, 4), "1"), 0x3f800000u);
  EXPECT_EQ(stored(parameter(Type::f64, 8, 16), "1"), 0x3ff0000000000000u);
  EXPECT_EQ(stored(parameter(Type::f16, 2, 2), "1"), 0x3c00u);
  EXPECT_EQ(stored(parameter(Type::b16, 2), "0x3c00"), 0x3c00u);
  EXPECT_EQ(stored(parameter(Type::b8, 1), "-1"), 0xffu);
  // Compilers declare int and float parameters as .b32: the text decides.
  EXPECT_EQ(stored(parameter(Type::b32, 4), "1"), 1u);
  EXPECT_EQ(stored(parameter(Type::b32, 4), "1.0"), 0x3f800000u);
  EXPECT_EQ(stored(parameter(Type::b32, 4), "0f40000000"), 0x40000000u);
  EXPECT_EQ(stored(parameter(Type::b32, 4), "0xe0000000"), 0xe0000000u);
  EXPECT_EQ(stored(parameter(Type::b32, 4), "0b11"), 3u);
  EXPECT_EQ(stored(parameter(Type::b64, 8), "-inf"), 0xfff0000000000000u);
  EXPECT_EQ(stored(array(3), "bytes:010203"), 0x030201u);
}

std::string refusal(const ir::Parameter& parameter, std::string_view text) {
  std::vector<u8> block(parameter.offset + parameter.size);
  const auto result = store_value(parameter, *parse_argument(text), block);
  return result.ok() ? "accepted" : result.error().message;
}

TEST(StoreValue, RefusesWhatDoesNotFit) {
  using isa::Type;
  EXPECT_EQ(refusal(parameter(Type::u8, 1), "256"), "'256' does not fit .u8");
  EXPECT_EQ(refusal(parameter(Type::u32, 4), "2.5"), "'2.5' is not a number of type .u32");
  EXPECT_EQ(refusal(array(12), "7"), "is 12 bytes, write them as bytes:HEX");
  EXPECT_EQ(refusal(array(12), "bytes:00"), "is 12 bytes, bytes: gives 1");
  EXPECT_EQ(refusal(parameter(Type::u32, 4), "bytes:00"), "is 4 bytes, bytes: gives 1");
}

TEST(StoreAddress, NeedsAnIntegerOfTheAddressSize) {
  std::vector<u8> block(16);
  EXPECT_TRUE(store_address(parameter(isa::Type::u64, 8, 8), 0x1234, 64, block).ok());
  EXPECT_EQ(block[8], 0x34);
  EXPECT_TRUE(store_address(parameter(isa::Type::b32, 4), 0x1234, 32, block).ok());
  EXPECT_FALSE(store_address(parameter(isa::Type::u32, 4), 0x1234, 64, block).ok());
  EXPECT_FALSE(store_address(parameter(isa::Type::f64, 8), 0x1234, 64, block).ok());
  EXPECT_FALSE(store_address(array(8), 0x1234, 64, block).ok());
}

TEST(Describe, ShowsTheDeclaration) {
  EXPECT_EQ(describe(parameter(isa::Type::f32, 4)), "p: .f32");
  EXPECT_EQ(describe(array(24)), "p: .b8[24]");
  ir::Parameter pointer = parameter(isa::Type::u64, 8);
  pointer.is_pointer = true;
  EXPECT_EQ(describe(pointer), "p: .u64 .ptr");
}

TEST(ParseExtent, TakesOneToThreeNumbers) {
  EXPECT_EQ(*parse_extent("7"), (machine::Dim3{7, 1, 1}));
  EXPECT_EQ(*parse_extent("7,8"), (machine::Dim3{7, 8, 1}));
  EXPECT_EQ(*parse_extent("7,8,9"), (machine::Dim3{7, 8, 9}));
  for (const char* text : {"", "0", "1,0", "-1", "x", "1,", "1,2,3,4", "4294967296", "1 2"}) {
    EXPECT_FALSE(parse_extent(text).ok()) << text;
  }
}

TEST(ParseDump, TakesAnArgumentAndACount) {
  EXPECT_EQ(parse_dump("3")->argument, 3u);
  EXPECT_EQ(parse_dump("3:8")->count, 8u);
  for (const char* text : {"", ":", "3:", ":8", "a", "3:b", "-1"})
    EXPECT_FALSE(parse_dump(text).ok()) << text;
}

TEST(ParseSave, TakesAnArgumentAndAPath) {
  EXPECT_EQ(parse_save("3=a=b.npy")->argument, 3u);
  EXPECT_EQ(parse_save("3=a=b.npy")->path, "a=b.npy");
  for (const char* text : {"", "3", "3=", "=x", "a=x"}) EXPECT_FALSE(parse_save(text).ok()) << text;
}

}  // namespace
}  // namespace heddle::cli
