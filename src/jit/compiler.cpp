// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/compiler.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <vector>

#include <fmt/format.h>

#include "base/own_file.h"
#include "jit/library.h"

namespace heddle::jit {
namespace {

constexpr const char* kName = "libheddle_jit.so";

/// The library's path; empty: it does not exist.
std::string find_library() {
  const std::filesystem::path folder = library_folder();
  std::error_code ignored;
  if (folder.empty() || !std::filesystem::exists(folder / kName, ignored)) return {};
  return folder / kName;
}

struct Library {
  CompileFunction* compile = nullptr;
  RunPassesFunction* run_passes = nullptr;
  ListPassesFunction* list_passes = nullptr;
  KnowsCpuFunction* knows_cpu = nullptr;
  std::string why;
};

Library load() {
  Library library;
  const std::string place = find_library();
  if (place.empty()) {
    library.why = fmt::format("{} is not in {}", kName,
                              library_folder().empty() ? "a known folder, as there is no /proc"
                                                       : library_folder().string());
    return library;
  }
  void* handle = dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (!handle) {
    library.why = dlerror();
    return library;
  }
  const auto* version = static_cast<const char*>(dlsym(handle, kVersion));
  if (!version || std::strcmp(version, HEDDLE_VERSION) != 0) {
    library.why = fmt::format("{} is of another version", place);
    return library;
  }
  const auto* made_for = static_cast<const u64*>(dlsym(handle, kLayout));
  if (!made_for || *made_for != layout()) {
    library.why = fmt::format("{} is of another build of this version", place);
    return library;
  }
  library.compile = reinterpret_cast<CompileFunction*>(dlsym(handle, kCompileFunction));
  if (!library.compile) library.why = fmt::format("{} has no {}", place, kCompileFunction);
  library.run_passes = reinterpret_cast<RunPassesFunction*>(dlsym(handle, kRunPassesFunction));
  library.list_passes = reinterpret_cast<ListPassesFunction*>(dlsym(handle, kListPassesFunction));
  library.knows_cpu = reinterpret_cast<KnowsCpuFunction*>(dlsym(handle, kKnowsCpuFunction));
  return library;
}

const Library& library() {
  // Never destroyed: threads still run while the process ends.
  static const Library& one = *new Library(load());
  return one;
}

/// The linker's note with the build id (NT_GNU_BUILD_ID); empty: there is none.
std::string build_id_of(int file) {
  const auto read = [&](void* to, std::size_t bytes, u64 at) {
    return pread(file, to, bytes, static_cast<off_t>(at)) == static_cast<ssize_t>(bytes);
  };
  ElfW(Ehdr) header;
  if (!read(&header, sizeof header, 0) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
    return {};
  for (u32 i = 0; i < header.e_phnum; ++i) {
    ElfW(Phdr) segment;
    if (!read(&segment, sizeof segment, header.e_phoff + u64{i} * sizeof segment)) return {};
    if (segment.p_type != PT_NOTE) continue;
    u64 at = segment.p_offset;
    const u64 end = at + segment.p_filesz;
    while (at < end) {
      ElfW(Nhdr) note;
      if (!read(&note, sizeof note, at)) break;
      const u64 description = at + sizeof note + (u64{note.n_namesz} + 3) / 4 * 4;
      if (note.n_type == NT_GNU_BUILD_ID && note.n_descsz <= 64) {
        std::string id(note.n_descsz, '\0');
        return read(id.data(), id.size(), description) ? id : std::string();
      }
      at = description + (u64{note.n_descsz} + 3) / 4 * 4;
    }
  }
  return {};
}

}  // namespace

Result<Compiled, Failure> compile(const Request& request) {
  std::vector<Stage> loading;
  StageTimer clock(loading);
  const Library& loaded = library();
  clock.end("load the library");
  if (!loaded.compile) return Failure{loaded.why};
  Result<Compiled> result{Error{}};
  loaded.compile(request, result);
  if (!result.ok()) return Failure{result.error().message, true};
  result->stages.insert(result->stages.begin(), loading[0]);
  return std::move(*result);
}

Result<std::string> run_passes_on(const TextRequest& request) {
  if (!library().run_passes) return Error{library().why};
  Result<std::string> result{Error{}};
  library().run_passes(request, result);
  return result;
}

std::vector<PassInfo> list_passes() {
  std::vector<PassInfo> passes;
  if (library().list_passes) library().list_passes(passes);
  return passes;
}

bool knows_cpu(const std::string& name) {
  return !library().knows_cpu || library().knows_cpu(name);
}

const std::string& compiler_build() {
  static const std::string& build = *new std::string([] {
    const int file = open(find_library().c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) return std::string();
    std::string id = build_id_of(file);
    close(file);
    return id;
  }());
  return build;
}

}  // namespace heddle::jit
