// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

namespace heddle::golden {
namespace {

constexpr s64 kFarAway = 4;  // the largest distance with its own column in the histogram

/// Maps floating-point numbers to integers in order, neighbours to consecutive ones. (For integers
/// the distance has no meaning, except that 0 means equal.)
s64 in_order(u64 bits, u32 bytes) {
  const u64 sign = u64{1} << (bytes * 8 - 1);
  return bits & sign ? -static_cast<s64>(bits & ~sign) : static_cast<s64>(bits);
}

/// "3 of 512 results differ, first of 0x3f800000: 0x1 is now 0x2; units in the last place: -1: 2,
/// 1: 1".
std::string compare_raw(const Record& recorded, const Record& now, const Subject& subject) {
  u64 differing = 0, total = 0;
  std::string first;
  std::map<s64, u64> distances;
  for (std::size_t column = 0; column < subject.raw_columns.size(); ++column) {
    const u32 bytes = subject.raw_columns[column];
    for (u32 i = 0; i < subject.raw_results; ++i, ++total) {
      const u64 was = result_at(subject, recorded.raw, column, i);
      const u64 is = result_at(subject, now.raw, column, i);
      if (was == is) continue;
      if (first.empty())
        first = fmt::format("first of {}: {:#x} is now {:#x}", subject.describe(i), was, is);
      ++differing;
      ++distances[std::clamp(in_order(is, bytes) - in_order(was, bytes), -kFarAway, kFarAway)];
    }
  }
  if (!differing) return {};
  std::string histogram;
  for (const auto& [distance, count] : distances) {
    const char* more = distance == kFarAway ? " or more" : distance == -kFarAway ? " or less" : "";
    histogram += fmt::format("{} {:+}{}: {}", histogram.empty() ? "" : ",", distance, more, count);
  }
  return fmt::format("{} of {} results differ, {}; units in the last place:{}", differing, total,
                     first, histogram);
}

/// "2 of 16 sums differ, first of group 3".
std::string compare_sums(const Record& recorded, const Record& now) {
  u64 differing = 0, total = 0;
  std::optional<u64> first;
  for (std::size_t i = 0; i < recorded.sums.size(); ++i) {
    const u64 group = u64{recorded.stride} * i;
    if (group % now.stride != 0 || group / now.stride >= now.sums.size()) continue;
    ++total;
    if (recorded.sums[i] == now.sums[group / now.stride]) continue;
    ++differing;
    if (!first) first = group;
  }
  if (!total) return "no sum is in both";
  return differing
             ? fmt::format("{} of {} sums differ, first of group {}", differing, total, *first)
             : "";
}

using Subjects = std::map<std::string_view, const Subject*>;

/// The difference between two records of the same subject, or "".
std::string difference(const Record& recorded, const Record& now, const Subjects& subjects) {
  const auto subject = subjects.find(recorded.name);
  std::string what;
  if (subject != subjects.end() && subject->second->raw_bytes() == recorded.raw.size()) {
    what = compare_raw(recorded, now, *subject->second);
  } else if (recorded.raw != now.raw) {
    what = "results differ";
  }
  const std::string sums = compare_sums(recorded, now);
  return what + (what.empty() || sums.empty() ? "" : "; ") + sums;
}

}  // namespace

Comparison compare(const Recording& recorded, const Recording& now,
                   std::span<const Subject> subjects) {
  Comparison result;
  RecordsByName others = by_name(now);
  Subjects known;
  for (const Subject& subject : subjects) known[subject.name] = &subject;
  const auto absent = [&](const Record& record, std::string_view what) {
    ++result.missing;
    result.absences.push_back(fmt::format("{}: {}", record.name, what));
  };
  const auto differs = [&](u32& count, const Record& record, std::string_view what) {
    ++count;
    result.differences.push_back(fmt::format("{}: {}", record.name, what));
  };
  for (const Record& record : recorded.records) {
    const auto found = others.find(record.name);
    if (found == others.end()) {
      absent(record, "not in the second recording");
      continue;
    }
    const Record& other = *found->second;
    others.erase(found);
    if (!record.ran && !other.ran) {
      ++result.neither;
    } else if (!record.ran || !other.ran) {
      absent(record,
             record.ran ? "not run in the second recording" : "not run in the first recording");
    } else if (record.identity != other.identity || record.raw.size() != other.raw.size() ||
               !record.stride || !other.stride) {
      differs(result.changed, record, "of other code or inputs");
    } else if (const std::string what = difference(record, other, known); !what.empty()) {
      differs(result.different, record, what);
    } else {
      ++result.exact;
    }
  }
  for (const auto& [name, record] : others) absent(*record, "not in the first recording");
  return result;
}

}  // namespace heddle::golden
