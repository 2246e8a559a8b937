// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Inputs of cuLinkAddData and cuLinkAddFile: the images of image.h, and libraries with such images,
// from which the linker takes the members that it needs. Driver API 6.1 (CUjitInputType).
#pragma once

#include <set>
#include <span>
#include <string>
#include <vector>

#include "image/image.h"

namespace heddle::image {

/// An input, or a member of a library: the linker takes all of it or nothing.
struct LinkUnit {
  std::vector<PtxText> texts;
  bool of_library = false;
  std::string module_id = {};  ///< of a host object with code to link (image.h)
};

struct LinkInput {
  Status status = Status::ok;
  std::string why;  ///< a sentence, when there is no PTX to link
  std::vector<LinkUnit> units;
  /// A sentence for each member that has machine code and no PTX.
  std::vector<std::string> left_out;
};

/// Reads an input. Its content tells its type.
LinkInput read_link_input(const std::string& bytes, const machine::Profile& profile,
                          std::string_view name, HostCode code = HostCode::all);

/// The inputs to link. A library contributes the members that define a needed name, and those with
/// kernels, which a program may look up by name. Names in `provided` are not taken from a library.
std::vector<LinkUnit> units_to_link(std::span<const LinkUnit> units,
                                    const std::set<std::string, std::less<>>& provided);

std::vector<PtxText> texts_of(std::span<const LinkUnit> units);

/// texts_of(units_to_link()).
std::vector<PtxText> texts_to_link(std::span<const LinkUnit> units,
                                   const std::set<std::string, std::less<>>& provided);

}  // namespace heddle::image
