// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See image.h. The wrapper of a fat binary, as nvcc puts it into host programs: u32 magic, u32
// version, a pointer to the fat binary, and, from version 2 on, a pointer to a null-terminated
// array of relocatable fat binaries, which are to be linked.
#include "image/image.h"

#include <elf.h>

#include <cstring>

#include "base/check.h"
#include "image/container.h"

namespace heddle::image {
namespace {

struct FatWrapper {
  u32 magic;
  u32 version;
  const void* data;
  const void* const* relocatable;
};

template <class T>
T value_at(const void* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

Contents nothing(Status status, std::string why) { return {status, std::move(why), {}}; }

Contents read_wrapper(const FatWrapper& wrapper, const machine::Profile& profile,
                      std::string_view name) {
  if (wrapper.version < 2 || !wrapper.relocatable) {
    return read_fat_binary(wrapper.data, profile, name);
  }
  Contents all;
  for (const void* const* each = wrapper.relocatable; *each; ++each) {
    auto one = read_fat_binary(*each, profile, name);
    if (one.status != Status::ok) return one;
    for (auto& text : one.texts) all.texts.push_back(std::move(text));
  }
  return all.texts.empty() ? read_fat_binary(wrapper.data, profile, name) : all;
}

// Without a limit, the image is one in memory, which is never a host object.
Contents read_elf(const char* image, const machine::Profile& profile, std::string_view name,
                  std::size_t limit) {
  const std::size_t size = limit == SIZE_MAX ? container_size(image) : limit;
  if (is_container({image, size})) return read_container({image, size});
  if (limit != SIZE_MAX && is_host_object({image, limit})) {
    auto found = read_host_object({image, limit}, profile, name);
    if (found.status != Status::ok || !found.texts.empty()) return found;
    return nothing(Status::no_binary, "the object file holds no code for GPUs");
  }
  return nothing(
      Status::no_binary,
      "the image is a cubin (machine code of a GPU); Heddle runs PTX. A library that "
      "compiles at run time (PyTorch's fusers and jiterator, CuPy, cuda.core) asked NVRTC or nvcc "
      "for a cubin: make it ask for PTX, of a virtual architecture (compute_90 in place of sm_90)");
}

Contents read_any(const void* image, const machine::Profile& profile, std::string_view name,
                  std::size_t limit) {
  const char* text = static_cast<const char*>(image);
  // strncmp stops at the NUL of a PTX text that is shorter than a magic number.
  if (std::strncmp(text, ELFMAG, SELFMAG) == 0) return read_elf(text, profile, name, limit);
  const u32 magics[] = {kFatWrapperMagic, kFatBinaryMagic};
  if (std::strncmp(text, reinterpret_cast<const char*>(&magics[0]), 4) == 0) {
    // A wrapper holds pointers, so it is valid only in the memory of its program, and not in a
    // file.
    if (limit != SIZE_MAX) return nothing(Status::invalid_image, "a wrapper without its program");
    return read_wrapper(value_at<FatWrapper>(image), profile, name);
  }
  if (std::strncmp(text, reinterpret_cast<const char*>(&magics[1]), 4) == 0) {
    return read_fat_binary(image, profile, name, limit);
  }
  return {Status::ok, "", {{std::string(name), std::string(text)}}};
}

}  // namespace

std::string_view to_string(Status status) {
  switch (status) {
    case Status::ok:
      return "ok";
    case Status::invalid_image:
      return "invalid image";
    case Status::no_binary:
      return "no binary";
    case Status::invalid_ptx:
      return "invalid PTX";
    case Status::unsupported_version:
      return "unsupported version";
  }
  HEDDLE_UNREACHABLE();
}

Contents read_image(const void* image, const machine::Profile& profile, std::string_view name,
                    std::size_t limit) {
  auto found = read_any(image, profile, name, limit);
  // A linker that found nothing to link writes a container without text.
  if (found.status == Status::ok && found.texts.empty())
    return nothing(Status::no_binary, "the image holds no PTX");
  return found;
}

}  // namespace heddle::image
