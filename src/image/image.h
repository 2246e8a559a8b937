// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Images of modules: PTX text, a container of Heddle (container.h), a fat binary of nvcc, a host
// object with fat binaries inside, a cubin. Heddle runs PTX only, so it looks for the right PTX in
// the image.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "machine/profile.h"

namespace heddle::image {

enum class Status {
  ok,
  invalid_image,        ///< damaged, or no image
  no_binary,            ///< no PTX that the device runs
  invalid_ptx,          ///< the PTX has mistakes
  unsupported_version,  ///< the PTX has a newer version than Heddle knows
};
std::string_view to_string(Status status);

struct PtxText {
  std::string name;  ///< for messages
  std::string text;
  u32 max_registers = 0;  ///< the limit that this input of a linker was given; 0: none
  bool contract = true;   ///< false: its mul and add stay apart (the assembler's -fmad=false)
};

struct Contents {
  Status status = Status::ok;
  std::string why;             ///< a sentence, when there is no PTX to run
  std::vector<PtxText> texts;  ///< several texts are to be linked
};

/// Reads the image at `image`, at most `limit` bytes. The header of the image has its length; PTX
/// text ends with a NUL.
Contents read_image(const void* image, const machine::Profile& profile, std::string_view name,
                    std::size_t limit = SIZE_MAX);

/// The best PTX of the fat binary (magic number 0xba55ed50) at `data`.
Contents read_fat_binary(const void* data, const machine::Profile& profile, std::string_view name,
                         std::size_t limit = SIZE_MAX);

/// Whether the bytes are an ELF file for the host, and not machine code of a GPU.
bool is_host_object(std::string_view bytes);

/// The sections in which nvcc stores fat binaries: whole programs, and code to link (-rdc=true).
inline constexpr std::string_view kWholeSection = ".nv_fatbin",
                                  kRelocatableSection = "__nv_relfatbin";

/// The code of a host object: all, or only that which is to be linked (nvcc -rdc=true).
enum class HostCode : u8 { all, relocatable };

/// The best PTX of each fat binary in the sections of a host object in which nvcc stores them. No
/// texts and Status::ok when the object has no GPU code.
Contents read_host_object(std::string_view bytes, const machine::Profile& profile,
                          std::string_view name, HostCode code = HostCode::all);

/// The name under which a host object of nvcc -rdc=true registers its code. Empty: it has none.
std::string module_id_of(std::string_view bytes);

struct FatBinarySize {
  u64 header = 0, content = 0;  ///< in bytes
};
/// The size of the fat binary at the beginning of `bytes`. None when there is no fat binary, or
/// when it is cut off.
std::optional<FatBinarySize> fat_binary_size(std::string_view bytes);

inline constexpr u32 kFatWrapperMagic = 0x466243b1;
inline constexpr u32 kFatBinaryMagic = 0xba55ed50;

}  // namespace heddle::image
