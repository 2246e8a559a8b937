// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The results of a device, and their file. All numbers in the file are little-endian:
//   "HGOLDEN1", device and date as strings (u32 length, bytes), u32 number of records; each record
//   is name (string), u64 identity, u8 whether the device ran it, u32 stride, u32 number of sums,
//   the sums (u32; of groups 0, stride, 2 * stride ...), raw results (string)
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/types.h"

namespace heddle::golden {

struct Record {
  std::string name;
  u64 identity = 0;
  bool ran = false;  ///< false: the device does not support it; no sums, no raw results
  u32 stride = 1;    ///< there is a sum for each stride-th group
  std::vector<u32> sums;
  std::vector<u8> raw;

  bool operator==(const Record&) const = default;
};

struct Recording {
  std::string device, date;
  std::vector<Record> records;

  bool operator==(const Recording&) const = default;
};

using RecordsByName = std::map<std::string_view, const Record*>;
RecordsByName by_name(const Recording& recording);

std::vector<u8> write(const Recording& recording);
Result<Recording> read(std::span<const u8> bytes);

Result<Recording> read_file(const std::string& path);
/// "", or the error.
std::string write_file(const std::string& path, const Recording& recording);

/// The sum of a group, folded from 64 to 32 bits.
inline u32 folded(u64 sum) { return static_cast<u32>(sum ^ (sum >> 32)); }

}  // namespace heddle::golden
