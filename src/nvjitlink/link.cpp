// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See link.h.
#include "nvjitlink/link.h"

#include <fmt/format.h>

#include <chrono>

#include "base/file.h"
#include "image/archive.h"
#include "image/assemble.h"
#include "image/compile.h"
#include "image/container.h"
#include "image/device_library.h"

namespace heddle::nvjitlink {
namespace {

constexpr std::string_view kNoLto =
    "LTO-IR is the intermediate code of NVIDIA's compiler, which only that compiler reads. Turn "
    "link-time optimization off: numba-cuda: @cuda.jit(lto=False), and no external functions in "
    "LTO-IR; cuda.core: ProgramOptions(link_time_optimization=False) and PTX; nvcc: "
    "code=compute_NN in place of code=lto_NN";

/// LTO-IR and LLVM bitcode begin with one of these.
bool is_bitcode(std::string_view bytes) {
  return bytes.starts_with("\xed\x43\x4e\x7f") || bytes.starts_with("BC\xc0\xde");
}

/// Whether the bytes may be of the type that the program gave.
bool fits(nvJitLinkInputType type, std::string_view bytes) {
  const bool elf = bytes.starts_with("\177ELF");
  switch (type) {
    case NVJITLINK_INPUT_PTX:
      return !elf && !image::is_archive(bytes) && !image::fat_binary_size(bytes);
    case NVJITLINK_INPUT_CUBIN:
    case NVJITLINK_INPUT_OBJECT:
      return elf;
    case NVJITLINK_INPUT_FATBIN:
      return image::fat_binary_size(bytes).has_value();
    case NVJITLINK_INPUT_LIBRARY:
      return image::is_archive(bytes);
    default:
      return true;
  }
}

std::string_view name_of(nvJitLinkInputType type) {
  switch (type) {
    case NVJITLINK_INPUT_PTX:
      return "PTX";
    case NVJITLINK_INPUT_CUBIN:
      return "a cubin";
    case NVJITLINK_INPUT_OBJECT:
      return "an object file";
    case NVJITLINK_INPUT_FATBIN:
      return "a fat binary";
    case NVJITLINK_INPUT_LIBRARY:
      return "a library";
    default:
      return "an input";
  }
}

bool is_type(nvJitLinkInputType type) {
  return (type > NVJITLINK_INPUT_NONE && type <= NVJITLINK_INPUT_INDEX) ||
         type == NVJITLINK_INPUT_ANY;
}

}  // namespace

nvJitLinkResult Link::fail(nvJitLinkResult result, std::string_view why) {
  errors_ += why;
  if (!errors_.ends_with('\n')) errors_ += '\n';
  return result;
}

nvJitLinkResult Link::create(std::span<const char* const> words) {
  const std::lock_guard lock(mutex_);
  std::string why;
  if (const auto bad = parse(words, options_, why)) return fail(bad, why);
  const auto profile = machine::profile_of_environment();
  if (!profile.ok()) return fail(NVJITLINK_ERROR_INTERNAL, profile.error().message);
  profile_ = **profile;
  profile_.target = options_.arch;
  valid_ = true;
  return NVJITLINK_SUCCESS;
}

/// The vendor's library assembles each input when it is added, so mistakes are reported then.
nvJitLinkResult Link::check(const image::PtxText& text) {
  const auto checked = image::check(text, profile_);
  infos_ += checked.warnings;
  if (checked.status != image::Status::ok) return fail(NVJITLINK_ERROR_PTX_COMPILE, checked.errors);
  for (const isa::Target target : checked.module->targets) {
    if (!image::assembles_for(target, options_.arch))
      return fail(NVJITLINK_ERROR_PTX_COMPILE,
                  fmt::format("{}: error: the module is for {}, which {} (-arch) does not run",
                              text.name, isa::to_string(target), isa::to_string(options_.arch)));
  }
  return NVJITLINK_SUCCESS;
}

nvJitLinkResult Link::add(nvJitLinkInputType type, std::string_view bytes, std::string_view name) {
  const std::lock_guard lock(mutex_);
  if (!valid_) return fail(NVJITLINK_ERROR_INTERNAL, "the options of this link were refused");
  if (!is_type(type)) return fail(NVJITLINK_ERROR_UNRECOGNIZED_INPUT, "no such type of input");
  const std::string where = name.empty() ? "<memory>" : std::string(name);
  // Heddle's wrappers of NVRTC and libNVVM make PTX where a program asks for LTO-IR.
  const bool lto_ir = type == NVJITLINK_INPUT_LTOIR && !image::is_container(bytes) &&
                      bytes.find(".version") == bytes.npos;
  if (lto_ir || is_bitcode(bytes)) {
    return fail(options_.lto ? NVJITLINK_ERROR_NVVM_COMPILE : NVJITLINK_ERROR_LTO_NOT_ENABLED,
                fmt::format("{}: {}", where, kNoLto));
  }
  if (type == NVJITLINK_INPUT_INDEX)
    return fail(NVJITLINK_ERROR_UNRECOGNIZED_INPUT,
                where + ": an index file, which names libraries of LTO-IR");
  if (!fits(type, bytes))
    return fail(NVJITLINK_ERROR_INCORRECT_INPUT_TYPE,
                fmt::format("{}: this is not {}", where, name_of(type)));
  auto input = image::read_link_input(std::string(bytes), profile_, where);
  if (input.status != image::Status::ok)
    return fail(NVJITLINK_ERROR_INVALID_INPUT, where + ": " + input.why);
  for (const std::string& member : input.left_out) infos_ += "left out: " + member + "\n";
  for (image::LinkUnit& unit : input.units) {
    for (image::PtxText& text : unit.texts) {
      if (!text.max_registers) text.max_registers = options_.max_registers;
      text.contract &= options_.contract;
      // Members that nothing needs may have mistakes.
      if (const auto bad = unit.of_library ? NVJITLINK_SUCCESS : check(text)) return bad;
    }
    units_.push_back(std::move(unit));
  }
  return NVJITLINK_SUCCESS;
}

nvJitLinkResult Link::add_file(nvJitLinkInputType type, const char* path) {
  const auto bytes = read_file(path);
  if (bytes.ok()) return add(type, *bytes, path);
  const std::lock_guard lock(mutex_);
  return fail(NVJITLINK_ERROR_INVALID_INPUT, bytes.error().message);
}

nvJitLinkResult Link::complete() {
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  const std::lock_guard lock(mutex_);
  if (!valid_) return fail(NVJITLINK_ERROR_INTERNAL, "the options of this link were refused");
  const auto texts = image::texts_to_link(units_, image::device_library_names());
  if (texts.empty()) return fail(NVJITLINK_ERROR_FINALIZE, "there is no input to link");
  const auto compiled = image::compile(texts, profile_, 0, check::Program::relocatable);
  if (compiled.status != image::Status::ok) return fail(NVJITLINK_ERROR_FINALIZE, compiled.errors);
  if (options_.assembler_is_verbose)
    infos_ += image::resource_infos(*compiled.module, options_.arch);
  if (options_.verbose) infos_ += image::link_infos(*compiled.module);
  if (options_.ptx && texts.size() > 1)
    return fail(NVJITLINK_ERROR_FINALIZE,
                "-ptx: the linked PTX exists as one text for one input only, and here are several");
  if (options_.ptx) ptx_ = texts.front().text;
  cubin_ = image::write_container(texts);
  if (options_.time) {
    const std::chrono::duration<double, std::milli> taken = Clock::now() - begin;
    infos_ += fmt::format("nvJitLinkComplete time to finish: {:f}\n", taken.count());
  }
  return NVJITLINK_SUCCESS;
}

nvJitLinkResult Link::cubin(std::string& out) const {
  const std::lock_guard lock(mutex_);
  out = cubin_;
  return cubin_.empty() ? NVJITLINK_ERROR_INTERNAL : NVJITLINK_SUCCESS;
}

nvJitLinkResult Link::ptx(std::string& out) const {
  const std::lock_guard lock(mutex_);
  out = ptx_;
  if (!options_.ptx) return NVJITLINK_ERROR_INVALID_INPUT;
  return ptx_.empty() ? NVJITLINK_ERROR_INTERNAL : NVJITLINK_SUCCESS;
}

std::string Link::errors() const {
  const std::lock_guard lock(mutex_);
  return errors_;
}

std::string Link::infos() const {
  const std::lock_guard lock(mutex_);
  return infos_;
}

}  // namespace heddle::nvjitlink
