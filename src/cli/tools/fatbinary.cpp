// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// heddle fatbinary: packs PTX, and containers or cubins, into a fat binary as nvcc's host code has
// them.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>

#include "base/file.h"
#include "cli/output.h"
#include "cli/tools/tool.h"
#include "image/fat_binary.h"
#include "image/image.h"

namespace heddle::cli {
namespace {

constexpr ToolOption kFatbinaryOptions[] = {
    {"64", "64", Takes::nothing, "", "The code is for 64 bits"},
    {"cmdline", "cmdline", Takes::value, "options", "The assembler's options, which are stored"},
    {"compress", "compress", Takes::boolean, "true|false", "Whether to compress PTX"},
    {"compress-mode", "compress-mode", Takes::value, "mode", "How to compress PTX",
     "default size speed balance none"},
    {"create", "create", Takes::value, "file", "Write the fat binary"},
    {"debug", "g", Takes::nothing, "", "The code was compiled for a debugger"},
    {"device-c", "c", Takes::nothing, "", "The code is to be linked"},
    {"embedded-fatbin", "fatbin", Takes::value, "file",
     "Write the fat binary as C, which nvcc's host code includes"},
    {"help", "h", Takes::nothing, "", "Print this text"},
    {"ident", "ident", Takes::value, "name", "The name of the source, which is stored"},
    {"image", "image", Takes::text, "profile=sm_90|compute_90,file=FILE", "A cubin, or PTX"},
    {"image2", "image2", Takes::text, "kind=elf|ptx,sm=90,file=FILE", "As --image3"},
    {"image3", "image3", Takes::text, "kind=elf|ptx,sm=90,file=FILE",
     "A container or a cubin, or PTX, and its architecture"},
    {"link", "link", Takes::nothing, "", "The code was linked of parts"},
    {"no-asm", "no-asm", Takes::nothing, "", "--embedded-fatbin writes an array, no assembly"},
    {"options-file", "optf", Takes::list, "file,...", "Read words of the command line from files"},
    {"version", "V", Takes::nothing, "", "Print the version"},
    {"32", "32"},
    {"cicc-cmdline", "cicc-cmdline", Takes::value, "options"},  // not in the vendor's --help
    {"compress-all", "compress-all"},
};

/// The words of "kind=ptx,sm=90,file=k.ptx".
struct ImageSpec {
  std::string kind, architecture, file;
};
ImageSpec spec_of(std::string_view text) {
  ImageSpec spec;
  while (!text.empty()) {
    const auto comma = std::min(text.find(','), text.size());
    const std::string_view word = text.substr(0, comma);
    const auto equals = std::min(word.find('='), word.size() - 1);
    const std::string_view key = word.substr(0, equals), value = word.substr(equals + 1);
    if (key == "kind") spec.kind = value;
    if (key == "file") spec.file = value;
    if (key == "sm") spec.architecture = "sm_" + std::string(value);
    if (key == "profile") {
      spec.kind = value.starts_with("compute_") ? "ptx" : "elf";
      spec.architecture = value;
    }
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return spec;
}

/// The version that `.version 9.0` names; none: there is no such directive.
std::optional<isa::PtxVersion> version_of(std::string_view text) {
  constexpr std::string_view kDirective = ".version";
  const auto at = text.find(kDirective);
  if (at == std::string_view::npos) return std::nullopt;
  const auto number = text.find_first_not_of(" \t", at + kDirective.size());
  if (number == std::string_view::npos) return std::nullopt;
  isa::PtxVersion version;
  const char* const end = text.data() + text.size();
  const auto [dot, bad] = std::from_chars(text.data() + number, end, version.major);
  if (bad != std::errc() || dot == end || *dot != '.') return std::nullopt;
  if (std::from_chars(dot + 1, end, version.minor).ec != std::errc()) return std::nullopt;
  return version;
}

image::Packing packing_of(const Given& given) {
  const std::string mode = given.value("compress-mode", "default");
  if (mode == "none" || !given.is_on("compress", true)) return image::Packing::none;
  return mode == "speed" ? image::Packing::lz4 : image::Packing::zstd;
}

/// An entry, whose content is `content`. The error is a sentence.
Result<image::FatEntry> entry_of(const Given& given, const ImageSpec& spec, std::string& content) {
  if (spec.kind != "elf" && spec.kind != "ptx") return Error{"Missing or unknown kind in image3"};
  if (spec.file.empty()) return Error{"Missing file in image"};
  const auto architecture = parse_architecture(spec.architecture, "image3");
  if (!architecture.ok()) return architecture.error();
  auto bytes = read_file(spec.file);
  if (!bytes.ok()) return Error{fmt::format("Could not open input file '{}'", spec.file)};
  content = std::move(*bytes);
  image::FatEntry entry;
  entry.target = architecture->target;
  entry.debug = given.has("debug");
  entry.name = given.value("ident");
  if (spec.kind == "ptx") {
    content.resize(std::min(content.find('\0'), content.size()));
    const auto version = version_of(content);
    if (!version) return Error{fmt::format("'{}': could not find ptx version", spec.file)};
    entry.version = *version;
    entry.options = given.value("cmdline");
    entry.packing = packing_of(given);
  } else {
    if (!content.starts_with("\177ELF"))
      return Error{fmt::format("'{}' is no ELF file: a cubin or a container", spec.file)};
    entry.kind = image::FatKind::elf;
    entry.version = {1, 8};  // of the format of cubins
  }
  entry.content = content;
  return entry;
}

std::string words_of_fatbin(std::string_view bytes, bool assembly) {
  std::string text;
  const std::size_t count = (bytes.size() + 7) / 8;
  for (std::size_t i = 0; i < count; ++i) {
    u64 word = 0;
    std::memcpy(&word, bytes.data() + i * 8, std::min<std::size_t>(8, bytes.size() - i * 8));
    const bool first = i % 4 == 0, last = i % 4 == 3 || i + 1 == count;
    if (assembly) {
      text += fmt::format("{}0x{:016x}{}", first ? "\".quad " : ",", word, last ? "\\n\"\n" : "");
    } else {
      text += fmt::format("0x{:016x}ull,{}", word, last ? "\n" : "");
    }
  }
  return text;
}

/// C for nvcc's host code: the fat binary in its section, and the wrapper that the host code
/// registers. The code of an object that is to be linked has its module's name in the wrapper's
/// name; a linked program's wrapper names the fat binaries of its parts (crt/link.stub).
std::string embedded(const Given& given, std::string_view bytes) {
  const bool part = given.has("device-c"), linked = given.has("link"), array = given.has("no-asm");
  const std::string_view section = part ? image::kRelocatableSection : image::kWholeSection;
  constexpr std::string_view kBegin = "#ifdef __cplusplus\nextern \"C\" {\n#endif\n",
                             kEnd = "#ifdef __cplusplus\n}\n#endif\n";
  std::string text = fmt::format(
      "#ifndef __SKIP_INTERNAL_FATBINARY_HEADERS\n#include \"fatbinary_section.h\"\n#endif\n"
      "#define __CUDAFATBINSECTION \".nvFatBinSegment\"\n#define __CUDAFATBINDATASECTION \"{}\"\n",
      section);
  if (array) {
    text += fmt::format(
        "{}static const unsigned long long fatbinData[] __attribute__((aligned(8))) "
        "__attribute__((section(__CUDAFATBINDATASECTION))) = {{\n{}}};\n",
        kBegin, words_of_fatbin(bytes, false));
  } else {
    text += fmt::format(
        "asm(\n\".section {}, \\\"a\\\"\\n\"\n\".align "
        "8\\n\"\n\"fatbinData:\\n\"\n{}\".text\\n\");\n"
        "{}extern const unsigned long long fatbinData[{}];\n",
        section, words_of_fatbin(bytes, true), kBegin, (bytes.size() + 7) / 8);
  }
  if (part)
    text +=
        "#undef __FATIDNAME_CORE\n#undef __FATIDNAME\n#define __FATIDNAME_CORE(x) __fatbinwrap##x\n"
        "#define __FATIDNAME(x) __FATIDNAME_CORE(x)\n";
  return text + fmt::format(
                    "{} const __fatBinC_Wrapper_t {} __attribute__((aligned(8))) "
                    "__attribute__((section(__CUDAFATBINSECTION))) =\n    {{0x{:x}, {}, "
                    "fatbinData, {}}};\n{}",
                    part ? "extern" : "static",
                    part ? "__FATIDNAME(__NV_MODULE_ID)" : "__fatDeviceText",
                    image::kFatWrapperMagic, linked ? 2 : 1,
                    linked ? "(void**)__cudaPrelinkedFatbins" : "0", kEnd);
}

}  // namespace

const Tool kFatbinary{"fatbinary", "packs code for several GPUs into one file",
                      "fatbinary [options]", kFatbinaryOptions, 1};

int run_fatbinary(const Given& given) {
  std::vector<std::string> specs;
  for (const char* option : {"image", "image2", "image3"})
    std::ranges::copy(given.values(option), std::back_inserter(specs));
  if (!given.inputs.empty())
    return tool_fatal(kFatbinary, fmt::format("Unknown argument '{}'", given.inputs.front()));
  std::vector<image::FatEntry> entries;
  std::vector<std::string> contents(specs.size());
  for (std::size_t i = 0; i < specs.size(); ++i) {
    const auto entry = entry_of(given, spec_of(specs[i]), contents[i]);
    if (!entry.ok()) return tool_fatal(kFatbinary, entry.error().message);
    entries.push_back(*entry);
  }
  const std::string bytes = image::write_fat_binary(entries);
  for (const auto& [option, text] :
       {std::pair{"create", bytes}, {"embedded-fatbin", embedded(given, bytes)}}) {
    if (!given.has(option)) continue;
    const auto written = write_tool_output(given.value(option), text);
    if (!written.ok()) return tool_fatal(kFatbinary, written.error().message);
  }
  return 0;
}

}  // namespace heddle::cli
