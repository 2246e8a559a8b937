// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "subject.h"

#include <fmt/format.h>

#include <cstring>

namespace heddle::golden {

u64 Subject::raw_bytes() const {
  u64 bytes = 0;
  for (const u32 column : raw_columns) bytes += u64{column} * raw_results;
  return bytes;
}

u64 result_at(const Subject& subject, const std::vector<u8>& raw, std::size_t column, u32 result) {
  u64 begin = 0;
  for (std::size_t i = 0; i < column; ++i)
    begin += u64{subject.raw_columns[i]} * subject.raw_results;
  const u32 bytes = subject.raw_columns[column];
  u64 value = 0;
  std::memcpy(&value, &raw[begin + u64{result} * bytes], bytes);
  return value;
}

std::vector<u64> results_at(const Subject& subject, const std::vector<u8>& raw, u32 result) {
  std::vector<u64> values;
  for (std::size_t column = 0; column < subject.raw_columns.size(); ++column)
    values.push_back(result_at(subject, raw, column, result));
  return values;
}

std::string prologue() {
  std::string text = R"(.reg .b64 in<4>, raw, sums, scratch, sum, mix, offset;
.reg .b32 block, group, within, raw_limit, log_group, stride, first_block;
.reg .pred in_raw;
)";
  const auto address = [&](const std::string& name) {
    text += fmt::format("ld.param.u64 {0}, [p_{0}];\ncvta.to.global.u64 {0}, {0};\n", name);
  };
  for (int i = 0; i < 4; ++i) address(fmt::format("in{}", i));
  for (const char* name : {"raw", "sums", "scratch"}) address(name);
  for (const char* name : {"raw_limit", "log_group", "stride", "first_block"})
    text += fmt::format("ld.param.u32 {0}, [p_{0}];\n", name);
  text += R"(mov.u32 block, %ctaid.x;
shr.u32 group, block, log_group;
shl.b32 within, group, log_group;
sub.u32 within, block, within;
mul.wide.u32 offset, group, 8;
add.u64 sums, sums, offset;
mul.lo.u32 group, group, stride;
shl.b32 block, group, log_group;
add.u32 block, block, within;
add.u32 block, block, first_block;
mov.u64 sum, 0;
)";
  return text;
}

std::string add_mixed(const std::string& result, const std::string& place) {
  std::string text = fmt::format(
      "add.u64 mix, {1}, 1;\nmul.lo.u64 mix, mix, 0x9e3779b97f4a7c15;\nxor.b64 {0}, {0}, mix;\n",
      result, place);
  for (int i = 0; i < 2; ++i) {
    text += fmt::format(
        "shr.u64 mix, {0}, 32;\nxor.b64 {0}, {0}, mix;\nmul.lo.u64 {0}, {0}, 0xd6e8feb86659fd93;\n",
        result);
  }
  return text +
         fmt::format("shr.u64 mix, {0}, 32;\nxor.b64 {0}, {0}, mix;\nadd.u64 sum, sum, {0};\n",
                     result);
}

std::string epilogue() { return "red.global.add.u64 [sums], sum;\nret;\n"; }

u64 identity_of(const std::string& text) {
  u64 hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<u8>(c)) * 0x100000001b3;
  return hash;
}

}  // namespace heddle::golden
