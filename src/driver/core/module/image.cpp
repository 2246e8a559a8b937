// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See image.h. The wrapper of a fat binary, as nvcc puts it into host programs: u32 magic, u32
// version, a pointer to the fat binary, and, from version 2 on, a pointer to a null-terminated
// array of relocatable fat binaries, which are to be linked.
#include "driver/core/module/image.h"

#include <elf.h>

#include <algorithm>
#include <cstring>

namespace heddle::driver {
namespace {

// The output of the JIT linker begins with this line. For each text follow a line with its size,
// its limit of registers and its name, and the text.
constexpr std::string_view kLinkedHead = "// heddle linked image 2\n";

struct FatWrapper {
  u32 magic;
  u32 version;
  const void* data;
  const void* const* relocatable;
};

template <class T>
T load(const void* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

ImageContents nothing(CUresult result, std::string why) { return {result, std::move(why), {}}; }

ImageContents read_wrapper(const FatWrapper& wrapper, const machine::Profile& profile,
                           std::string_view name) {
  if (wrapper.version < 2 || !wrapper.relocatable) {
    return read_fat_binary(wrapper.data, profile, name);
  }
  ImageContents all;
  for (const void* const* each = wrapper.relocatable; *each; ++each) {
    auto one = read_fat_binary(*each, profile, name);
    if (one.result) return one;
    for (auto& text : one.texts) all.texts.push_back(std::move(text));
  }
  return all.texts.empty() ? read_fat_binary(wrapper.data, profile, name) : all;
}

ImageContents read_linked(const char* at, std::size_t limit) {
  ImageContents contents;
  const auto left = [begin = at, limit](const char* here) {
    return limit - static_cast<std::size_t>(here - begin);
  };
  at += kLinkedHead.size();
  while (*at) {
    char *size_end = nullptr, *end = nullptr;
    const auto size = std::strtoull(at, &size_end, 10);
    const auto registers = std::strtoull(size_end, &end, 10);
    const char* line_end = std::strchr(end, '\n');
    if (*size_end != ' ' || *end != ' ' || !line_end || size > left(line_end + 1)) {
      return nothing(CUDA_ERROR_INVALID_IMAGE, "damaged linked image");
    }
    contents.texts.push_back({std::string(static_cast<const char*>(end) + 1, line_end),
                              std::string(line_end + 1, size), static_cast<u32>(registers)});
    at = line_end + 1 + size;
  }
  return contents;
}

// Without a limit, the image is one in memory, which is never a host object.
ImageContents read_elf(const char* image, const machine::Profile& profile, std::string_view name,
                       std::size_t limit) {
  if (limit != SIZE_MAX && is_host_object({image, limit})) {
    auto found = read_host_object({image, limit}, profile, name);
    if (found.result || !found.texts.empty()) return found;
    return nothing(CUDA_ERROR_NO_BINARY_FOR_GPU, "the object file holds no code for GPUs");
  }
  return nothing(
      CUDA_ERROR_NO_BINARY_FOR_GPU,
      "the image is a cubin (machine code of a GPU); Heddle runs PTX. A library that "
      "compiles at run time (PyTorch's fusers and jiterator, CuPy, cuda.core) asked NVRTC or nvcc "
      "for a cubin: make it ask for PTX, of a virtual architecture (compute_90 in place of sm_90)");
}

}  // namespace

std::string make_linked_image(std::span<const PtxText> texts) {
  std::string image(kLinkedHead);
  for (const auto& [name, text, registers] : texts) {
    std::string one_line = name;
    for (char& c : one_line) c = c == '\n' ? ' ' : c;
    image += std::to_string(text.size()) + ' ' + std::to_string(registers) + ' ' + one_line + '\n' +
             text;
  }
  return image;
}

ImageContents read_image(const void* image, const machine::Profile& profile, std::string_view name,
                         std::size_t limit) {
  const char* text = static_cast<const char*>(image);
  // strncmp stops at the NUL of a PTX text that is shorter than a magic number.
  if (std::strncmp(text, ELFMAG, SELFMAG) == 0) return read_elf(text, profile, name, limit);
  if (std::strncmp(text, kLinkedHead.data(), kLinkedHead.size()) == 0)
    return read_linked(text, limit);
  const u32 magics[] = {kFatWrapperMagic, kFatBinaryMagic};
  if (std::strncmp(text, reinterpret_cast<const char*>(&magics[0]), 4) == 0) {
    // A wrapper holds pointers, so it is valid only in the memory of its program, and not in a
    // file.
    if (limit != SIZE_MAX)
      return nothing(CUDA_ERROR_INVALID_IMAGE, "a wrapper without its program");
    return read_wrapper(load<FatWrapper>(image), profile, name);
  }
  if (std::strncmp(text, reinterpret_cast<const char*>(&magics[1]), 4) == 0) {
    return read_fat_binary(image, profile, name, limit);
  }
  return {CUDA_SUCCESS, "", {{std::string(name), std::string(text)}}};
}

}  // namespace heddle::driver
