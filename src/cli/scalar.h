// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers on the command line: conversion from text to the bits that a kernel reads, and back. The
// forms are those of PTX (4.5: 0x, 0b, 0f and 8 digits, 0d and 16 digits) and the usual decimal
// ones.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/types.h"

namespace heddle::cli {

enum class Scalar : u8 { u8, u16, u32, u64, s8, s16, s32, s64, f16, bf16, f32, f64 };

/// By its PTX name without the dot: "f32".
std::optional<Scalar> find_scalar(std::string_view name);
std::string_view name_of(Scalar type);
u32 bytes_of(Scalar type);
bool is_float(Scalar type);
bool is_signed(Scalar type);

/// All names, for messages: "u8, u16, ...".
std::string scalar_names();

/// The bits of the number `text`, in the low bytes_of(type) bytes. 0x and 0b give the bits, also of
/// a floating-point type. A negative number in the range of the signed type of that size is
/// accepted for an unsigned one: compilers declare `int` parameters as .u32. The error is a
/// sentence about `text`.
Result<u64> parse_scalar(Scalar type, std::string_view text);

/// The bits of an integer as a value of the type; rounded to nearest even, or modulo 2^n for
/// integer types.
u64 scalar_of(Scalar type, u64 value);
u64 scalar_of(Scalar type, double value);

/// Decimal; the shortest text that reads back as the same value.
std::string print_scalar(Scalar type, u64 bits);

}  // namespace heddle::cli
