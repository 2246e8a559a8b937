// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a device computed, and its file. All numbers in the file are little-endian:
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
  bool ran = false;  ///< false: the device does not know it, there are neither sums nor raw results
  u32 stride = 1;    ///< sums are of each stride-th group
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
/// "", or why not.
std::string write_file(const std::string& path, const Recording& recording);

/// Of a group: its sum of 64 bits, folded.
inline u32 folded(u64 sum) { return static_cast<u32>(sum ^ (sum >> 32)); }

}  // namespace heddle::golden
