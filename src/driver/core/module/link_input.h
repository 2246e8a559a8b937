// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What cuLinkAddData and cuLinkAddFile take: the images of image.h, and libraries of them, of which
// the linker takes what it needs. Driver API 6.1 (CUjitInputType).
#pragma once

#include <set>
#include <span>
#include <string>
#include <vector>

#include "driver/core/module/image.h"

namespace heddle::driver {

/// What is taken or left as a whole: an input, or a member of a library.
struct LinkUnit {
  std::vector<PtxText> texts;
  bool of_library = false;
};

struct LinkInput {
  CUresult result = CUDA_SUCCESS;
  std::string why;  ///< when there is nothing to link: one sentence
  std::vector<LinkUnit> units;
  std::vector<std::string> left_out;  ///< members with nothing but machine code: a sentence each
};

/// Reads an input, whatever its content says that it is.
LinkInput read_link_input(const std::string& bytes, const machine::Profile& profile,
                          std::string_view name);

/// The texts to link: of a library the members that define what is needed, and those with kernels,
/// which a program may look for by name. `provided` needs no library.
std::vector<PtxText> texts_to_link(std::span<const LinkUnit> units,
                                   const std::set<std::string, std::less<>>& provided);

}  // namespace heddle::driver
