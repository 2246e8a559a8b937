// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// heddle cuobjdump: lists, prints and extracts the code for GPUs in a file. `heddle info` says more
// about it.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/file.h"
#include "cli/output.h"
#include "cli/tools/tool.h"
#include "image/inventory.h"

namespace heddle::cli {
namespace {

using image::Piece;

constexpr ToolOption kCuobjdumpOptions[] = {
    {"all-fatbin", "all", Takes::nothing, "",
     "Also code that is to be linked, of a file that has other code, too"},
    {"dump-elf", "elf", Takes::nothing, "", "Print the headers of cubins and containers"},
    {"dump-ptx", "ptx", Takes::nothing, "", "Print the PTX"},
    {"extract-elf", "xelf", Takes::list, "name,...",
     "Write the cubins and containers whose names contain this to files; all: all of them"},
    {"extract-ptx", "xptx", Takes::list, "name,...",
     "Write the PTX whose names contain this to files; all: all of them"},
    {"gpu-architecture", "arch", Takes::value, "architecture", "Only code for this GPU: sm_90"},
    {"help", "h", Takes::nothing, "", "Print this text"},
    {"list-elf", "lelf", Takes::nothing, "", "List the cubins and containers"},
    {"list-ptx", "lptx", Takes::nothing, "", "List the PTX"},
    {"options-file", "optf", Takes::list, "file,...", "Read words of the command line from files"},
    {"version", "V", Takes::nothing, "", "Print the version"},
    {"dump-elf-symbols", "symbols"},
    {"dump-resource-usage", "res-usage"},
    {"dump-sass", "sass"},
    {"extract-text", "xtext", Takes::list, "name,..."},
    {"function", "fun", Takes::list, "function,..."},
    {"function-index", "findex", Takes::value, "index"},
    {"list-text", "ltext", Takes::value, "name"},
    {"sort-functions", "sort"},
};

/// A file that can be listed and extracted: a text or an ELF file, with its number among those of
/// its kind.
struct Listed {
  const Piece* piece;
  std::string name;
  std::string_view bytes;
};

/// PTX has a target in the fat binary or, by itself, in its directive.
std::string target_of(const Piece& piece) {
  if (piece.in_fat_binary) return isa::to_string(piece.entry.target);
  const std::string_view text =
      piece.texts.empty() ? std::string_view() : std::string_view(piece.texts.front().text);
  const auto at = text.find("sm_");
  if (at == std::string_view::npos) return "";
  return std::string(text.substr(at, text.find_first_of(" ,\t\r\n", at) - at));
}

class Objects {
 public:
  Objects(const Given& given, const std::string& path, const image::Inventory& inventory)
      : stem_(std::filesystem::path(path).stem().string()) {
    const bool all = given.has("all-fatbin");
    const std::string architecture = given.value("gpu-architecture");
    const bool whole = std::ranges::any_of(inventory.pieces,
                                           [](const Piece& piece) { return !piece.relocatable; });
    for (const Piece& piece : inventory.pieces) {
      if (piece.relocatable && whole && !all) continue;
      if (!architecture.empty() && target_of(piece) != architecture) continue;
      add(piece);
    }
  }

  std::vector<Listed> elf, ptx;
  std::vector<const Piece*> pieces;

 private:
  void add(const Piece& piece) {
    pieces.push_back(&piece);
    if (piece.kind == Piece::Kind::container || piece.kind == Piece::Kind::machine_code)
      elf.push_back({&piece, name(elf.size() + 1, piece, "cubin"), piece.bytes});
    for (const image::PtxText& text : piece.texts)
      ptx.push_back({&piece, name(ptx.size() + 1, piece, "ptx"), text.text});
  }
  std::string name(std::size_t number, const Piece& piece, std::string_view suffix) const {
    const std::string target = target_of(piece);
    return fmt::format("{}.{}{}.{}", stem_, number, target.empty() ? "" : "." + target, suffix);
  }
  std::string stem_;
};

void list(const std::vector<Listed>& files, std::string_view kind) {
  std::string_view member;
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (files[i].piece->where != member) {
      member = files[i].piece->where;
      print("\nmember {}:\n", member);
    }
    print("{} file {:>4}: {}\n", kind, i + 1, files[i].name);
  }
}

Result<bool> extract(const std::vector<Listed>& files, const std::vector<std::string>& wanted,
                     std::string_view kind) {
  for (std::size_t i = 0; i < files.size(); ++i) {
    const bool chosen = std::ranges::any_of(wanted, [&](const std::string& name) {
      return name == "all" || files[i].name.find(name) != std::string::npos;
    });
    if (!chosen) continue;
    print("Extracting {} file {:>4}: {}\n", kind, i + 1, files[i].name);
    const auto written = write_tool_output(files[i].name, files[i].bytes);
    if (!written.ok()) return written.error();
  }
  return true;
}

/// The header of a piece, in the vendor's layout.
void print_header(const Piece& piece) {
  const bool ptx = piece.kind == Piece::Kind::ptx;
  const auto& entry = piece.entry;
  print("\nFatbin {} code:\n================\n", ptx ? "ptx" : "elf");
  if (const std::string target = target_of(piece); !target.empty()) print("arch = {}\n", target);
  if (piece.in_fat_binary)
    print("code version = [{},{}]\n", entry.version.major, entry.version.minor);
  print("host = linux\ncompile_size = 64bit\n");
  if (!entry.name.empty()) print("identifier = {}\n", entry.name);
  if (entry.debug) print("debuggable\n");
  if (entry.packing != image::Packing::none) print("compressed\n");
  if (ptx && piece.in_fat_binary) print("ptxasOptions = {}\n", entry.options);
}

void dump(const Objects& objects, bool with_ptx) {
  for (const Piece* piece : objects.pieces) {
    print_header(*piece);
    if (piece->kind == Piece::Kind::container)
      print("a container of Heddle: {} PTX text{}\n", piece->texts.size(),
            piece->texts.size() == 1 ? "" : "s");
    if (!with_ptx) continue;
    for (const image::PtxText& text : piece->texts) print("\n{}\n", text.text);
  }
}

}  // namespace

const Tool kCuobjdump{"cuobjdump", "lists the code for GPUs in a file",
                      "cuobjdump [options] <file>", kCuobjdumpOptions, 1};

int run_cuobjdump(const Given& given) {
  if (given.inputs.size() != 1)
    return tool_fatal(kCuobjdump,
                      "One input file is expected; use option --help for more information");
  for (const char* option : {"dump-sass", "extract-text", "list-text"}) {
    if (given.has(option))
      return tool_fatal(kCuobjdump,
                        fmt::format("--{}: Heddle knows PTX only, no machine code", option));
  }
  const std::string& path = given.inputs.front();
  const auto bytes = read_file(path);
  if (!bytes.ok())
    return tool_fatal(kCuobjdump, fmt::format("Could not open input file '{}'", path));
  const auto inventory = image::take_inventory(*bytes, path);
  for (const std::string& damage : inventory.damages) tool_warning(kCuobjdump, damage);
  if (inventory.pieces.empty() || inventory.what == "PTX text") {
    say("cuobjdump info    : File '{}' does not contain device code\n", path);
    return 255;
  }
  const Objects objects(given, path, inventory);
  if (given.has("extract-ptx") || given.has("extract-elf")) {
    for (const auto& [option, files, kind] :
         {std::tuple{"extract-ptx", &objects.ptx, "PTX"}, {"extract-elf", &objects.elf, "ELF"}}) {
      const auto done = extract(*files, given.values(option), kind);
      if (!done.ok()) return tool_fatal(kCuobjdump, done.error().message);
    }
    return 0;
  }
  if (given.has("list-elf") || given.has("list-ptx")) {
    if (given.has("list-elf")) list(objects.elf, "ELF");
    if (given.has("list-ptx")) list(objects.ptx, "PTX");
    if (given.has("list-ptx") && objects.ptx.empty())
      say("cuobjdump info    : No PTX file found to extract from '{}'. You may try with -all "
          "option.\n",
          path);
    return 0;
  }
  dump(objects, given.has("dump-ptx"));
  return 0;
}

}  // namespace heddle::cli
