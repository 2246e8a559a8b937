// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See archive.h.
#include "image/archive.h"

#include <ar.h>

#include <charconv>
#include <cstring>
#include <optional>

#include "base/types.h"

namespace heddle::image {
namespace {

constexpr std::string_view kArchiveMagic(ARMAG, SARMAG), kThinMagic("!<thin>\n");

Error damaged_archive(const std::string& what) { return {"the archive is damaged: " + what}; }

/// The decimal number in a field. None when the field has more than that number and blanks.
std::optional<u64> number(std::string_view field) {
  u64 value = 0;
  const char* const begin = field.data();
  const char* const end = begin + field.size();
  const auto [at, error] = std::from_chars(begin, end, value);
  if (error != std::errc() || std::string_view(at, end).find_first_not_of(' ') != field.npos) {
    return std::nullopt;
  }
  return value;
}

std::string_view without_trailing(std::string_view text, char c) {
  while (text.ends_with(c)) text.remove_suffix(1);
  return text;
}

/// The name of a member. The header has the name itself, its position in the table of long names
/// (GNU), or its length at the beginning of the content (BSD). None when the position or length is
/// wrong.
std::optional<std::string> name_of(std::string_view field, std::string_view long_names,
                                   std::string_view& content) {
  if (field.starts_with("#1/")) {
    const auto length = number(field.substr(3));
    if (!length || *length > content.size()) return std::nullopt;
    std::string name(without_trailing(content.substr(0, *length), '\0'));
    content.remove_prefix(*length);
    return name;
  }
  if (field.starts_with('/')) {
    const auto at = number(field.substr(1));
    if (!at || *at >= long_names.size()) return std::nullopt;
    const auto rest = long_names.substr(*at);
    return std::string(without_trailing(rest.substr(0, rest.find('\n')), '/'));
  }
  field = without_trailing(field, ' ');
  if (field.ends_with('/')) field.remove_suffix(1);
  return std::string(field);
}

}  // namespace

bool is_archive(std::string_view bytes) {
  return bytes.starts_with(kArchiveMagic) || bytes.starts_with(kThinMagic);
}

Result<std::vector<ArchiveMember>> read_archive(std::string_view bytes) {
  if (bytes.starts_with(kThinMagic)) return Error{"a thin archive has no members inside"};
  if (!bytes.starts_with(kArchiveMagic)) return Error{"this is no archive"};
  bytes.remove_prefix(kArchiveMagic.size());
  std::vector<ArchiveMember> members;
  std::string_view long_names;
  while (!bytes.empty()) {
    ar_hdr header;
    if (bytes.size() < sizeof header) return damaged_archive("it ends within a member's header");
    std::memcpy(&header, bytes.data(), sizeof header);
    bytes.remove_prefix(sizeof header);
    const auto size = number({header.ar_size, sizeof header.ar_size});
    if (std::memcmp(header.ar_fmag, ARFMAG, sizeof header.ar_fmag) != 0 || !size) {
      return damaged_archive("a member's header is not valid");
    }
    const std::string_view field(header.ar_name, sizeof header.ar_name);
    if (*size > bytes.size()) {
      return damaged_archive("it ends within " + std::string(without_trailing(field, ' ')));
    }
    auto content = bytes.substr(0, *size);
    bytes.remove_prefix(std::min<u64>(*size + *size % 2, bytes.size()));
    if (field.starts_with("// ")) {
      long_names = content;
    } else if (!field.starts_with("/ ") && !field.starts_with("/SYM64/ ")) {
      auto name = name_of(field, long_names, content);
      if (!name) return damaged_archive("a member's name is missing");
      if (!name->starts_with("__.SYMDEF")) members.push_back({std::move(*name), content});
    }
  }
  return members;
}

}  // namespace heddle::image
