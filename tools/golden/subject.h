// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is recorded: a kernel that runs one instruction on many inputs, and sums up what it
// computes, group by group.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/types.h"

namespace heddle::golden {

/// Vectors of a block, where inputs are vectors.
inline constexpr u32 kBlock = 65536;

/// An array in global memory that a kernel reads.
struct Input {
  std::string key;  ///< arrays with the same key hold the same; "": nobody else reads it
  u32 element_bytes = 4;
  u64 elements_per_block = 0;
  std::function<u64(u64 index)> at;  ///< element `index`
};

/// A kernel whose CTAs each work on a numbered block of inputs; 2^log_group_blocks of these make a
/// group, which has a sum. Its parameters are in kParameters.
struct Subject {
  std::string name;
  /// Of what is computed of which inputs: sums with another one cannot be compared.
  u64 identity = 0;
  std::string entry, kernel;  ///< a name and its PTX
  u32 threads = 1024;         ///< of a CTA
  u32 groups = 0;
  u32 log_group_blocks = 0;
  bool swept = false;         ///< so many groups that some of them may do
  bool scratch = false;       ///< its threads want memory of their own
  std::vector<Input> inputs;  ///< at most four
  /// The results of the first vectors, or cases, are recorded as they are: column after column,
  /// raw_results of each, of so many bytes. raw_limit is how many vectors, or cases, that is.
  u32 raw_limit = 0;
  u32 raw_results = 0;
  std::vector<u32> raw_columns;
  /// Where the host knows the results (`mov`): that of the vector `index`.
  std::function<u64(u32 index)> expected;
  /// The inputs of a raw result, for people.
  std::function<std::string(u32 result)> describe;

  u64 raw_bytes() const;
};

/// A raw result of a column, and those of all columns.
u64 result_at(const Subject& subject, const std::vector<u8>& raw, std::size_t column, u32 result);
std::vector<u64> results_at(const Subject& subject, const std::vector<u8>& raw, u32 result);

/// Of every kernel: four inputs, raw results, sums (u64 for each group that is computed), scratch
/// memory (8 bytes for each thread), raw_limit, log2 of a group's blocks, stride, the first block.
inline constexpr const char* kParameters =
    ".param .u64 p_in0, .param .u64 p_in1, .param .u64 p_in2, .param .u64 p_in3, .param .u64 "
    "p_raw, .param .u64 p_sums, "
    ".param .u64 p_scratch, .param .u32 p_raw_limit, .param .u32 p_log_group, .param .u32 "
    "p_stride, "
    ".param .u32 p_first_block";

inline constexpr const char* kHeader = ".version 8.8\n.target sm_90a\n.address_size 64\n";

/// Registers and code that every kernel begins with: `block` is the CTA's block, `first_block` the
/// grid's first, `sums` where its group's sum is; `in0` to `in3`, `raw` and `scratch` are addresses
/// in global memory.
std::string prologue();
/// Adds mixed(result, place) to the register `sum`; both arguments are names of 64-bit registers,
/// the first is overwritten.
std::string add_mixed(const std::string& result, const std::string& place);
/// Adds `sum` to the group's and leaves the kernel.
std::string epilogue();

/// FNV-1a.
u64 identity_of(const std::string& text);

}  // namespace heddle::golden
