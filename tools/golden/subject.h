// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The subject of a record: a kernel that runs one instruction on many inputs, and sums up its
// results, group by group.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/types.h"

namespace heddle::golden {

/// The number of vectors of a block, if inputs are vectors.
inline constexpr u32 kBlock = 65536;

/// An array in global memory that a kernel reads.
struct Input {
  std::string key;  ///< arrays with the same key are equal; "": no other kernel reads it
  u32 element_bytes = 4;
  u64 elements_per_block = 0;
  std::function<u64(u64 index)> at;  ///< element `index`
};

/// A kernel whose CTAs each compute a numbered block of inputs; 2^log_group_blocks blocks are a
/// group, which has a sum. Its parameters are in kParameters.
struct Subject {
  std::string name;
  /// A hash of the code and the inputs: sums with different identities cannot be compared.
  u64 identity = 0;
  std::string entry, kernel;  ///< a name and its PTX
  u32 threads = 1024;         ///< per CTA
  u32 groups = 0;
  u32 log_group_blocks = 0;
  bool swept = false;         ///< has so many groups that a part of them suffices
  bool scratch = false;       ///< its threads need scratch memory
  std::vector<Input> inputs;  ///< at most four
  /// The raw results of the first vectors, or cases, are recorded: column by column, raw_results of
  /// each, of so many bytes. raw_limit is the number of these vectors or cases.
  u32 raw_limit = 0;
  u32 raw_results = 0;
  std::vector<u32> raw_columns;
  /// The result of the vector `index`, if the host knows it (`mov`).
  std::function<u64(u32 index)> expected;
  /// The inputs of a raw result, for people.
  std::function<std::string(u32 result)> describe;

  u64 raw_bytes() const;
};

/// A raw result of a column, and the raw results of all columns.
u64 result_at(const Subject& subject, const std::vector<u8>& raw, std::size_t column, u32 result);
std::vector<u64> results_at(const Subject& subject, const std::vector<u8>& raw, u32 result);

/// The parameters of every kernel: four inputs, raw results, sums (u64 for each computed group),
/// scratch memory (8 bytes for each thread), raw_limit, log2 of a group's blocks, stride, the first
/// block.
inline constexpr const char* kParameters =
    ".param .u64 p_in0, .param .u64 p_in1, .param .u64 p_in2, .param .u64 p_in3, .param .u64 "
    "p_raw, .param .u64 p_sums, "
    ".param .u64 p_scratch, .param .u32 p_raw_limit, .param .u32 p_log_group, .param .u32 "
    "p_stride, "
    ".param .u32 p_first_block";

inline constexpr const char* kHeader = ".version 8.8\n.target sm_90a\n.address_size 64\n";

/// The registers and code at the beginning of every kernel: `block` is the CTA's block,
/// `first_block` the grid's first, `sums` the address of its group's sum; `in0` to `in3`, `raw` and
/// `scratch` are addresses in global memory.
std::string prologue();
/// Adds mixed(result, place) to the register `sum`; both arguments are names of 64-bit registers,
/// the first is overwritten.
std::string add_mixed(const std::string& result, const std::string& place);
/// Adds `sum` to the group's sum and ends the kernel.
std::string epilogue();

/// FNV-1a.
u64 identity_of(const std::string& text);

}  // namespace heddle::golden
