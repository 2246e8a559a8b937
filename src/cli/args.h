// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The arguments of `heddle run`: their text on the command line, and the bytes that the kernel
// parameters receive.
//
//     1000  -3  0x10  2.5  0f3f800000      a number, typed by the parameter
//     f32[1000]                            a zeroed buffer; the parameter receives its address
//     f32[1000]=VALUE  =iota  =rand:SEED   a filled buffer
//     @FILE.npy                            a buffer from a NumPy file
//     bytes:HEX                            the bytes themselves, for a parameter that is an array
//     (a struct by value)
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "cli/scalar.h"
#include "ir/module.h"
#include "machine/trap.h"

namespace heddle::cli {

struct NumberArg {
  std::string text;
};
struct BytesArg {
  std::vector<u8> bytes;
};
/// A buffer of `count` elements and how it is filled: with `value` (bits), 0, 1, 2..., or
/// pseudo-random numbers from the seed `value`: any bits for an integer type, [-1, 1) for a
/// floating-point one.
struct BufferArg {
  enum class Fill : u8 { value, iota, random };
  Scalar type = Scalar::f32;
  u64 count = 0;
  Fill fill = Fill::value;
  u64 value = 0;
};
struct FileArg {
  std::string path;
};
using Argument = std::variant<NumberArg, BytesArg, BufferArg, FileArg>;

/// Parses an argument; does not check that it fits the parameter.
Result<Argument> parse_argument(std::string_view text);

/// The first contents of a buffer; `bytes` has room for all its elements.
void fill(const BufferArg& buffer, u8* bytes);

/// "name: .f32", ".u64 .ptr .global", "p: .b8[24]": a parameter as its declaration shows it.
std::string describe(const ir::Parameter& parameter);

/// Writes a number or bytes at the parameter's place in the parameter block. The error is a
/// sentence without the argument's position.
Result<bool> store_value(const ir::Parameter& parameter, const Argument& argument,
                         std::vector<u8>& block);
/// Writes the address of a buffer.
Result<bool> store_address(const ir::Parameter& parameter, u64 address, u8 address_size,
                           std::vector<u8>& block);

/// A decimal number from `low` to `high`, and nothing else.
Result<u64> parse_whole(std::string_view text, u64 low, u64 high);
/// A time limit in seconds: above 0, and below the range of a 64-bit clock.
Result<double> parse_seconds(std::string_view text);

/// "X", "X,Y" or "X,Y,Z", each at least 1.
Result<machine::Dim3> parse_extent(std::string_view text);

/// "I" or "I:COUNT" of --dump.
struct Dump {
  u32 argument = 0;
  u64 count = ~u64{0};  ///< elements; a number beyond the end means all
};
Result<Dump> parse_dump(std::string_view text);

/// "I=FILE.npy" of --save.
struct Save {
  u32 argument = 0;
  std::string path;
};
Result<Save> parse_save(std::string_view text);

}  // namespace heddle::cli
