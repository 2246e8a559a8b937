// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "syntax/binary.h"

#include <fmt/format.h>

#include "base/types.h"

namespace heddle::syntax {
namespace {

using namespace std::string_view_literals;

struct Magic {
  std::string_view bytes;
  std::string_view what;
  std::string_view help;  ///< {} is the file's name
};

constexpr std::string_view kDump = "`cuobjdump -ptx {}` shows the PTX in it";
constexpr Magic kMagics[] = {
    {"\x50\xed\x55\xba"sv, "a CUDA fatbin", kDump},
    {"\x1f\x8b"sv, "a gzip file", "`zcat {} | heddle check -` reads what is in it"},
    {"!<arch>\n"sv, "an archive of object files", kDump},
    {"!<thin>\n"sv, "an archive of object files", kDump},
    {"\x28\xb5\x2f\xfd"sv, "a zstd file", "`zstdcat {} | heddle check -` reads what is in it"},
    {"\xfd\x37zXZ\x00"sv, "an xz file", "`xzcat {} | heddle check -` reads what is in it"},
    {"BZh"sv, "a bzip2 file", "`bzcat {} | heddle check -` reads what is in it"},
    {"PK\x03\x04"sv, "a zip file", {}},
    {"BC\xc0\xde"sv, "LLVM bitcode", "`llc -march=nvptx64 {}` makes PTX of it"},
    {"\xde\xc0\x17\x0b"sv, "LLVM bitcode", "`llc -march=nvptx64 {}` makes PTX of it"},
    {"\x03\x02\x23\x07"sv, "a SPIR-V module", {}},
    {"\xff\xfe"sv, "UTF-16 text", "`iconv -f UTF-16 -t ASCII {} | heddle check -` reads it"},
    {"\xfe\xff"sv, "UTF-16 text", "`iconv -f UTF-16 -t ASCII {} | heddle check -` reads it"},
    {"MZ\x90"sv, "a Windows program", {}},
    {"%PDF-"sv, "a PDF document", {}},
};

/// A little-endian number; 0 beyond the end.
u32 half_at(std::string_view bytes, std::size_t at) {
  const auto byte = [&](std::size_t i) {
    return i < bytes.size() ? u32{static_cast<u8>(bytes[i])} : 0;
  };
  return byte(at) | byte(at + 1) << 8;
}

Magic about_elf(std::string_view bytes) {
  constexpr u32 kRelocatable = 1, kCuda = 190;  // e_type, e_machine
  if (half_at(bytes, 18) == kCuda)
    return {{}, "a cubin: machine code for a GPU", "`nvcc -ptx` makes PTX of its source"};
  if (half_at(bytes, 16) == kRelocatable) return {{}, "an ELF object file", kDump};
  return {{},
          "an ELF file",
          "`heddle exec -- {}` runs a program, `cuobjdump -ptx {}` shows the PTX in it"};
}

/// Whether the beginning of the text has a NUL before its end.
bool has_inner_nul(std::string_view bytes) {
  constexpr std::size_t kBeginning = 1024;
  const std::size_t nul = bytes.substr(0, kBeginning).find('\0');
  return nul != bytes.npos && bytes.find_first_not_of('\0', nul) != bytes.npos;
}

}  // namespace

std::string about_binary(std::string_view bytes, std::string_view path) {
  const auto describe = [&](const Magic& magic) {
    std::string text = fmt::format("{}, not PTX text", magic.what);
    if (magic.help.empty() || path == "-") return text;
    text += "; ";
    for (std::size_t from = 0;;) {
      const std::size_t mark = magic.help.find("{}", from);
      text += magic.help.substr(from, mark - from);
      if (mark == magic.help.npos) return text;
      text += path;
      from = mark + 2;
    }
  };
  if (bytes.starts_with("\x7f"
                        "ELF"))
    return describe(about_elf(bytes));
  for (const Magic& magic : kMagics)
    if (bytes.starts_with(magic.bytes)) return describe(magic);
  return has_inner_nul(bytes) ? "binary data, not PTX text" : "";
}

}  // namespace heddle::syntax
