// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Static libraries of the host: `ar` archives, in the layout of System V and GNU (names longer than
// 15 bytes in a member of their own) or of BSD (before the member's content).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace heddle::image {

struct ArchiveMember {
  std::string name;
  std::string_view bytes;
};

bool is_archive(std::string_view bytes);

/// The members in their order, without the tables of symbols and names.
Result<std::vector<ArchiveMember>> read_archive(std::string_view bytes);

}  // namespace heddle::image
