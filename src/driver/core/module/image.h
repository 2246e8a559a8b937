// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a program hands over as module image: PTX text, a fat binary of nvcc, a host object with
// such fat binaries inside, a cubin, or the output of cuLinkComplete. Heddle runs PTX only; the
// rest is a matter of finding the right PTX inside.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "driver/abi.h"
#include "machine/profile.h"

namespace heddle::driver {

struct PtxText {
  std::string name;  ///< for messages
  std::string text;
  u32 max_registers = 0;  ///< CU_JIT_MAX_REGISTERS where it was added to a link; 0: none
};

struct ImageContents {
  CUresult result = CUDA_SUCCESS;
  std::string why;             ///< when there is nothing to run: one sentence
  std::vector<PtxText> texts;  ///< to be linked together when there are several
};

/// Reads the image at `image`, whose own header says how long it is, but no more than `limit` bytes
/// when the caller knows better; PTX text ends with a NUL. CUDA_ERROR_NO_BINARY_FOR_GPU when it
/// holds no PTX that `profile` runs.
ImageContents read_image(const void* image, const machine::Profile& profile, std::string_view name,
                         std::size_t limit = SIZE_MAX);

/// The image that cuLinkComplete gives out, and that read_image takes back.
std::string make_linked_image(std::span<const PtxText> texts);

/// The best PTX of the fat binary (struct of clients: magic 0xba55ed50) at `data`.
ImageContents read_fat_binary(const void* data, const machine::Profile& profile,
                              std::string_view name, std::size_t limit = SIZE_MAX);

/// ELF that is not machine code of a GPU.
bool is_host_object(std::string_view bytes);

/// The PTX in a host object file, in the sections in which nvcc keeps fat binaries: the best of
/// each. No texts and CUDA_SUCCESS when there is no GPU code at all.
ImageContents read_host_object(std::string_view bytes, const machine::Profile& profile,
                               std::string_view name);

struct FatBinarySize {
  u64 header = 0, content = 0;  ///< in bytes
};
/// How long the fat binary at the beginning of `bytes` is; none when it is none, or cut off.
std::optional<FatBinarySize> fat_binary_size(std::string_view bytes);

inline constexpr u32 kFatWrapperMagic = 0x466243b1;
inline constexpr u32 kFatBinaryMagic = 0xba55ed50;

}  // namespace heddle::driver
